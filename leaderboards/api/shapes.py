"""What the API of `leaderboards` gives."""

from __future__ import annotations

import datetime
from typing import Literal

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


class StreaksOut(Struct):
    """Days in a row, by the UTC dates of dailies: with a daily played, and with one won.

    The current ones run to today, or to yesterday while today has none. ``days_played`` counts days, in a row or not.
    """

    current_days: int
    longest_days: int
    current_days_won: int
    longest_days_won: int
    days_played: int
    has_played_today: bool


class FinalPlaceOut(Struct):
    """A finished daily. ``percentile``: of 100 other players so many didn't stand above."""

    date: datetime.date
    rank: int
    total: int
    percentile: float


class ModeStatisticsOut(Struct):
    """Dailies of one mode, each by the submission that counts for it; scores are ranked scores.

    ``best_score`` and ``fewest_moves_of_a_win`` are those of any submission to them. ``percentiles`` are of finished
    dailies, the latest first.
    """

    dailies_played: int
    dailies_won: int
    win_rate: float
    average_score: float
    best_score: int
    fewest_moves_of_a_win: int | None
    percentiles: list[FinalPlaceOut]


class MedalsOut(Struct):
    """Finished dailies by the part of the board that the player was in; each counts once, in the best of these."""

    top_1_percent: int
    top_3_percent: int
    top_10_percent: int


class MonthOut(Struct):
    """A month with days played. ``badge``: 10 or 20 days, or all of them."""

    month: str
    days_played: int
    badge: Literal["10_days", "20_days", "all_days"] | None


class StatisticsOut(Struct):
    """What a player has come to, as of ``today`` (UTC)."""

    player: str
    is_guest: bool
    today: datetime.date
    streaks: StreaksOut
    modes: dict[str, ModeStatisticsOut]
    medals: MedalsOut
    months: list[MonthOut]


class ClubIn(Struct):
    """A club's name: 3 to 40 characters."""

    name: str


class DissolveIn(Struct):
    """``confirm`` is the club's name: dissolving can't be taken back."""

    confirm: str


class MemberIn(Struct):
    """A member, by name."""

    player: str


class MemberOut(Struct):
    """A member of a club."""

    player: str
    is_guest: bool
    is_owner: bool
    joined_at: datetime.datetime


class ClubOut(Struct):
    """A club as its members see it. Whoever has the ``code``, or the ``link`` made of it, can join."""

    id: int
    name: str
    owner: str
    code: str
    link: str
    created_at: datetime.datetime
    max_members: int
    members: list[MemberOut]


class ClubBriefOut(Struct):
    """A club of the caller's, in short."""

    id: int
    name: str
    owner: str
    is_owner: bool
    members: int


class ClubListOut(Struct):
    """The caller's clubs, by name, and how many a player can be in."""

    items: list[ClubBriefOut]
    max_clubs: int


class InvitationOut(Struct):
    """The club that a code invites to."""

    name: str
    owner: str
    members: int
    max_members: int


class PlaceOut(Struct):
    """A place on a board. ``percentile``: of 100 other players so many don't stand above; 100 for the first."""

    rank: int
    total: int
    percentile: float


class SubmissionOut(Struct):
    """A submission, its verdict once there is one, and its place on the boards where it gives the player the place.

    ``disqualified`` is the reason why a moderator took it out, null where none did.
    """

    id: int
    attempt: int
    challenge: int
    attempt_number: int
    state: str
    ranked: bool
    disqualified: str | None
    received_at: datetime.datetime
    elapsed: float
    claimed_score: int | None
    verdict: VerdictOut | None
    best: PlaceOut | None
    first: PlaceOut | None
