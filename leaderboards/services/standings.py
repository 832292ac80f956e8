"""Telling Redis who stands where.

Redis is told row by row what PostgreSQL holds, under the lock of the row: two workers may push in any order, and the
later one pushes what is true by then. A row that Redis hasn't heard of keeps ``is_pushed`` false until it has; a row
that has lost its place stays until then as well, and goes.
"""

from __future__ import annotations

import datetime
import logging
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

from django.db import connection, transaction

from games.announcements import BoardNews, announce_boards
from games.models import Challenge
from games.redis_client import RedisAway
from leaderboards import boards, stored_boards
from leaderboards.addresses import (
    PERIOD_STANDINGS,
    STANDINGS,
    Address,
    BoardGroup,
    ChallengeBoard,
    PeriodBoard,
    Table,
    challenge_boards,
)
from leaderboards.boards import Change
from leaderboards.layouts import Entry
from leaderboards.models import Membership, Standing
from leaderboards.stored_boards import equal

#: Rows pushed in one transaction; boards with more unpushed ones are pushed in several, and made anew after so many.
PUSH_SIZE = 500
PUSHES = 20

# The name under which pushing and rebuilding boards exclude each other.
_BOARDS_LOCK = 0x51560001

logger = logging.getLogger(__name__)


def push_standings(*, challenge_ids: Iterable[int]) -> bool:
    """Tell Redis of the unpushed standings of these challenges; whether it has heard of all."""
    return push_groups([challenge_boards(challenge_id) for challenge_id in challenge_ids])


def push_groups(groups: Iterable[BoardGroup], *, revive: bool = True) -> bool:
    """Tell Redis of what it hasn't heard of these boards; whether it has heard of all.

    A board that isn't whole in Redis is rebuilt (``revive``) or stays away until somebody reads it.
    """
    try:
        for group in groups:
            if all(_push_some(group, revive) == PUSH_SIZE for _ in range(PUSHES)):
                _catch_up(group, revive)
    except RedisAway as error:
        logger.info("boards not pushed, they will be found again: %s", error)
        return False
    return True


def push_all_unpushed() -> None:
    """Tell Redis of all that it hasn't heard of: a worker died, Redis was away, or a period board has changed."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT DISTINCT challenge_id FROM leaderboards_standing WHERE NOT is_pushed LIMIT 1000")
        groups = [challenge_boards(row[0]) for row in cursor.fetchall()]
        cursor.execute(
            "SELECT DISTINCT mode, period, starts_on FROM leaderboards_periodstanding WHERE NOT is_pushed LIMIT 1000"
        )
        groups += [PeriodBoard(*row).group for row in cursor.fetchall()]
    push_groups(groups)


def _push_some(group: BoardGroup, revive: bool) -> int:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock_shared(%s, hashtext(%s))", [_BOARDS_LOCK, group.name])
        rows = _lock_unpushed(cursor, group)
        if not rows:
            return 0
        changes: dict[Address, list[Change]] = {}
        clubs: dict[Address, set[int]] = {}
        for row in rows:
            board = group.boards[row.part]
            changes.setdefault(board, []).append(row.change)
            clubs.setdefault(board, set()).update(row.clubs)
        broken = boards.push(changes)
        _mark_pushed(cursor, group, rows)
    _announce(clubs)
    for board in broken if revive else ():
        rebuild_board(board=board)
    return len(rows)


def _announce(changed: dict[Address, set[int]]) -> None:
    """Tell those who watch, once they would find the new lines. Sums of dailies change with the dailies' boards."""
    news = [
        BoardNews(board.challenge_id, board.board, *_daily(board.challenge_id), sorted(clubs))
        for board, clubs in changed.items()
        if isinstance(board, ChallengeBoard)
    ]
    if news:
        announce_boards(news)


@lru_cache(maxsize=1000)
def _daily(challenge_id: int) -> tuple[str, str | None]:
    """Mode and date of a challenge, which stay what they are; no date of an event."""
    mode, date = Challenge.objects.values_list("mode", "date").get(pk=challenge_id)
    return mode, None if date is None else date.isoformat()


def _catch_up(group: BoardGroup, revive: bool) -> None:
    """Tell Redis of far more rows than are worth pushing."""
    for board in group.boards.values():
        if revive or boards.is_whole(board):
            rebuild_board(board=board)
        else:
            with transaction.atomic(), connection.cursor() as cursor:
                _note_told(cursor, board)
    _announce({board: _clubs_on(board) for board in group.boards.values() if isinstance(board, ChallengeBoard)})


def _clubs_on(board: Address) -> set[int]:
    players = Standing.objects.filter(**board.columns).values("player")
    return set(Membership.objects.filter(player__in=players).values_list("club_id", flat=True))


