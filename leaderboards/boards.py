"""Boards in Redis: one sorted set each, in the order of (key, number); `leaderboards.layouts` says how they lie there.

Beside the players each set holds one member more, `COMPLETE`, behind all others. A set that lacks it is no whole board
(Redis was emptied, or the board was never made) and is not read: it is rebuilt from PostgreSQL. On a challenge's board
the mark's score is the board's version: each push, and each rebuilding, draws another one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

from django.conf import settings
from redis import Redis

from games.redis_client import PATIENT_SECONDS, ask

from .addresses import Address, ChallengeBoard, PeriodBoard
from .layouts import BY_SCORE, BY_TEXT, COMPLETE, Entry, layout_of


class NotComplete(Exception):
    """The board isn't whole in Redis; ``board`` says which."""

    def __init__(self, board: Address) -> None:
        super().__init__(str(board))
        self.board = board


class Slice(NamedTuple):
    """Consecutive lines of a board.

    ``first_position`` counts the lines before the first one, ``first_rank`` is its rank (lower where it is tied with
    lines before it), ``total`` counts all players. ``own_rank`` is that of the entry that was asked for beside them.
    """

    entries: tuple[Entry, ...]
    first_position: int
    first_rank: int
    total: int
    own_rank: int | None = None


class Change(NamedTuple):
    """What becomes of a player's line: the entries that Redis may have, and the one that it shall have, if any."""

    old: list[Entry]
    new: Entry | None


# ARGV: how long to keep, the mark's new score, then old member, new member, score for each line.
# 0 where the board isn't whole.
_PUSH = f"""
if not redis.call('ZSCORE', KEYS[1], '{COMPLETE}') then return 0 end
for i = 3, #ARGV, 3 do
    if ARGV[i] ~= '' then redis.call('ZREM', KEYS[1], ARGV[i]) end
    if ARGV[i + 1] ~= '' then redis.call('ZADD', KEYS[1], ARGV[i + 2], ARGV[i + 1]) end
end
redis.call('ZADD', KEYS[1], ARGV[2], '{COMPLETE}')
redis.call('EXPIRE', KEYS[1], ARGV[1])
return 1
"""


def push(changes: dict[Address, list[Change]]) -> list[Address]:
    """Change lines of boards. Returns the boards that aren't whole and so took nothing. Raises `RedisAway`."""

    def send(redis: Redis) -> list[Address]:
        pipeline = redis.pipeline(transaction=False)
        for board, lines in changes.items():
            pipeline.eval(_PUSH, 1, board.redis_key, _keep_seconds(), *_arguments(board, lines))
        return [board for board, taken in zip(changes, pipeline.execute(), strict=True) if not taken]

    return ask(send)


def _arguments(board: Address, lines: list[Change]) -> list[str | int]:
    layout = layout_of(board)
    arguments: list[str | int] = [layout.mark_score()]
    for old, new in lines:
        for entry in old:
            arguments += (layout.member(entry), "", 0)
        if new is not None:
            arguments += ("", layout.member(new), layout.score(new))
    return arguments


# Renaming over a board of a million would hold everybody up while the old one is freed. UNLINK frees it beside.
_REPLACE = """
if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('RENAME', KEYS[1], KEYS[3]) end
redis.call('RENAME', KEYS[2], KEYS[1])
redis.call('UNLINK', KEYS[3])
"""


