"""What the API of `leaderboards` gives."""

from __future__ import annotations

import datetime

from msgspec import Struct

from games.api.shapes import VerdictOut


class LineOut(Struct):
    """A player's line on a board. ``elapsed`` in seconds."""

    rank: int
    player: str
    is_guest: bool
    won: bool
    ranked_score: int
    moves: int
    elapsed: float
    submission: int


class BoardOut(Struct):
    """Some lines of a board from the top down, how many players stand on it, and the caller's own line."""

    challenge: int
    board: str
    total: int
    lines: list[LineOut]
    own: LineOut | None
    next_cursor: str | None


class PeriodLineOut(Struct):
    """A player's line on a period board: sums over dailies of the mode, ``played`` of them, ``won`` of these.

    ``moves`` are those of the counted submissions. In Vegas modes ``score`` has 52 for each daily played in it.
    """

    rank: int
    player: str
    is_guest: bool
    score: int
    played: int
    won: int
    moves: int


class PeriodBoardOut(Struct):
    """Some lines of a mode's board over a period, how many players stand on it, and the caller's own line.

    The days are UTC dates, both in the period; none for all time.
    """

    mode: str
    period: str
    first_day: datetime.date | None
    last_day: datetime.date | None
    total: int
    lines: list[PeriodLineOut]
    own: PeriodLineOut | None
    next_cursor: str | None


class BarOut(Struct):
    """A bar of the histogram: ranked scores from ``low`` to below ``high``."""

    low: int
    high: int
    won: int
    not_won: int


class QuantileOut(Struct):
    """The result at a share of the board, counted from the top."""

    won: bool
    ranked_score: int
    moves: int
    elapsed: float


class DistributionOut(Struct):
    """How a challenge went."""

    challenge: int
    board: str
    played: int
    won: int
    histogram: list[BarOut]
    quantiles: dict[str, QuantileOut]


class PlaceOut(Struct):
    """A place on a board. ``percentile``: of 100 other players so many don't stand above; 100 for the first."""

    rank: int
    total: int
    percentile: float


class SubmissionOut(Struct):
    """A submission, its verdict once there is one, and its place on the boards where it gives the player the place."""

    id: int
    attempt: int
    challenge: int
    attempt_number: int
    state: str
    ranked: bool
    received_at: datetime.datetime
    elapsed: float
    claimed_score: int | None
    verdict: VerdictOut | None
    best: PlaceOut | None
    first: PlaceOut | None