class _Row(NamedTuple):
    """A row that Redis hasn't heard of: what becomes of the line, and in which clubs the player is."""

    player: int
    part: str
    change: Change
    clubs: list[int]


def _lock_unpushed(cursor: Any, group: BoardGroup) -> list[_Row]:
    """Some rows that Redis hasn't heard of."""
    table, (where, arguments) = group.table, equal(group.columns)
    # Sorted as whoever writes them sorts them, so that all lock them in the same order.
    cursor.execute(
        f"""
        SELECT player_id, {group.part}, {table.member}, key, {table.stands}, {_LEFT[table.name]},
            ARRAY(SELECT club_id FROM leaderboards_membership WHERE player_id = {table.name}.player_id)
        FROM {table.name} WHERE {where} AND NOT is_pushed
        ORDER BY {group.part}, player_id LIMIT %s FOR UPDATE
        """,
        [*arguments, PUSH_SIZE],
    )
    return [
        _Row(player, part, Change(_told(table, player, told), Entry(member, int(key)) if stands else None), clubs)
        for player, part, member, key, stands, told, clubs in cursor.fetchall()
    ]


# What Redis may have of a row, and shall not have any longer. A submission that a merge has given to another player
# stays where it is: that player's row, told before or after, stands for it.
_LEFT = {
    STANDINGS.name: f"""ARRAY(
        SELECT told FROM unnest(array_append(superseded, {STANDINGS.told})) told
        WHERE NOT EXISTS (
            SELECT FROM leaderboards_standing other
            WHERE other.submission_id = told AND other.board = leaderboards_standing.board
                AND other.player_id <> leaderboards_standing.player_id
        )
    )""",
    PERIOD_STANDINGS.name: f"array_append(superseded, {PERIOD_STANDINGS.told})",
}


def _told(table: Table, player: int, told: list[Any]) -> list[Entry]:
    """What Redis may have of a row: submissions on a challenge's board, keys of the player on a period's."""
    known = [int(value) for value in told if value is not None]
    return [Entry(value, 0) if table is STANDINGS else Entry(player, value) for value in known]


def _mark_pushed(cursor: Any, group: BoardGroup, rows: list[_Row]) -> None:
    """Note that Redis knows these rows, which are locked; those without a place have done their duty."""
    table, (where, arguments) = group.table, equal(group.columns)
    where += f" AND player_id = place.player AND {group.part} = place.part"
    places = "unnest(%s::bigint[], %s::text[]) AS place (player, part)"
    kept = [(row.player, row.part) for row in rows if row.change.new is not None]
    gone = [(row.player, row.part) for row in rows if row.change.new is None]
    if kept:
        statement = f"UPDATE {table.name} SET {table.tell} FROM {places} WHERE {where}"
        cursor.execute(statement, [*map(list, zip(*kept, strict=True)), *arguments])
    if gone:
        statement = f"DELETE FROM {table.name} USING {places} WHERE {where}"
        cursor.execute(statement, [*map(list, zip(*gone, strict=True)), *arguments])


def rebuild_board(*, board: Address) -> int:
    """Make a board in Redis anew from PostgreSQL; returns how many players stand on it. Raises `RedisAway`.

    Nothing is pushed meanwhile, and readers see the old board or the new one, never a part. What comes in meanwhile
    isn't on the new board; it is unpushed, so Redis hears of it next.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", [_BOARDS_LOCK, board.group.name])
        _note_told(cursor, board)
        return boards.replace(board, stored_boards.pushed_lines(board))


def _note_told(cursor: Any, board: Address) -> None:
    """Note of all rows of a board that Redis knows them; those without a place go."""
    table, (where, arguments) = board.table, equal(board.columns)
    cursor.execute(
        f"""
        WITH waiting AS MATERIALIZED (
            SELECT player_id AS player, {table.stands} AS stands FROM {table.name}
            WHERE {where} AND NOT is_pushed ORDER BY player_id FOR UPDATE
        ), gone AS (
            DELETE FROM {table.name} USING waiting WHERE {where} AND player_id = waiting.player AND NOT waiting.stands
        )
        UPDATE {table.name} SET {table.tell} FROM waiting
        WHERE {where} AND player_id = waiting.player AND waiting.stands
        """,
        arguments * 3,
    )


def period_boards() -> list[PeriodBoard]:
    """All period boards on which somebody stands."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT DISTINCT mode, period, starts_on FROM leaderboards_periodstanding ORDER BY 1, 2, 3")
        rows: list[tuple[str, str, datetime.date]] = cursor.fetchall()
    return [PeriodBoard(*row) for row in rows]