def replace(board: Address, chunks: Iterable[Sequence[Entry]]) -> int:
    """Put a whole board in place of what is there; returns the number of its lines. Raises `RedisAway`.

    No set is kept for a period without players: anybody can ask for any week there ever was. A Redis that is away is
    noticed by the first call; once it has answered it has time, or a busy one would never get a large board.
    """
    layout = layout_of(board)
    building = f"{board.redis_key}:building"
    total = 0
    ask(lambda redis: redis.unlink(building))
    for chunk in chunks:
        members: dict[Any, Any] = {layout.member(entry): layout.score(entry) for entry in chunk}
        ask(
            lambda redis, members=members: redis.zadd(building, members),  # type: ignore[misc]
            timeout=PATIENT_SECONDS,
        )
        total += len(chunk)

    def finish(redis: Redis) -> None:
        if not total and isinstance(board, PeriodBoard):
            redis.unlink(board.redis_key)
            return
        pipeline = redis.pipeline()
        pipeline.zadd(building, {COMPLETE: layout.mark_score()})
        pipeline.expire(building, _keep_seconds())
        pipeline.eval(_REPLACE, 3, board.redis_key, building, f"{board.redis_key}:old")
        pipeline.execute()

    ask(finish, timeout=PATIENT_SECONDS)
    return total


def _keep_seconds() -> int:
    """How long a board stays after the last push; later readers have it rebuilt."""
    return int(settings.QV_BOARD_RETENTION.total_seconds())


def is_whole(board: Address) -> bool:
    """Whether Redis has the board. Raises `RedisAway`."""
    return bool(ask(lambda redis: redis.zscore(board.redis_key, COMPLETE)) is not None)


def page(board: Address, *, after: Entry | None, limit: int, own: Entry | None = None) -> Slice:
    """The lines behind ``after``, or the first ones. Raises `NotComplete` or `RedisAway`."""
    first = 0
    if after is not None:
        first = ask(lambda redis: layout_of(board).position_after(redis, board.redis_key, after))
    return _read(board, "", first, limit, own)


def page_before(board: Address, before: Entry, *, limit: int, own: Entry | None = None) -> Slice:
    """The lines before an entry; the first ones where they are fewer than ``limit``. Raises as `page` does."""
    behind = Entry(before.id - 1, before.key)
    end = ask(lambda redis: layout_of(board).position_after(redis, board.redis_key, behind))
    return _read(board, "", max(0, end - limit), limit, own)


def around(board: Address, *, own: Entry, span: int) -> Slice:
    """Up to ``span`` lines before and after an entry, and itself. Raises `NotComplete` or `RedisAway`."""
    return _read(board, layout_of(board).member(own), 0, span, None)


# ARGV: for each board the command that counts, and the ends of its range. Gives the number of one that isn't whole.
_RANKS = f"""
local found = {{}}
for i = 1, #KEYS do
    if not redis.call('ZSCORE', KEYS[i], '{COMPLETE}') then return i end
    found[2 * i - 1] = redis.call(ARGV[3 * i - 2], KEYS[i], ARGV[3 * i - 1], ARGV[3 * i])
    found[2 * i] = redis.call('ZCARD', KEYS[i]) - 1
end
return found
"""


def ranks(keys: Sequence[tuple[Address, int]]) -> list[tuple[int, int]]:
    """(rank, total) that a key has on a board, for each of the pairs. Raises `NotComplete` or `RedisAway`."""
    names = [board.redis_key for board, _ in keys]
    ends: list[str] = []
    for board, key in keys:
        layout = layout_of(board)
        ends += (layout.count_command, layout.lowest, layout.bound(key))
    found: Any = ask(lambda redis: redis.eval(_RANKS, len(names), *names, *ends))
    if isinstance(found, int):
        raise NotComplete(keys[found - 1][0])
    return [(better + 1, total) for better, total in zip(found[::2], found[1::2], strict=True)]


class Spread(NamedTuple):
    """How the keys of a board lie: how many are below each of some, how many there are, and which stand at some shares.

    ``version`` is the board's when it was read, None where there is none.
    """

    below: list[int]
    total: int
    at: list[int]
    version: float | None


