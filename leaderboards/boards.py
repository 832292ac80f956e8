"""Boards in Redis: one sorted set each, score = `ranking` key, member = submission id with leading zeros.

Low keys come first, and members with equal keys come in the order of their text: the earlier submission first. Beside
the players each set holds one member more, `COMPLETE`, behind all others. A set that lacks it is no whole board (Redis
was emptied, or the board was never made) and is not read: it is rebuilt from PostgreSQL.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from redis import Redis

from games import redis_keys
from games.redis_client import ask

#: Marks a set as a whole board. Sorts behind every submission, and its infinite score behind every key.
COMPLETE = "complete"
#: How long a board stays in Redis after the last push; later readers have it rebuilt.
KEEP_SECONDS = 40 * 24 * 3600

_DIGITS = 12


class NotComplete(Exception):
    """The board isn't whole in Redis; ``board`` says which."""

    def __init__(self, board: str) -> None:
        super().__init__(board)
        self.board = board


class Entry(NamedTuple):
    """One line of a board."""

    submission_id: int
    key: int


class Slice(NamedTuple):
    """Consecutive lines of a board.

    ``first_position`` counts the lines before the first one, ``first_rank`` is its rank (lower where it is tied with
    lines before it), ``total`` counts all players.
    """

    entries: list[Entry]
    first_position: int
    first_rank: int
    total: int


# ARGV: how long to keep, then old member, new member, key for each standing. 0 where the board isn't whole.
_PUSH = """
if not redis.call('ZSCORE', KEYS[1], 'complete') then return 0 end
for i = 2, #ARGV, 3 do
    if ARGV[i] ~= '' then redis.call('ZREM', KEYS[1], ARGV[i]) end
    redis.call('ZADD', KEYS[1], ARGV[i + 2], ARGV[i + 1])
end
redis.call('EXPIRE', KEYS[1], ARGV[1])
return 1
"""


def member(submission_id: int) -> str:
    """The member that stands for a submission."""
    return f"{submission_id:0{_DIGITS}}"


def push(challenge_id: int, rows: Sequence[tuple[str, int, int, int | None]]) -> list[str]:
    """Put standings (board, submission id, key, submission id pushed before) on their boards.

    Returns the boards that aren't whole and so took nothing. Raises `RedisAway`.
    """
    changes: dict[str, list[str | int]] = {}
    for board, submission_id, key, pushed_before in rows:
        old = member(pushed_before) if pushed_before not in (None, submission_id) else ""
        changes.setdefault(board, [KEEP_SECONDS]).extend((old, member(submission_id), key))

    def send(redis: Redis) -> list[str]:
        pipeline = redis.pipeline(transaction=False)
        for board, arguments in changes.items():
            pipeline.eval(_PUSH, 1, redis_keys.challenge_board(challenge_id, board), *arguments)
        return [board for board, taken in zip(changes, pipeline.execute(), strict=True) if not taken]

    return ask(send)


def replace(challenge_id: int, board: str, chunks: Iterable[Sequence[tuple[int, int]]]) -> int:
    """Put a whole board, chunks of (submission id, key), in place of what is there. Raises `RedisAway`."""
    name = redis_keys.challenge_board(challenge_id, board)
    building = f"{name}:building"
    total = 0
    ask(lambda redis: redis.delete(building))
    for chunk in chunks:
        members: dict[Any, Any] = {member(submission_id): key for submission_id, key in chunk}
        ask(lambda redis, members=members: redis.zadd(building, members))  # type: ignore[misc]
        total += len(chunk)

    def finish(redis: Redis) -> None:
        pipeline = redis.pipeline()
        pipeline.zadd(building, {COMPLETE: math.inf})
        pipeline.expire(building, KEEP_SECONDS)
        pipeline.rename(building, name)
        pipeline.execute()

    ask(finish)
    return total


def page(challenge_id: int, board: str, *, after: Entry | None, limit: int) -> Slice:
    """The lines behind ``after``, or the first ones. Raises `NotComplete` or `RedisAway`."""
    name = redis_keys.challenge_board(challenge_id, board)
    if after is None:
        return _read(name, board, lambda redis: (0, limit))
    return _read(name, board, lambda redis: (_position_after(redis, name, after), limit))


