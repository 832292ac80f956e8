"""Which board: a challenge's, or a mode's over a period; and where PostgreSQL and Redis keep it."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from games import redis_keys

from .models.standing import Board


class Table(NamedTuple):
    """How PostgreSQL keeps boards of one kind: a row is a line.

    ``member`` tells lines with equal keys apart, ``stands`` is true of rows that have a place, ``told`` is the member
    or the key that Redis was told last, ``tell`` sets that it knows the row as it is, ``change`` that it doesn't.
    """

    name: str
    member: str
    stands: str
    told: str
    tell: str
    change: str


def _changed(table: str, told: str) -> str:
    """Sets that Redis hasn't heard of a row, and keeps what it may have heard before that was noted."""
    return f"""is_pushed = false, superseded = CASE
        WHEN {table}.is_pushed OR {table}.{told} IS NULL THEN {table}.superseded
        ELSE array_append({table}.superseded, {table}.{told})
    END"""


STANDINGS = Table(
    "leaderboards_standing",
    member="submission_id",
    stands="submission_id IS NOT NULL",
    told="pushed_submission_id",
    tell="is_pushed = true, pushed_submission_id = submission_id, superseded = NULL",
    change=_changed("leaderboards_standing", "submission_id"),
)
PERIOD_STANDINGS = Table(
    "leaderboards_periodstanding",
    member="player_id",
    stands="played > 0",
    told="pushed_key",
    tell="is_pushed = true, pushed_key = key, superseded = NULL",
    change=_changed("leaderboards_periodstanding", "key"),
)


@dataclass(frozen=True, slots=True)
class ChallengeBoard:
    """A board of a challenge, for everybody or as far as a club's members stand on it. Its members are submissions."""

    challenge_id: int
    board: str
    club_id: int | None = None

    table: ClassVar[Table] = STANDINGS

    @property
    def columns(self) -> dict[str, Any]:
        """What all rows of the board have, and no others."""
        return {"challenge_id": self.challenge_id, "board": self.board}

    @property
    def group(self) -> BoardGroup:
        """The boards that Redis is told of together with this one."""
        return challenge_boards(self.challenge_id)

    @property
    def redis_key(self) -> str:
        """The name of its sorted set."""
        return redis_keys.challenge_board(self.challenge_id, self.board)

    def __str__(self) -> str:
        return f"challenge:{self.challenge_id}:{self.board}"


@dataclass(frozen=True, slots=True)
class PeriodBoard:
    """The board of a mode over a period that begins on a UTC date, likewise. Its members are players."""

    mode: str
    period: str
    starts_on: datetime.date
    club_id: int | None = None

    table: ClassVar[Table] = PERIOD_STANDINGS

    @property
    def columns(self) -> dict[str, Any]:
        """What all rows of the board have, and no others."""
        return {"mode": self.mode, "period": self.period, "starts_on": self.starts_on}

    @property
    def group(self) -> BoardGroup:
        """The boards that Redis is told of together with this one: none but itself."""
        # Redis holds boards whole: what it is told because a club asked isn't the club's part.
        whole = PeriodBoard(self.mode, self.period, self.starts_on)
        return BoardGroup(str(self), self.table, self.columns, {self.period: whole}, "period")

    @property
    def redis_key(self) -> str:
        """The name of its sorted set."""
        return redis_keys.period_board(self.mode, self.period, self.starts_on.isoformat())

    def __str__(self) -> str:
        return f"period:{self.mode}:{self.period}:{self.starts_on}"


Address = ChallengeBoard | PeriodBoard


class BoardGroup(NamedTuple):
    """Boards that Redis is told of together. The column ``part`` tells of a row which of ``boards`` it is on."""

    name: str
    table: Table
    columns: dict[str, Any]
    boards: dict[str, Address]
    part: str


def challenge_boards(challenge_id: int) -> BoardGroup:
    """The boards of a challenge."""
    boards: dict[str, Address] = {board: ChallengeBoard(challenge_id, board) for board in Board.values}
    return BoardGroup(f"challenge:{challenge_id}", STANDINGS, {"challenge_id": challenge_id}, boards, "board")


def parse_address(text: str) -> Address:
    """The board that a text of `str(board)` names.

    >>> parse_address("period:ft-n:week:2026-03-02")
    PeriodBoard(mode='ft-n', period='week', starts_on=datetime.date(2026, 3, 2), club_id=None)
    """
    kind, first, second, *rest = text.split(":")
    if kind == "challenge":
        return ChallengeBoard(int(first), second)
    return PeriodBoard(first, second, datetime.date.fromisoformat(rest[0]))
