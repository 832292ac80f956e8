"""The API of what players have come to."""

from __future__ import annotations

import calendar

from django.http import HttpRequest
from django.utils import timezone

from games.api.errors import not_found
from games.api.lean import Answer, LeanView, bearer_token, caller_of, describe
from games.models import Player
from leaderboards.models.final_rank import MEDAL_SHARES
from leaderboards.services import statistics
from leaderboards.streaks import Month

from . import shapes


class PlayerStatistics(LeanView):
    """A player's statistics."""

    public = True

    @describe(
        "Streaks, statistics of each mode, medals and months of a player, or of `me`",
        answers={200: shapes.StatisticsOut},
        errors=[401, 404],
    )
    def get(self, request: HttpRequest, name: str) -> Answer:
        player = find_player(request, name)
        found = statistics.read_statistics(player_id=player.pk, now=timezone.now())
        return 200, shapes.StatisticsOut(
            player=player.name,
            is_guest=player.is_guest,
            today=found.today,
            streaks=shapes.StreaksOut(*found.days, *found.wins, found.days_played, found.has_played_today),
            modes={mode: _mode_out(of_mode) for mode, of_mode in found.modes.items()},
            medals=shapes.MedalsOut(*(found.medals.get(share, 0) for share in MEDAL_SHARES)),
            months=[_month_out(month) for month in found.months],
        )


def find_player(request: HttpRequest, name: str) -> Player:
    """The player of a name, case aside, or the caller for ``me``. Raises the 404, or the 401 for ``me``.

    Banned players are seen by themselves alone.
    """
    if name == "me":
        return Player.objects.get(pk=caller_of(request).id)
    player = Player.objects.named(name).first()
    if player is None or (player.is_banned and not _is_caller(request, player)):
        raise not_found("There is no player of that name.")
    return player


def _is_caller(request: HttpRequest, player: Player) -> bool:
    return bearer_token(request) is not None and caller_of(request).id == player.pk


def _mode_out(found: statistics.ModeStatistics) -> shapes.ModeStatisticsOut:
    return shapes.ModeStatisticsOut(
        dailies_played=found.played,
        dailies_won=found.won,
        win_rate=round(found.won / found.played, 3),
        average_score=found.average,
        best_score=found.best_score,
        fewest_moves_of_a_win=found.fewest_moves,
        percentiles=[shapes.FinalPlaceOut(*place, place.percentile) for place in found.history],
    )


def _month_out(month: Month) -> shapes.MonthOut:
    days = calendar.monthrange(month.first_day.year, month.first_day.month)[1]
    badge = "all_days" if month.badge == days else f"{month.badge}_days" if month.badge else None
    return shapes.MonthOut(f"{month.first_day:%Y-%m}", month.days_played, badge)  # type: ignore[arg-type]
