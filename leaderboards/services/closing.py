"""Final ranks: what a daily came to once it is over. Medals and percentiles are read from them."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from django.conf import settings
from django.db import connection, transaction

from leaderboards.counting import COUNTING_LOCK
from leaderboards.models import ClosedDaily


def close_dailies(*, now: datetime.datetime) -> list[int]:
    """Rank the dailies finally that are over and have no verdict to come; returns those that are new. Safe to repeat.

    A log that the engine broke on doesn't hold a daily up: should it get its verdict later, the daily is ranked anew.
    """
    return [challenge_id for challenge_id in _to_close(now) if _close(challenge_id, now)]


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
    with transaction.atomic(), connection.cursor() as cursor:
        # Alone: whoever changes the board after this finds it closed, and ranks it anew.
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [COUNTING_LOCK])
        if not _to_close(now, challenge_id):
            return False
        cursor.execute("INSERT INTO leaderboards_closeddaily (challenge_id, players) VALUES (%s, 0)", [challenge_id])
        rank_finally(challenge_ids=[challenge_id])
        return True


def recount_final_ranks() -> int:
    """Make all final ranks what the boards say; returns how many changed."""
    changed = 0
    for challenge_id in ClosedDaily.objects.order_by("challenge_id").values_list("challenge_id", flat=True):
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [COUNTING_LOCK])
            changed += rank_finally(challenge_ids=[challenge_id])
    return changed


def rank_finally(*, challenge_ids: Sequence[int]) -> int:
    """Make the final ranks of those of the challenges that are closed what their boards say; returns how many changed.

    Call it under the lock on counting.
    """
    if not challenge_ids:
        return 0
    with connection.cursor() as cursor:
        # Locked one after the other: whoever ranks second sees what the first one ranked for.
        cursor.execute(
            """
            SELECT challenge_id FROM leaderboards_closeddaily WHERE challenge_id = ANY(%s)
            ORDER BY challenge_id FOR UPDATE
            """,
            [list(challenge_ids)],
        )
        closed = [row[0] for row in cursor.fetchall()]
        if not closed:
            return 0
        cursor.execute(_RANK, {"closed": closed})
        [(changed,)] = cursor.fetchall()
    return int(changed)


_RANK = """
WITH ranked AS (
    SELECT player_id, challenge_id, rank() OVER (PARTITION BY challenge_id ORDER BY key) AS rank
    FROM leaderboards_standing WHERE challenge_id = ANY(%(closed)s) AND board = 'best' AND key IS NOT NULL
), gone AS (
    DELETE FROM leaderboards_finalrank WHERE challenge_id = ANY(%(closed)s)
        AND NOT EXISTS (
            SELECT FROM ranked WHERE (ranked.player_id, ranked.challenge_id)
                = (leaderboards_finalrank.player_id, leaderboards_finalrank.challenge_id)
        )
    RETURNING 1
), counted AS (
    UPDATE leaderboards_closeddaily SET players = counts.players
    FROM unnest(%(closed)s::bigint[]) AS closed (challenge_id) CROSS JOIN LATERAL (
        SELECT count(*) AS players FROM ranked WHERE ranked.challenge_id = closed.challenge_id
    ) counts
    WHERE leaderboards_closeddaily.challenge_id = closed.challenge_id
        AND leaderboards_closeddaily.players <> counts.players
    RETURNING 1
), placed AS (
    INSERT INTO leaderboards_finalrank AS final (player_id, challenge_id, rank)
    SELECT player_id, challenge_id, rank FROM ranked
    ON CONFLICT (player_id, challenge_id) DO UPDATE SET rank = excluded.rank WHERE final.rank <> excluded.rank
    RETURNING 1
)
SELECT (SELECT count(*) FROM gone) + (SELECT count(*) FROM counted) + (SELECT count(*) FROM placed)
"""
