"""The API of boards: a challenge's and a mode's over a period, with neighbours and distributions."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import msgspec
from django.http import HttpRequest
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from msgspec import Raw

from games.api.cursors import pack_cursor, read_cursor
from games.api.errors import ApiError, not_found, unauthenticated
from games.api.lean import (
    Answer,
    LeanView,
    choice_parameter,
    credential_of,
    date_parameter,
    describe,
    int_parameter,
)
from games.engine import MODES
from leaderboards import period_ranking, ranking
from leaderboards.addresses import Address, ChallengeBoard, PeriodBoard
from leaderboards.layouts import Entry
from leaderboards.models.standing import Board
from leaderboards.periods import Period, first_day, last_day
from leaderboards.services import reading
from leaderboards.services.lines import Line

from . import shapes

_BOARDS = list(Board.values)
_BOARD = OpenApiParameter("board", str, enum=_BOARDS, default="best")
_DATE = OpenApiParameter("date", datetime.date, description="a UTC date in the period; today without it")
_CLUB = OpenApiParameter("club", int, description="only the members of this club of the caller's, ranked among them")
_LIMIT = OpenApiParameter("limit", int, default=100, description="1 to 100 lines")
_CURSOR = OpenApiParameter("cursor", str, description="the `next_cursor` of the page before")
_PLAYER = OpenApiParameter("player", str, default="me", description="a name, or `me`")
_SPAN = OpenApiParameter("span", int, default=5, description="lines before and after, 1 to 50")


class BoardPage(LeanView):
    """A board of a challenge."""

    public = True
    revalidates = True

    @describe(
        "A page of a challenge's board",
        answers={200: shapes.BoardOut},
        errors=[400, 401, 404],
        parameters=[_BOARD, _CLUB, _LIMIT, _CURSOR],
    )
    def get(self, request: HttpRequest, challenge_id: int) -> Answer:
        board = challenge_board(request, challenge_id)
        return 200, _board_out(board, _page(request, board))


class Around(LeanView):
    """Neighbours on a board."""

    public = True
    revalidates = True

    @describe(
        "The lines around a player on a challenge's board",
        answers={200: shapes.BoardOut},
        errors=[400, 401, 404],
        parameters=[_BOARD, _CLUB, _PLAYER, _SPAN],
    )
    def get(self, request: HttpRequest, challenge_id: int) -> Answer:
        board = challenge_board(request, challenge_id)
        return 200, _board_out(board, _around(request, board))


class PeriodPage(LeanView):
    """A board of a mode over a period."""

    public = True
    revalidates = True

    @describe(
        "A page of a mode's board over a week, a month or all time",
        description="Sums of the ranked scores of dailies, by each player's best submission; Vegas modes add 52 a"
        " daily. The order is sum, then wins, then fewer moves; equal on all is an equal rank.",
        answers={200: shapes.PeriodBoardOut},
        errors=[400, 401, 404],
        parameters=[_DATE, _CLUB, _LIMIT, _CURSOR],
    )
    def get(self, request: HttpRequest, mode: str, period: str) -> Answer:
        board = period_board(request, mode, period)
        return 200, _period_board_out(board, _page(request, board))


class PeriodAround(LeanView):
    """Neighbours on a board of a mode over a period."""

    public = True
    revalidates = True

    @describe(
        "The lines around a player on a mode's board over a period",
        answers={200: shapes.PeriodBoardOut},
        errors=[400, 401, 404],
        parameters=[_DATE, _CLUB, _PLAYER, _SPAN],
    )
    def get(self, request: HttpRequest, mode: str, period: str) -> Answer:
        board = period_board(request, mode, period)
        return 200, _period_board_out(board, _around(request, board))


class Distribution(LeanView):
    """How a challenge went."""

    public = True
    revalidates = True

    @describe(
        "Histogram, quantiles, played and won of a challenge's board",
        answers={200: shapes.DistributionOut},
        errors=[400, 401, 404],
        parameters=[_BOARD, _CLUB],
    )
    def get(self, request: HttpRequest, challenge_id: int) -> Answer:
        board = challenge_board(request, challenge_id)
        glimpse = _glimpse(request, board)
        found = reading.read_distribution(board=board, mode=glimpse.mode or "")
        return 200, _packed_distribution(board, found)


def challenge_board(request: HttpRequest, challenge_id: int) -> ChallengeBoard:
    """The board of a challenge that the query names. Raises the 400 for a bad one."""
    board = choice_parameter(request, "board", _BOARDS, default="best")
    return ChallengeBoard(challenge_id, board, _club_id(request))


def period_board(request: HttpRequest, mode: str, period: str) -> PeriodBoard:
    """A mode's board over the period that the query names. Raises the 400 for a bad one, the 404 for an unknown one."""
    if mode not in MODES or period not in Period.values:
        raise not_found(f"There is no such board: modes are {', '.join(MODES)}, periods {', '.join(Period.values)}.")
    date = date_parameter(request) or timezone.now().astimezone(datetime.UTC).date()
    return PeriodBoard(mode, period, first_day(period, date), _club_id(request))


