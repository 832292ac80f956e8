"""The page of a player: what they have come to."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from games.models import Player
from games.services.intake import IntakeError
from games.services.profiles import find_player
from games.services.review import REPORT_MAX_LENGTH, report_player
from leaderboards.models.final_rank import MEDAL_SHARES
from leaderboards.services.period_places import PeriodPlace, period_places
from leaderboards.services.statistics import ModeStatistics, read_statistics, recent_games

from .line_chart import LineChart, line_chart
from .page import page, visitor_of


@dataclass(frozen=True, slots=True)
class ModeCard:
    """A mode's statistics, places of the running periods, and the line of the finished dailies."""

    mode: str
    statistics: ModeStatistics
    places: list[PeriodPlace]
    chart: LineChart | None

    @property
    def win_rate(self) -> float:
        """Wins in per cent of dailies played."""
        return 100 * self.statistics.won / self.statistics.played


@page
@require_safe
def player(request: HttpRequest, name: str) -> HttpResponse:
    """Statistics, streaks, medals and recent games of a player."""
    found = _find(name)
    if found.name != name:
        return redirect("player", name=found.name)
    now = timezone.now()
    visitor = visitor_of(request)
    statistics = read_statistics(player_id=found.pk, now=now)
    context = {
        "player": found,
        "is_self": visitor is not None and visitor.pk == found.pk,
        "statistics": statistics,
        "medals": [(share, statistics.medals.get(share, 0)) for share in MEDAL_SHARES],
        "badges": [month for month in statistics.months if month.badge],
        "cards": _cards(found, statistics.modes, now),
        "games": recent_games(player_id=found.pk, now=now),
        "report_max_length": REPORT_MAX_LENGTH,
    }
    return render(request, "leaderboards/player.html", context)


@page
@require_POST
def report(request: HttpRequest, name: str) -> HttpResponse:
    """Takes the report form, and leads back to the player."""
    found, visitor = _find(name), visitor_of(request)
    if visitor is None:
        return redirect("player", name=found.name)
    try:
        report_player(
            reporter_id=visitor.pk, name=found.name, reason=request.POST.get("reason", ""), now=timezone.now()
        )
    except IntakeError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("Thank you: the moderators will look at it."))
    return redirect("player", name=found.name)


def _find(name: str) -> Player:
    """The player of a name, case aside. Raises the 404 for one who is banned or gone."""
    found = find_player(name=name) if "\x00" not in name else None
    if found is None:
        raise Http404
    return found


def _cards(found: Player, modes: dict[str, ModeStatistics], now: datetime.datetime) -> list[ModeCard]:
    places = period_places(player_id=found.pk, today=now.astimezone(datetime.UTC).date())
    return [
        ModeCard(mode, figures, [place for place in places if place.mode == mode], line_chart(figures.history))
        for mode, figures in modes.items()
    ]
