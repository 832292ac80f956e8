"""The pages of boards: a day's, a period's, an event's."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from games.api.cursors import pack_cursor, read_cursor
from games.api.lean import choice_parameter, date_parameter, int_parameter
from games.api.live_views import live_url
from games.engine import MODES
from games.models import Challenge, Player
from games.services.challenges import list_challenges
from games.services.players import Credential
from leaderboards import period_ranking, ranking
from leaderboards.addresses import Address, ChallengeBoard, PeriodBoard
from leaderboards.layouts import Entry
from leaderboards.models import Club
from leaderboards.models.standing import Board
from leaderboards.periods import Period, first_day
from leaderboards.services import reading

from . import histogram
from .board_dates import DAY, Stretch, earliest_daily, stretch
from .page import page, visitor_of
from .rows import table_of

#: Lines of a page, and lines before and after the own one.
LIMIT, SPAN = 50, 10


@require_safe
def boards(request: HttpRequest) -> HttpResponse:
    """The way to the boards of the first mode."""
    return redirect("board", mode=settings.DAILY_MODES[0])


@page
@require_safe
def daily_board(request: HttpRequest, mode: str) -> HttpResponse:
    """A board of a daily: today's, or that of ``date``."""
    asked = _asked(request, mode, DAY)
    board_name = _board_name(request)
    found = list_challenges(now=asked.now, date=asked.stretch.first, mode=mode, limit=1)
    context: dict[str, Any] = _frame(asked) | {"board_name": board_name}
    if found:
        context |= _challenge_context(request, asked, ChallengeBoard(found[0].pk, board_name, asked.club_id), found[0])
    return render(request, "leaderboards/board.html", context)


@page
@require_safe
def period_board(request: HttpRequest, mode: str, period: str) -> HttpResponse:
    """A board of a mode over the week or month of ``date``, or over all time."""
    if period not in Period.values:
        raise Http404
    asked = _asked(request, mode, period)
    board = PeriodBoard(mode, period, first_day(period, asked.stretch.first), asked.club_id)
    context = _frame(asked) | _board_context(request, asked, board, None, is_over=asked.stretch.last < asked.today)
    return render(request, "leaderboards/board.html", context)


@page
@require_safe
def challenge_board(request: HttpRequest, challenge_id: int) -> HttpResponse:
    """A board of an event; dailies have theirs by date."""
    now = timezone.now()
    challenge = Challenge.objects.visible(now).defer("winning_log").filter(pk=challenge_id).first()
    if challenge is None:
        raise Http404
    board_name = _board_name(request)
    if challenge.date is not None:
        query = urlencode({"date": challenge.date.isoformat(), "board": board_name})
        return redirect(f"{reverse('board', args=[challenge.mode])}?{query}")
    asked = Asked(visitor_of(request), challenge.mode, "event", now, _club_id(request), None)
    context = {**_frame(asked), "board_name": board_name}
    context |= _challenge_context(request, asked, ChallengeBoard(challenge_id, board_name, asked.club_id), challenge)
    return render(request, "leaderboards/board.html", context)


@dataclass(frozen=True, slots=True)
class Asked:
    """What the address asks for: ``kind`` is ``day``, a period or ``event``, which alone has no dates."""

    visitor: Player | None
    mode: str
    kind: str
    now: datetime.datetime
    club_id: int | None
    dates: Stretch | None

    @property
    def today(self) -> datetime.date:
        """The UTC date."""
        return self.now.astimezone(datetime.UTC).date()

    @property
    def stretch(self) -> Stretch:
        """The dates of everything but an event."""
        assert self.dates is not None
        return self.dates


def _asked(request: HttpRequest, mode: str, kind: str) -> Asked:
    """What is asked for. Raises the 404 for an unknown mode and for dates to come."""
    if mode not in MODES:
        raise Http404
    now = timezone.now()
    today = now.astimezone(datetime.UTC).date()
    date = (date_parameter(request) if request.GET.get("date") else None) or today
    earliest = earliest_daily(mode=mode, now=now) or today
    dates = stretch(kind=kind, date=date, earliest=earliest, today=today)
    if dates.first > today:
        raise Http404
    return Asked(visitor_of(request), mode, kind, now, _club_id(request), dates)


def _board_name(request: HttpRequest) -> str:
    return choice_parameter(request, "board", Board.values, default=Board.BEST.value)