# ARGV: how many upper ends of ranges follow; these, without themselves; shares of the board.
# One command: as many of them cost ten times as much.
_SPREAD = f"""
local version = redis.call('ZSCORE', KEYS[1], '{COMPLETE}')
if not version then return false end
local below, at, total = {{}}, {{}}, redis.call('ZCARD', KEYS[1]) - 1
for i = 2, ARGV[1] + 1 do below[#below + 1] = redis.call('ZCOUNT', KEYS[1], '-inf', ARGV[i]) end
for i = ARGV[1] + 2, total > 0 and #ARGV or 0 do
    local position = math.min(total - 1, math.floor(ARGV[i] * total))
    at[#at + 1] = redis.call('ZRANGE', KEYS[1], position, position, 'WITHSCORES')[2]
end
return {{below, total, at, version}}
"""


def version(board: ChallengeBoard) -> float | None:
    """A number that is another one whenever the board has changed, None where none tells. Raises as `page` does."""
    found: Any = ask(lambda redis: redis.zscore(board.redis_key, COMPLETE))
    if found is None:
        raise NotComplete(board)
    return _version(float(found))


def _version(score: float) -> float | None:
    # The marks of boards that were made before marks had versions.
    return None if math.isinf(score) else score


def spread(board: ChallengeBoard, *, keys: Sequence[int], shares: Sequence[float]) -> Spread:
    """How many players are better than each of the keys, and the keys at the shares. Raises as `page` does."""
    arguments: list[str | float] = [len(keys), *map(layout_of(board).bound, keys), *shares]
    found: Any = ask(lambda redis: redis.eval(_SPREAD, 1, board.redis_key, *arguments))
    if found is None:
        raise NotComplete(board)
    below, total, at, score = found
    return Spread(below, total, [int(float(key)) for key in at], _version(float(score)))


# ARGV: a member, around which there are so many lines on both sides; or '', where to begin, and how many lines; the
# upper end of the range of what is better than the own line, or ''.
# Gives where it begins, how many lines are better than the first, how many there are, members and scores by turns, and
# how many lines are better than the own one. As one text: the client takes longer for two hundred.
_READ = f"""
local first, count = tonumber(ARGV[2]), tonumber(ARGV[3])
if ARGV[1] ~= '' then
    local position = redis.call('ZRANK', KEYS[1], ARGV[1])
    if not position then return false end
    first = math.max(0, position - count)
    count = position + count + 1 - first
end
if not redis.call('ZSCORE', KEYS[1], '{COMPLETE}') then return false end
local lines = redis.call('ZRANGE', KEYS[1], first, first + count - 1, 'WITHSCORES')
local better, own = 0, -1
if first > 0 and #lines > 0 then better = redis.call('%s', KEYS[1], '%s', '(' .. %s) end
if ARGV[4] ~= '' then own = redis.call('%s', KEYS[1], '%s', ARGV[4]) end
return {{first, better, redis.call('ZCARD', KEYS[1]) - 1, table.concat(lines, ' '), own}}
"""


def _read(board: Address, member: str, first: int, count: int, own: Entry | None) -> Slice:
    layout = layout_of(board)
    script = _read_script(layout.count_command, layout.lowest, layout.key_of_first)
    bound = "" if own is None else layout.bound(own.key)
    found: Any = ask(lambda redis: redis.eval(script, 1, board.redis_key, member, first, count, bound))
    if found is None:
        raise NotComplete(board)
    position, better, total, text, better_than_own = found
    entries = _entries(isinstance(board, ChallengeBoard), text)
    return Slice(entries, position, better + 1 if entries else 1, total, None if own is None else better_than_own + 1)


@cache
def _read_script(count_command: str, lowest: str, key_of_first: str) -> str:
    return _READ % (count_command, lowest, key_of_first, count_command, lowest)


@lru_cache(maxsize=256)
def _entries(is_by_score: bool, text: bytes) -> tuple[Entry, ...]:
    """Lines that a script gives: members and scores by turns. The mark is the last, if it is among them."""
    words = text.split()
    if words[-2:-1] == [COMPLETE.encode()]:
        del words[-2:]
    return tuple(map(_score_entry if is_by_score else BY_TEXT.entry, words[::2], words[1::2]))


# Where a board has changed, most of its lines have not.
_score_entry = lru_cache(maxsize=20_000)(BY_SCORE.entry)