def around(challenge_id: int, board: str, *, submission_id: int, span: int) -> Slice:
    """Up to ``span`` lines before and after a submission, and its own. Raises `NotComplete` or `RedisAway`."""
    name = redis_keys.challenge_board(challenge_id, board)

    def place(redis: Redis) -> tuple[int, int]:
        position: Any = redis.zrank(name, member(submission_id))
        if position is None:
            raise NotComplete(board)
        first = max(0, position - span)
        return first, position + span + 1 - first

    return _read(name, board, place)


def ranks(challenge_id: int, keys: dict[str, int]) -> dict[str, tuple[int, int]]:
    """(rank, total) that a key has on each of the boards. Raises `NotComplete` or `RedisAway`."""

    def count(redis: Redis) -> list[Any]:
        pipeline = redis.pipeline(transaction=False)
        for board, key in keys.items():
            _ask_counts(pipeline, redis_keys.challenge_board(challenge_id, board), [key])
        return pipeline.execute()

    answers = iter(ask(count))
    found = {}
    for board in keys:
        [better], total = _read_counts(board, [next(answers) for _ in range(3)])
        found[board] = (better + 1, total)
    return found


def counts_below(challenge_id: int, board: str, keys: Sequence[int]) -> tuple[list[int], int]:
    """How many players are better than each of the keys, and how many there are. Raises as `page` does."""

    def count(redis: Redis) -> list[Any]:
        pipeline = redis.pipeline(transaction=False)
        _ask_counts(pipeline, redis_keys.challenge_board(challenge_id, board), keys)
        return pipeline.execute()

    return _read_counts(board, ask(count))


def _ask_counts(pipeline: Any, name: str, keys: Sequence[int]) -> None:
    for key in keys:
        pipeline.zcount(name, "-inf", f"({key}")
    pipeline.zcard(name)
    pipeline.zscore(name, COMPLETE)


def _read_counts(board: str, answers: list[Any]) -> tuple[list[int], int]:
    *counts, total, complete = answers
    if complete is None:
        raise NotComplete(board)
    return counts, total - 1


def keys_at(challenge_id: int, board: str, positions: Sequence[int]) -> list[int]:
    """The keys at positions counted from 0. Raises as `page` does."""
    name = redis_keys.challenge_board(challenge_id, board)

    def look(redis: Redis) -> list[Any]:
        pipeline = redis.pipeline(transaction=False)
        for position in positions:
            pipeline.zrange(name, position, position, withscores=True)
        return pipeline.execute()

    found = [line[0][1] for line in ask(look) if line]
    if len(found) < len(positions) or math.inf in found:
        raise NotComplete(board)
    return [int(key) for key in found]


def _read(name: str, board: str, place: Callable[[Redis], tuple[int, int]]) -> Slice:
    def read(redis: Redis) -> Slice:
        first, count = place(redis)
        pipeline = redis.pipeline(transaction=False)
        pipeline.zrange(name, first, first + count - 1, withscores=True)
        pipeline.zcard(name)
        pipeline.zscore(name, COMPLETE)
        lines, total, complete = pipeline.execute()
        if complete is None:
            raise NotComplete(board)
        entries = [Entry(int(line), int(key)) for line, key in lines if key != math.inf]
        rank = 1
        if entries and first:
            rank += redis.zcount(name, "-inf", f"({entries[0].key}")
        return Slice(entries, first, rank, total - 1)

    return ask(read)


def _position_after(redis: Redis, name: str, after: Entry) -> int:
    """Where the lines behind ``after`` begin, whether it still stands there or not."""
    position: Any = redis.zrank(name, member(after.submission_id), withscore=True)
    if position is not None and int(position[1]) == after.key:
        return int(position[0]) + 1
    ties: Any = redis.zrange(name, after.key, after.key, byscore=True)
    earlier = sum(int(line) <= after.submission_id for line in ties)
    return int(redis.zcount(name, "-inf", f"({after.key}")) + earlier
