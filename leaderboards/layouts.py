"""How the lines of a board lie in a Redis sorted set: `BY_SCORE` for challenge boards, `BY_TEXT` for period boards.

====  =================  ========================  ==========================================
.     score              member                    order of equal keys
====  =================  ========================  ==========================================
1     the key (53 bits)  submission, 12 digits     earlier submission first
2     0                  key, 21 hex digits, and   earlier player first
.                        player, 12 digits
====  =================  ========================  ==========================================

Both come out in the order of (key, number): Redis orders by score, then by the bytes of the member.
"""

from __future__ import annotations

import random
from typing import Any, NamedTuple, Protocol

from redis import Redis

from .addresses import Address, ChallengeBoard
from .ranking import END

#: The member that marks a set as a whole board. It sorts behind all others: ``~`` comes after every digit and letter.
COMPLETE = "~complete"

_ID_DIGITS = 12
#: 84 bits (`leaderboards.period_ranking`).
_KEY_DIGITS = 21


class Entry(NamedTuple):
    """One line of a board: its member's number (a submission's, a player's) and its key."""

    id: int
    key: int


class Layout(Protocol):
    """What differs between the two."""

    #: The command that counts members, the lower end of all of them, and in Lua the key of the first of ``lines``.
    count_command: str
    lowest: str
    key_of_first: str

    def mark_score(self) -> int:
        """A score of the mark: behind all others, and by chance, where that tells versions of a board apart."""

    def bound(self, key: int) -> str:
        """The upper end of the members with lower keys."""

    def member(self, entry: Entry) -> str:
        """The member that stands for a line."""

    def score(self, entry: Entry) -> int:
        """The score of that member."""

    def entry(self, member: bytes, score: bytes) -> Entry:
        """The line that a member stands for."""

    def position_after(self, redis: Redis, name: str, entry: Entry) -> int:
        """Where the lines behind an entry begin, whether it still stands there or not."""


class _ByScore:
    count_command, lowest, key_of_first = "ZCOUNT", "-inf", "lines[2]"

    def mark_score(self) -> int:
        # Above every key; of that size a double holds even numbers.
        return END + 2 * random.getrandbits(52)

    def bound(self, key: int) -> str:
        return f"({key}"

    def member(self, entry: Entry) -> str:
        return f"{entry.id:0{_ID_DIGITS}}"

    def score(self, entry: Entry) -> int:
        return entry.key

    def entry(self, member: bytes, score: bytes) -> Entry:
        return Entry(int(member), int(float(score)))

    def position_after(self, redis: Redis, name: str, entry: Entry) -> int:
        position: Any = redis.zrank(name, self.member(entry), withscore=True)
        if position is not None and int(position[1]) == entry.key:
            return int(position[0]) + 1
        ties: Any = redis.zrange(name, entry.key, entry.key, byscore=True)
        earlier = sum(int(line) <= entry.id for line in ties)
        better: Any = redis.zcount(name, self.lowest, self.bound(entry.key))
        return int(better) + earlier


class _ByText:
    count_command, lowest = "ZLEXCOUNT", "-"
    key_of_first = f"string.sub(lines[1], 1, {_KEY_DIGITS})"

    def mark_score(self) -> int:
        return 0

    def bound(self, key: int) -> str:
        # Every member with the key is longer than the key alone, so it sorts behind it.
        return f"({key:0{_KEY_DIGITS}x}"

    def member(self, entry: Entry) -> str:
        return f"{entry.key:0{_KEY_DIGITS}x}{entry.id:0{_ID_DIGITS}}"

    def score(self, entry: Entry) -> int:
        return 0

    def entry(self, member: bytes, score: bytes) -> Entry:
        return Entry(int(member[_KEY_DIGITS:]), int(member[:_KEY_DIGITS], 16))

    def position_after(self, redis: Redis, name: str, entry: Entry) -> int:
        return int(redis.zlexcount(name, "-", f"[{self.member(entry)}"))


BY_SCORE: Layout = _ByScore()
BY_TEXT: Layout = _ByText()


def layout_of(board: Address) -> Layout:
    """How a board lies in Redis."""
    return BY_SCORE if isinstance(board, ChallengeBoard) else BY_TEXT
