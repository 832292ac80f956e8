"""Final ranks: what a daily came to once it is over. Medals and percentiles are read from them."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from django.conf import settings
from django.db import connection, transaction

from leaderboards.counting import COUNTING_LOCK
from leaderboards.models import ClosedDaily

#: Closed dailies of so many players are ranked anew right after a change; bigger ones within minutes.
AT_ONCE = 20_000


def close_dailies(*, now: datetime.datetime) -> list[int]:
    """Rank the dailies finally that are over and have no verdict to come; returns those that are new. Safe to repeat.

    A log that the engine broke on doesn't hold a daily up: should it get its verdict later, the daily is ranked anew.
    Ranks those anew as well whose boards have changed since.
    """
    closed = [challenge_id for challenge_id in _to_close(now) if _close(challenge_id, now)]
    for challenge_id in (
        ClosedDaily.objects.filter(is_current=False).order_by("challenge_id").values_list("pk", flat=True)
    ):
        rank_finally(challenge_id=challenge_id)
    return closed


def _to_close(now: datetime.datetime, challenge_id: int | None = None) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(_TO_CLOSE, {"over": now - settings.QV_GRACE, "only": challenge_id})
        return [row[0] for row in cursor.fetchall()]


_TO_CLOSE = """
SELECT id FROM games_challenge challenge
WHERE date IS NOT NULL AND cancelled_at IS NULL AND closes_at <= %(over)s
    AND (%(only)s::bigint IS NULL OR id = %(only)s)
    AND NOT EXISTS (SELECT FROM leaderboards_closeddaily WHERE challenge_id = challenge.id)
    AND NOT EXISTS (
        SELECT FROM games_submission submission
        WHERE submission.challenge_id = challenge.id AND submission.state = 'pending' AND submission.ranked
    )
ORDER BY date, id
"""


def _close(challenge_id: int, now: datetime.datetime) -> bool:
    """Mark a daily as closed, to be ranked; whether it is new."""
    with transaction.atomic(), connection.cursor() as cursor:
        # Alone: whoever changes the board after this finds it closed, and has it ranked anew.
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [COUNTING_LOCK])
        if not _to_close(now, challenge_id):
            return False
        ClosedDaily.objects.create(challenge_id=challenge_id, players=0)
        return True


def note_changed(*, challenge_ids: Sequence[int]) -> None:
    """Have the closed ones of these challenges ranked anew, right after the commit; big ones by the next task.

    Call it in the transaction that changes their boards.
    """
    if not challenge_ids:
        return
    with connection.cursor() as cursor:
        cursor.execute(_NOTE_CHANGED, [list(challenge_ids)])
        closed = cursor.fetchall()
    at_once = [challenge_id for challenge_id, players in closed if players <= AT_ONCE]
    transaction.on_commit(lambda: [rank_finally(challenge_id=pk) for pk in at_once], robust=True)


_NOTE_CHANGED = """
WITH closed AS (
    SELECT challenge_id FROM leaderboards_closeddaily WHERE challenge_id = ANY(%s) ORDER BY challenge_id FOR UPDATE
)
UPDATE leaderboards_closeddaily SET is_current = false
WHERE challenge_id IN (SELECT challenge_id FROM closed) RETURNING challenge_id, players
"""


def recount_final_ranks() -> int:
    """Make all final ranks what the boards say; returns how many changed."""
    closed = ClosedDaily.objects.order_by("challenge_id").values_list("pk", flat=True)
    return sum(rank_finally(challenge_id=challenge_id) for challenge_id in closed)


def rank_finally(*, challenge_id: int) -> int:
    """Make the final ranks of a closed daily what its board says; returns how many changed."""
    with transaction.atomic(), connection.cursor() as cursor:
        # Whoever changes the board meanwhile waits here to note that, so its change is ranked next.
        cursor.execute("UPDATE leaderboards_closeddaily SET is_current = true WHERE challenge_id = %s", [challenge_id])
        if not cursor.rowcount:
            return 0
        cursor.execute(_RANK, {"challenge": challenge_id})
        [(changed,)] = cursor.fetchall()
    return int(changed)


_RANK = """
WITH ranked AS (
    SELECT player_id, challenge_id, rank() OVER (ORDER BY key) AS rank
    FROM leaderboards_standing WHERE challenge_id = %(challenge)s AND board = 'best' AND key IS NOT NULL
), gone AS (
    DELETE FROM leaderboards_finalrank WHERE challenge_id = %(challenge)s
        AND NOT EXISTS (SELECT FROM ranked WHERE ranked.player_id = leaderboards_finalrank.player_id)
    RETURNING 1
), counted AS (
    UPDATE leaderboards_closeddaily SET players = (SELECT count(*) FROM ranked)
    WHERE challenge_id = %(challenge)s AND players <> (SELECT count(*) FROM ranked)
    RETURNING 1
), placed AS (
    INSERT INTO leaderboards_finalrank AS final (player_id, challenge_id, rank)
    SELECT player_id, challenge_id, rank FROM ranked
    ON CONFLICT (player_id, challenge_id) DO UPDATE SET rank = excluded.rank WHERE final.rank <> excluded.rank
    RETURNING 1
)
SELECT (SELECT count(*) FROM gone) + (SELECT count(*) FROM counted) + (SELECT count(*) FROM placed)
"""
