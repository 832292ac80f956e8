"""The boards as PostgreSQL has them: what `boards` answers from Redis, answered without it, and slower.

A board of a club is only here: it is the part of the board on which the club's members stand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.db import connection

from .addresses import Address
from .boards import Slice, Spread
from .layouts import Entry

_CHUNK = 5000


def page(board: Address, *, after: Entry | None, limit: int, own: Entry | None = None) -> Slice:
    """The lines behind ``after``, or the first ones."""
    table, (where, arguments) = board.table, _lines_of(board)
    if after is not None:
        where += f" AND (key, {table.member}) > (%s, %s)"
        arguments += [after.key, after.id]
    return _slice(
        board,
        _entries(
            f"SELECT {table.member}, key FROM {table.name} WHERE {where} ORDER BY key, {table.member} LIMIT %s",
            [*arguments, limit],
        ),
        own,
    )


def page_before(board: Address, before: Entry, *, limit: int, own: Entry | None = None) -> Slice:
    """The lines before an entry; the first ones where they are fewer than ``limit``."""
    table, (where, arguments) = board.table, _lines_of(board)
    entries = _entries(
        f"""
        SELECT {table.member}, key FROM {table.name} WHERE {where} AND (key, {table.member}) < (%s, %s)
        ORDER BY key DESC, {table.member} DESC LIMIT %s
        """,
        [*arguments, before.key, before.id, limit],
    )
    return _slice(board, entries[::-1], own) if len(entries) == limit else page(board, after=None, limit=limit, own=own)


def around(board: Address, *, own: Entry, span: int) -> Slice:
    """Up to ``span`` lines before and after an entry, and itself."""
    table, (where, arguments) = board.table, _lines_of(board)
    entries = _entries(
        f"""
        (
            SELECT {table.member}, key FROM {table.name} WHERE {where} AND (key, {table.member}) < (%s, %s)
            ORDER BY key DESC, {table.member} DESC LIMIT %s
        ) UNION ALL (
            SELECT {table.member}, key FROM {table.name} WHERE {where} AND (key, {table.member}) >= (%s, %s)
            ORDER BY key, {table.member} LIMIT %s
        ) ORDER BY key, {table.member}
        """,
        [*arguments, own.key, own.id, span, *arguments, own.key, own.id, span + 1],
    )
    return _slice(board, entries, own)


def ranks(keys: Sequence[tuple[Address, int]]) -> list[tuple[int, int]]:
    """(rank, total) that a key has on a board, for each of the pairs."""
    counted = [counts_below(board, [key]) for board, key in keys]
    return [(better + 1, total) for [better], total in counted]


def counts_below(board: Address, keys: Sequence[int]) -> tuple[list[int], int]:
    """How many players are better than each of the keys, and how many there are."""
    columns = ", ".join(["count(*) FILTER (WHERE key < %s)"] * len(keys))
    where, arguments = _lines_of(board)
    [row] = _rows(f"SELECT {columns}, count(*) FROM {board.table.name} WHERE {where}", [*keys, *arguments])
    *counts, total = row
    return counts, total


def version(board: Address) -> None:
    """Nothing tells here whether a board has changed."""


def spread(board: Address, *, keys: Sequence[int], shares: Sequence[float]) -> Spread:
    """How many players are better than each of the keys, and the keys at the shares."""
    below, total = counts_below(board, keys)
    return Spread(
        below, total, _keys_at(board, [min(total - 1, int(share * total)) for share in shares if total]), None
    )


def _keys_at(board: Address, positions: Sequence[int]) -> list[int]:
    table, (where, arguments) = board.table, _lines_of(board)
    order = f"ORDER BY key, {table.member}"
    statement = f"SELECT {table.member}, key FROM {table.name} WHERE {where} {order} OFFSET %s LIMIT 1"
    return [entry.key for position in positions for entry in _entries(statement, [*arguments, position])]


def pushed_lines(board: Address) -> Iterator[list[Entry]]:
    """The board in chunks, in no order, without the lines that Redis will hear of anyway."""
    where, arguments = _lines_of(board)
    statement = f"SELECT {board.table.member}, key FROM {board.table.name} WHERE {where} AND is_pushed"
    with connection.cursor() as cursor:
        cursor.execute(statement, arguments)
        while rows := cursor.fetchmany(_CHUNK):
            yield [Entry(member, int(key)) for member, key in rows]


def equal(columns: dict[str, Any]) -> tuple[str, list[Any]]:
    """A condition that these columns have these values, and its arguments."""
    return " AND ".join(f"{name} = %s" for name in columns), list(columns.values())


def _lines_of(board: Address) -> tuple[str, list[Any]]:
    """A condition for the rows that are lines of the board, and its arguments."""
    where, arguments = equal(board.columns)
    where += f" AND {board.table.stands}"
    if board.club_id is not None:
        where += " AND player_id IN (SELECT player_id FROM leaderboards_membership WHERE club_id = %s)"
        arguments.append(board.club_id)
    return where, arguments


def _slice(board: Address, entries: Sequence[Entry], own: Entry | None) -> Slice:
    first = entries[0] if entries else Entry(0, 0)
    where, arguments = _lines_of(board)
    [(before, better, better_than_own, total)] = _rows(
        f"""
        SELECT count(*) FILTER (WHERE (key, {board.table.member}) < (%s, %s)), count(*) FILTER (WHERE key < %s),
            count(*) FILTER (WHERE key < %s), count(*)
        FROM {board.table.name} WHERE {where}
        """,
        [first.key, first.id, first.key, own.key if own else 0, *arguments],
    )
    return Slice(tuple(entries), before, better + 1, total, better_than_own + 1 if own else None)


def _entries(statement: str, arguments: list[Any]) -> list[Entry]:
    # A period board's key is numeric: a Decimal here.
    return [Entry(member, int(key)) for member, key in _rows(statement, arguments)]


def _rows(statement: str, arguments: list[Any]) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(statement, arguments)
        return list(cursor.fetchall())