def _club_id(request: HttpRequest) -> int | None:
    if "club" not in request.GET:
        return None
    return int_parameter(request, "club", default=0, minimum=1, maximum=999_999_999)


def _page(request: HttpRequest, board: Address) -> reading.BoardPage:
    cursor = read_cursor(request, below=period_ranking.END if isinstance(board, PeriodBoard) else ranking.END)
    glimpse = _glimpse(request, board)
    return reading.read_page(
        board=board,
        own=glimpse.own,
        after=None if cursor is None else Entry(cursor[1], cursor[0]),
        limit=int_parameter(request, "limit", default=100, minimum=1, maximum=100),
        sign=glimpse.sign,
    )


def _around(request: HttpRequest, board: Address) -> reading.BoardPage:
    name = request.GET.get("player", "me")
    glimpse = _glimpse(request, board, player=None if name == "me" else name)
    if name == "me" and glimpse.caller_id is None:
        raise unauthenticated()
    if glimpse.own is None:
        raise not_found("That player has no place on this board.")
    span = int_parameter(request, "span", default=5, minimum=1, maximum=50)
    return reading.read_around(board=board, own=glimpse.own, span=span, sign=glimpse.sign)


def _glimpse(request: HttpRequest, board: Address, player: str | None = None) -> reading.Glimpse:
    if player is not None and "\x00" in player:
        raise ApiError(400, "bad_parameter", "player must be a name.", parameter="player")
    credential = credential_of(request)
    glimpse = reading.glimpse(credential=credential, board=board, player=player, now=timezone.now())
    if credential and glimpse.caller_id is None:
        raise unauthenticated()
    if board.club_id is not None and glimpse.caller_id is None:
        raise unauthenticated()
    if not glimpse.is_member:
        raise not_found("There is no such club of yours.")
    if glimpse.mode is None:
        raise not_found("There is no such challenge.")
    return glimpse


def _next_cursor(page: reading.BoardPage) -> str | None:
    return None if page.after is None else pack_cursor(page.after.key, page.after.id)


def _board_out(board: ChallengeBoard, page: reading.BoardPage) -> shapes.BoardOut:
    return shapes.BoardOut(
        challenge=board.challenge_id,
        board=board.board,
        total=page.total,
        lines=_packed_lines(page.lines),
        own=None if page.own is None else _line_out(page.own),
        next_cursor=_next_cursor(page),
    )


@lru_cache(maxsize=256)
def _packed_lines(lines: Sequence[Line]) -> Any:
    """A list of `shapes.LineOut`. The first pages are asked for again and again."""
    return Raw(b"[%b]" % b",".join(map(_packed_line, lines)))


@lru_cache(maxsize=20_000)
def _packed_line(line: Line) -> bytes:
    """A `shapes.LineOut`. Where a board has changed, most of its lines have not."""
    return msgspec.json.encode(_line_out(line))


def _line_out(line: Line) -> shapes.LineOut:
    won, ranked_score, moves, elapsed = line.result
    return shapes.LineOut(line.rank, line.player, line.is_guest, won, ranked_score, moves, elapsed / 10, line.id)


def _period_board_out(board: PeriodBoard, page: reading.BoardPage) -> shapes.PeriodBoardOut:
    is_endless = board.period == Period.ALL
    return shapes.PeriodBoardOut(
        mode=board.mode,
        period=board.period,
        first_day=None if is_endless else board.starts_on,
        last_day=last_day(board.period, board.starts_on),
        total=page.total,
        lines=[_period_line_out(line) for line in page.lines],
        own=None if page.own is None else _period_line_out(page.own),
        next_cursor=_next_cursor(page),
    )


def _period_line_out(line: Line) -> shapes.PeriodLineOut:
    score, won, moves = line.sums
    return shapes.PeriodLineOut(line.rank, line.player, line.is_guest, score, line.played, won, moves)


@lru_cache(maxsize=reading.KEPT)
def _packed_distribution(board: ChallengeBoard, found: reading.Distribution) -> Raw:
    """A `shapes.DistributionOut`; the same distribution comes again while its board is the same."""
    out = shapes.DistributionOut(
        board.challenge_id,
        board.board,
        found.played,
        found.won,
        [shapes.BarOut(bar.low, bar.high, bar.won, bar.not_won) for bar in found.bars],
        {share: _quantile(result) for share, result in found.quantiles.items()},
    )
    return Raw(msgspec.json.encode(out))


def _quantile(result: ranking.Result) -> shapes.QuantileOut:
    return shapes.QuantileOut(result.won, result.ranked_score, result.moves, result.elapsed / 10)