def _club_id(request: HttpRequest) -> int | None:
    if not request.GET.get("club"):
        return None
    return int_parameter(request, "club", default=0, minimum=1, maximum=999_999_999)


def _frame(asked: Asked) -> dict[str, Any]:
    """What is around every board: tabs, dates, the visitor's clubs."""
    modes = [mode for mode in MODES if mode in settings.DAILY_MODES or mode == asked.mode]
    clubs: list[Club] = []
    if asked.visitor is not None:
        clubs = list(Club.objects.filter(memberships__player_id=asked.visitor.pk).order_by("name"))
    return {
        "mode": asked.mode,
        "modes": modes,
        "is_vegas": bool(MODES[asked.mode].game.start_score),
        "kind": asked.kind,
        "stretch": asked.dates,
        "today": asked.today,
        "is_today": asked.dates is not None and asked.dates.first <= asked.today <= asked.dates.last,
        "clubs": clubs,
        "club": next((club for club in clubs if club.pk == asked.club_id), None),
    }


def _challenge_context(
    request: HttpRequest, asked: Asked, board: ChallengeBoard, challenge: Challenge
) -> dict[str, Any]:
    context = _board_context(request, asked, board, challenge, is_over=challenge.is_over(asked.now))
    distribution = reading.read_distribution(board=board, mode=challenge.mode)
    own = context["table"].own
    return context | {
        "challenge": challenge,
        "is_open": challenge.is_open(asked.now),
        "won": distribution.won,
        "histogram": histogram.lay_out(distribution, own_score=None if own is None else own.line.result.ranked_score),
    }


def _board_context(
    request: HttpRequest, asked: Asked, board: Address, challenge: Challenge | None, *, is_over: bool
) -> dict[str, Any]:
    shown = _read(request, asked, board)
    return {
        "table": table_of(board=board, page=shown, challenge=challenge, is_over=is_over),
        "total": shown.total,
        "before": None if shown.before is None else pack_cursor(shown.before.key, shown.before.id),
        "after": None if shown.after is None else pack_cursor(shown.after.key, shown.after.id),
        "is_around": "around" in request.GET and shown.own is not None,
        "is_over": is_over,
        "live": None if is_over else _live(request, asked, board, challenge),
    }


def _read(request: HttpRequest, asked: Asked, board: Address) -> reading.BoardPage:
    """The lines that are asked for. Raises the 404 for a board that isn't there for the visitor."""
    credential = Credential(session_player=None if asked.visitor is None else asked.visitor.pk)
    glimpse = reading.glimpse(credential=credential, board=board, now=asked.now)
    if glimpse.mode is None or not glimpse.is_member:
        raise Http404
    if "around" in request.GET and glimpse.own is not None:
        return reading.read_around(board=board, own=glimpse.own, span=SPAN, sign=glimpse.sign)
    after, before = (_entry(request, board, name) for name in ("cursor", "before"))
    return reading.read_page(board=board, own=glimpse.own, after=after, before=before, limit=LIMIT, sign=glimpse.sign)


def _entry(request: HttpRequest, board: Address, name: str) -> Entry | None:
    below = period_ranking.END if isinstance(board, PeriodBoard) else ranking.END
    cursor = read_cursor(request, name=name, below=below)
    return None if cursor is None else Entry(cursor[1], cursor[0])


def _live(request: HttpRequest, asked: Asked, board: Address, challenge: Challenge | None) -> dict[str, Any]:
    """What the page's script needs: where to listen for what, and when the page is another by itself."""
    watch: dict[str, Any]
    if isinstance(board, ChallengeBoard):
        watch = {"watch": board.challenge_id, "board": board.board}
    else:
        watch = {"watch": f"{board.mode}/{board.period}", "date": asked.today.isoformat()}
    if board.club_id is not None:
        watch["club"] = board.club_id
    return {
        "origin": live_url(request),
        "watch": urlencode(watch),
        "changes_at": _changes_at(asked, challenge),
    }


def _changes_at(asked: Asked, challenge: Challenge | None) -> datetime.datetime:
    """The next moment at which the page is another one by itself: the day's end, or that of the grace period."""
    if challenge is None:
        return datetime.datetime.combine(asked.today + datetime.timedelta(days=1), datetime.time(), datetime.UTC)
    return challenge.closes_at if challenge.is_open(asked.now) else challenge.closes_at + settings.QV_GRACE
