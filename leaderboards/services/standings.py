"""Who stands where: rows in PostgreSQL, and telling Redis of them.

Redis is told row by row what PostgreSQL holds, under the lock of the row: two workers may push in any order, and the
later one pushes what is true by then. A row that Redis hasn't heard of keeps ``is_pushed`` false until it has.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence

from django.db import connection, transaction

from games.redis_client import RedisAway
from games.signals import Ruling
from leaderboards import boards
from leaderboards.models.standing import Board
from leaderboards.ranking import Result, pack

#: Rows pushed in one transaction; a board with more unpushed ones is pushed in several.
PUSH_SIZE = 500

# The name under which pushing and rebuilding a challenge's boards exclude each other.
_BOARDS_LOCK = 0x51560001

logger = logging.getLogger(__name__)

_Place = tuple[int, str, int]


def record_standings(*, rulings: Sequence[Ruling]) -> list[int]:
    """Let verified submissions take their places where they are better; returns the challenges concerned.

    Call it inside the transaction that writes the verdicts.
    """
    rows = sorted((*place, submission_id, key) for place, (key, submission_id) in _best_of(rulings).items())
    if not rows:
        return []
    with connection.cursor() as cursor:
        cursor.execute(_RECORD, [list(column) for column in zip(*rows, strict=True)])
    return sorted({row[0] for row in rows})


# Sorted rows, so that two workers lock them in the same order.
_RECORD = """
INSERT INTO leaderboards_standing (challenge_id, board, player_id, submission_id, key)
SELECT * FROM unnest(%s::bigint[], %s::text[], %s::bigint[], %s::bigint[], %s::bigint[])
ON CONFLICT (challenge_id, board, player_id) DO UPDATE
SET submission_id = excluded.submission_id, key = excluded.key, is_pushed = false
WHERE (excluded.key, excluded.submission_id) < (leaderboards_standing.key, leaderboards_standing.submission_id)
"""


def _best_of(rulings: Iterable[Ruling]) -> dict[_Place, tuple[int, int]]:
    """The best (key, submission) for each place that the rulings compete for."""
    best: dict[_Place, tuple[int, int]] = {}
    for ruling in rulings:
        if not (ruling.verified and ruling.ranked):
            continue
        key = pack(Result(ruling.won, ruling.ranked_score, ruling.moves, ruling.elapsed))
        for board in _boards_of(ruling):
            place = (ruling.challenge_id, board, ruling.player_id)
            best[place] = min(best.get(place, (key, ruling.submission_id)), (key, ruling.submission_id))
    return best


def _boards_of(ruling: Ruling) -> tuple[str, ...]:
    """`best` takes any attempt; `first` only the first, and no guests: anybody can be a new guest."""
    if ruling.attempt_number == 1 and not ruling.is_guest:
        return (Board.BEST.value, Board.FIRST.value)
    return (Board.BEST.value,)


def push_standings(*, challenge_ids: Iterable[int]) -> bool:
    """Tell Redis of the unpushed standings of these challenges; whether it has heard of all.

    A board that isn't whole in Redis is rebuilt.
    """
    try:
        for challenge_id in challenge_ids:
            while _push_some(challenge_id) == PUSH_SIZE:
                pass
    except RedisAway as error:
        logger.info("boards not pushed, they will be found again: %s", error)
        return False
    return True


def push_all_unpushed() -> None:
    """Tell Redis of all standings that it hasn't heard of: a worker died, or Redis was away."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT DISTINCT challenge_id FROM leaderboards_standing WHERE NOT is_pushed LIMIT 1000")
        challenge_ids = [row[0] for row in cursor.fetchall()]
    if challenge_ids:
        push_standings(challenge_ids=challenge_ids)


def _push_some(challenge_id: int) -> int:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock_shared(%s, %s)", [_BOARDS_LOCK, challenge_id])
        cursor.execute(
            """
            SELECT id, board, submission_id, key, pushed_submission_id FROM leaderboards_standing
            WHERE challenge_id = %s AND NOT is_pushed ORDER BY id LIMIT %s FOR UPDATE
            """,
            [challenge_id, PUSH_SIZE],
        )
        rows = cursor.fetchall()
        if not rows:
            return 0
        broken = boards.push(challenge_id, [row[1:] for row in rows])
        cursor.execute(
            """
            UPDATE leaderboards_standing SET is_pushed = true, pushed_submission_id = submission_id WHERE id = ANY(%s)
            """,
            [[row[0] for row in rows]],
        )
    for board in broken:
        rebuild_board(challenge_id=challenge_id, board=board)
    return len(rows)


def rebuild_board(*, challenge_id: int, board: str) -> int:
    """Make a board in Redis anew from PostgreSQL; returns how many players stand on it. Raises `RedisAway`.

    Nothing is pushed meanwhile, and readers see the old board or the new one, never a part.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [_BOARDS_LOCK, challenge_id])
        cursor.execute(
            "SELECT submission_id, key FROM leaderboards_standing WHERE challenge_id = %s AND board = %s",
            [challenge_id, board],
        )
        return boards.replace(challenge_id, board, iter(lambda: cursor.fetchmany(5000), []))
