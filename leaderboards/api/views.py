"""The API of what is compared: boards, and submissions with their places."""

from __future__ import annotations

from typing import Any

import msgspec
from django.http import HttpRequest
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter

from games.api.cursors import pack_cursor, read_cursor
from games.api.errors import ApiError, not_found, unauthenticated
from games.api.lean import (
    Answer,
    LeanView,
    bearer_digest,
    choice_parameter,
    describe,
    int_parameter,
)
from games.api.shapes import VerdictError, VerdictOut
from games.engine import MODES, Code
from leaderboards.boards import Entry
from leaderboards.models.standing import Board
from leaderboards.ranking import Result
from leaderboards.services import reading, submissions

from . import shapes

_BOARDS = list(Board.values)
_BOARD = OpenApiParameter("board", str, enum=_BOARDS, default="best")

#: Bars of the histogram by family: their width in points and where the last one begins.
_BARS = {"FT1": (40, 1360), "KL1": (25, 745)}


class SubmissionDetail(LeanView):
    """A submission of the caller's."""

    @describe(
        "A submission of the caller's own: state, verdict, places on both boards",
        answers={200: shapes.SubmissionOut},
        errors=[401, 404],
    )
    def get(self, request: HttpRequest, submission_id: int) -> Answer:
        digest = bearer_digest(request)
        if digest is None:
            raise unauthenticated()
        caller_id, row = submissions.find_submission(
            token_digest=digest, submission_id=submission_id, now=timezone.now()
        )
        if caller_id is None:
            raise unauthenticated()
        if row is None:
            raise not_found("There is no such submission of yours.")
        return 200, _submission_out(row)


def _submission_out(row: dict[str, Any]) -> shapes.SubmissionOut:
    places = {board: _place(*place) for board, place in row["places"].items()}
    return shapes.SubmissionOut(
        id=row["id"],
        attempt=row["attempt"],
        challenge=row["challenge"],
        attempt_number=row["attempt_number"],
        state=row["state"],
        ranked=row["ranked"],
        received_at=row["received_at"],
        elapsed=row["elapsed"] / 10,
        claimed_score=row["claimed_score"],
        verdict=_verdict_out(row) if row["rules_version"] is not None else None,
        best=places.get("best"),
        first=places.get("first"),
    )


def _verdict_out(row: dict[str, Any]) -> VerdictOut:
    # The statement is raw, so JSON arrives as it is stored.
    rejection = None if row["rejection"] is None else msgspec.json.decode(row["rejection"], type=VerdictError)
    figures = {name: row[name] for name in VerdictOut.__struct_fields__ if name not in ("code", "valid", "error")}
    return VerdictOut(code=str(Code(row["mode"], row["number"])), valid=rejection is None, error=rejection, **figures)


def _place(rank: int, total: int) -> shapes.PlaceOut:
    share = 1.0 if total <= 1 else (total - rank) / (total - 1)
    return shapes.PlaceOut(rank, total, round(100 * share, 1))


class BoardPage(LeanView):
    """A board of a challenge."""

    public = True

    @describe(
        "A page of a challenge's board",
        answers={200: shapes.BoardOut},
        errors=[400, 401, 404],
        parameters=[
            _BOARD,
            OpenApiParameter("limit", int, default=100, description="1 to 100 lines"),
            OpenApiParameter("cursor", str, description="the `next_cursor` of the page before"),
        ],
    )
    def get(self, request: HttpRequest, challenge_id: int) -> Answer:
        board, glimpse = _glimpse(request, challenge_id)
        cursor = read_cursor(request)
        page = reading.read_page(
            challenge_id=challenge_id,
            board=board,
            own=glimpse.own,
            after=None if cursor is None else Entry(cursor[1], cursor[0]),
            limit=int_parameter(request, "limit", default=100, minimum=1, maximum=100),
        )
        return 200, _board_out(challenge_id, board, page)


class Around(LeanView):
    """Neighbours on a board."""

    public = True

    @describe(
        "The lines around a player on a challenge's board",
        answers={200: shapes.BoardOut},
        errors=[400, 401, 404],
        parameters=[
            _BOARD,
            OpenApiParameter("player", str, default="me", description="a name, or `me`"),
            OpenApiParameter("span", int, default=5, description="lines before and after, 1 to 50"),
        ],
    )
    def get(self, request: HttpRequest, challenge_id: int) -> Answer:
        name = request.GET.get("player", "me")
        board, glimpse = _glimpse(request, challenge_id, player=None if name == "me" else name)
        if name == "me" and glimpse.caller_id is None:
            raise unauthenticated()
        if glimpse.own is None:
            raise not_found("That player has no place on this board.")
        span = int_parameter(request, "span", default=5, minimum=1, maximum=50)
        page = reading.read_around(challenge_id=challenge_id, board=board, own=glimpse.own, span=span)
        return 200, _board_out(challenge_id, board, page)


class Distribution(LeanView):
    """How a challenge went."""

    public = True

    @describe(
        "Histogram, quantiles, played and won of a challenge's board",
        answers={200: shapes.DistributionOut},
        errors=[400, 401, 404],
        parameters=[_BOARD],
    )
    def get(self, request: HttpRequest, challenge_id: int) -> Answer:
        board, glimpse = _glimpse(request, challenge_id)
        width, highest = _BARS[MODES[glimpse.mode or ""].family]
        found = reading.read_distribution(challenge_id=challenge_id, board=board, width=width, highest=highest)
        return 200, shapes.DistributionOut(
            challenge_id,
            board,
            found.played,
            found.won,
            [shapes.BarOut(bar.low, bar.high, bar.won, bar.not_won) for bar in found.bars],
            {share: _quantile(result) for share, result in found.quantiles.items()},
        )


def _quantile(result: Result) -> shapes.QuantileOut:
    return shapes.QuantileOut(result.won, result.ranked_score, result.moves, result.elapsed / 10)


def _glimpse(request: HttpRequest, challenge_id: int, player: str | None = None) -> tuple[str, reading.Glimpse]:
    board = choice_parameter(request, "board", _BOARDS, default="best")
    if player is not None and "\x00" in player:
        raise ApiError(400, "bad_parameter", "player must be a name.", parameter="player")
    digest = bearer_digest(request)
    glimpse = reading.glimpse(
        token_digest=digest, challenge_id=challenge_id, board=board, player=player, now=timezone.now()
    )
    if digest is not None and glimpse.caller_id is None:
        raise unauthenticated()
    if glimpse.mode is None:
        raise not_found("There is no such challenge.")
    return board, glimpse


def _board_out(challenge_id: int, board: str, page: reading.BoardPage) -> shapes.BoardOut:
    return shapes.BoardOut(
        challenge=challenge_id,
        board=board,
        total=page.total,
        lines=[_line_out(line) for line in page.lines],
        own=None if page.own is None else _line_out(page.own),
        next_cursor=None if page.after is None else pack_cursor(page.after.key, page.after.submission_id),
    )


def _line_out(line: reading.Line) -> shapes.LineOut:
    won, ranked_score, moves, elapsed = line.result
    return shapes.LineOut(
        line.rank, line.player, line.is_guest, won, ranked_score, moves, elapsed / 10, line.submission_id
    )
