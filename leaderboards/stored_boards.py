"""The boards as PostgreSQL has them: what `boards` answers from Redis, answered without it, and slower."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import connection

from .boards import Entry, NotComplete, Slice


def page(challenge_id: int, board: str, *, after: Entry | None, limit: int) -> Slice:
    """The lines behind ``after``, or the first ones."""
    key, submission_id = (after.key, after.submission_id) if after else (-1, 0)
    rows = _rows(
        """
        SELECT submission_id, key FROM leaderboards_standing
        WHERE challenge_id = %s AND board = %s AND (key, submission_id) > (%s, %s) ORDER BY key, submission_id LIMIT %s
        """,
        [challenge_id, board, key, submission_id, limit],
    )
    return _slice(challenge_id, board, rows)


def around(challenge_id: int, board: str, *, submission_id: int, span: int) -> Slice:
    """Up to ``span`` lines before and after a submission, and its own. Raises `NotComplete` where it isn't there."""
    rows = _rows(
        """
        WITH own AS (
            SELECT key, submission_id FROM leaderboards_standing
            WHERE challenge_id = %(challenge)s AND board = %(board)s AND submission_id = %(submission)s
        )
        (
            SELECT s.submission_id, s.key FROM leaderboards_standing s, own
            WHERE challenge_id = %(challenge)s AND board = %(board)s
                AND (s.key, s.submission_id) < (own.key, own.submission_id)
            ORDER BY s.key DESC, s.submission_id DESC LIMIT %(span)s
        ) UNION ALL (
            SELECT s.submission_id, s.key FROM leaderboards_standing s, own
            WHERE challenge_id = %(challenge)s AND board = %(board)s
                AND (s.key, s.submission_id) >= (own.key, own.submission_id)
            ORDER BY s.key, s.submission_id LIMIT %(span)s + 1
        ) ORDER BY key, submission_id
        """,
        {"challenge": challenge_id, "board": board, "submission": submission_id, "span": span},
    )
    if not rows:
        raise NotComplete(board)
    return _slice(challenge_id, board, rows)


def ranks(challenge_id: int, keys: dict[str, int]) -> dict[str, tuple[int, int]]:
    """(rank, total) that a key has on each of the boards."""
    found = {}
    for board, key in keys.items():
        [better], total = counts_below(challenge_id, board, [key])
        found[board] = (better + 1, total)
    return found


def counts_below(challenge_id: int, board: str, keys: Sequence[int]) -> tuple[list[int], int]:
    """How many players are better than each of the keys, and how many there are."""
    columns = ", ".join(["count(*) FILTER (WHERE key < %s)"] * len(keys))
    [row] = _rows(
        f"SELECT {columns}, count(*) FROM leaderboards_standing WHERE challenge_id = %s AND board = %s",
        [*keys, challenge_id, board],
    )
    *counts, total = row
    return counts, total


def keys_at(challenge_id: int, board: str, positions: Sequence[int]) -> list[int]:
    """The keys at positions counted from 0."""
    keys: list[int] = []
    for position in positions:
        rows = _rows(
            """
            SELECT key FROM leaderboards_standing WHERE challenge_id = %s AND board = %s
            ORDER BY key, submission_id OFFSET %s LIMIT 1
            """,
            [challenge_id, board, position],
        )
        keys.extend(row[0] for row in rows)
    return keys


def _slice(challenge_id: int, board: str, rows: list[Any]) -> Slice:
    entries = [Entry(*row) for row in rows]
    first = entries[0] if entries else Entry(0, 0)
    [(before, better, total)] = _rows(
        """
        SELECT count(*) FILTER (WHERE (key, submission_id) < (%s, %s)), count(*) FILTER (WHERE key < %s), count(*)
        FROM leaderboards_standing WHERE challenge_id = %s AND board = %s
        """,
        [first.key, first.submission_id, first.key, challenge_id, board],
    )
    return Slice(entries, before, better + 1, total)


def _rows(statement: str, arguments: Any) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(statement, arguments)
        return list(cursor.fetchall())
