"""Replaying submitted logs: from a pending row to a verdict.

A pending row is the job. `verify_pending` takes rows up in batches, counts the try in a transaction of its own, then
replays and writes the verdicts in one more, in which whoever ranks takes part (`signals.verdicts_given`). A worker that
dies between the two leaves the rows pending, with the try counted. Such a suspect is taken up alone from then on: a log
that kills the process can hold up nobody else, and after `MAX_TRIES` it is marked failed for the admin.
"""

from __future__ import annotations

import datetime
import logging
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

from django.db import IntegrityError, OperationalError, connection, transaction
from psycopg.errors import DeadlockDetected
from psycopg.types.json import Jsonb

from games.announcements import VerdictNews, announce_verdicts
from games.engine import FIGURES, RULES_VERSION, Code, Deal, Verdict, verify
from games.engine.movelog import MAX_ACTIONS
from games.metrics import VERIFY_SECONDS, count_verdicts
from games.models.submission import MAX_REJECTED
from games.signals import Ruling, verdicts_given

BATCH_SIZE = 64
#: One in a batch, the others alone.
MAX_TRIES = 5
#: A claimed row is a suspect only after this long: before, its worker may just be about to lock it.
SUSPECT_AFTER = datetime.timedelta(seconds=2)

_DEADLOCK_RETRIES = 5
_NO_PAR = MAX_ACTIONS + 1

T = TypeVar("T")

logger = logging.getLogger(__name__)


def verify_pending(*, clock: Callable[[], datetime.datetime]) -> int:
    """Verify until no pending row is left that can be taken up; returns how many got a verdict.

    Safe to run in any number of processes at once.
    """
    total = 0
    while True:
        fresh = _claim_fresh(clock())
        suspects = _claim_suspect(clock())
        for claimed, is_fresh in ((fresh, True), (suspects, False)):
            if claimed:
                total += _judge_claimed(claimed, clock(), is_fresh)
        if len(fresh) < BATCH_SIZE and not suspects:
            return total


@dataclass(frozen=True, slots=True)
class _Row:
    """A pending submission with all that its replay and its ranking need."""

    id: int
    tries: int
    challenge_id: int
    player_id: int
    is_guest: bool
    attempt_number: int
    ranked: bool
    elapsed: int
    mode: str
    number: int
    par: int | None
    text: str


def _claim_fresh(now: datetime.datetime) -> list[int]:
    return _claim(
        f"""
        WITH batch AS MATERIALIZED (
            SELECT id AS number FROM games_submission WHERE state = 'pending' AND tries = 0
            ORDER BY id LIMIT {BATCH_SIZE} FOR UPDATE SKIP LOCKED
        )
        UPDATE games_submission SET tries = 1, claimed_at = %s FROM batch WHERE id = number RETURNING id
        """,
        [now],
    )


def _claim_suspect(now: datetime.datetime) -> list[int]:
    return _claim(
        """
        UPDATE games_submission SET tries = tries + 1, claimed_at = %s WHERE id = (
            SELECT id FROM games_submission WHERE state = 'pending' AND tries > 0 AND claimed_at < %s
            ORDER BY claimed_at LIMIT 1 FOR UPDATE SKIP LOCKED
        ) RETURNING id
        """,
        [now, now - SUSPECT_AFTER],
    )


def _claim(statement: str, arguments: list[Any]) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(statement, arguments)
        return [row[0] for row in cursor.fetchall()]


def _judge_claimed(ids: list[int], now: datetime.datetime, is_fresh: bool) -> int:
    def judge() -> int:
        with transaction.atomic():
            return _judge(ids, now, is_fresh)

    return again_on_deadlock(judge)


def again_on_deadlock(write: Callable[[], T]) -> T:
    """What a transaction returns, tried again a few times where PostgreSQL ends it because of a deadlock."""
    for retry in range(_DEADLOCK_RETRIES):
        try:
            return write()
        except OperationalError as error:
            if not isinstance(error.__cause__, DeadlockDetected) or retry == _DEADLOCK_RETRIES - 1:
                raise
    raise AssertionError("unreachable")


def _judge(ids: list[int], now: datetime.datetime, is_fresh: bool) -> int:
    judged: list[tuple[_Row, Verdict]] = []
    broken: list[tuple[_Row, str]] = []
    for row in _lock(ids, is_fresh):
        if row.tries > MAX_TRIES:
            broken.append((row, ""))
            continue
        try:
            deal = deal_of(row.mode, row.number)
            with VERIFY_SECONDS.time():
                verdict = verify(deal, row.text)
            judged.append((row, verdict))
        except Exception:
            logger.exception("the engine broke on submission %s, try %s of %s", row.id, row.tries, MAX_TRIES)
            broken.append((row, traceback.format_exc()))
    if judged:
        write_verdicts(verdicts=[(row.id, verdict) for row, verdict in judged], now=now, are_new=True)
        if rejected := [row.id for row, verdict in judged if not verdict.valid]:
            _reopen_attempts(rejected)
        _lower_pars(judged)
        verdicts_given.send(sender=None, rulings=[_ruling(row, verdict) for row, verdict in judged])
    if broken:
        _write_broken(broken)
    _announce(judged, [row for row, _ in broken if row.tries >= MAX_TRIES])
    return len(judged)


def _announce(judged: list[tuple[_Row, Verdict]], failed: list[_Row]) -> None:
    """Have the players told after the commit."""
    news = [_news(row, verdict) for row, verdict in judged] + [_news(row, None) for row in failed]
    if news:
        transaction.on_commit(lambda: announce_verdicts(news), robust=True)
        transaction.on_commit(lambda: count_verdicts(one.state for one in news), robust=True)


def _news(row: _Row, verdict: Verdict | None) -> VerdictNews:
    state = "failed" if verdict is None else "verified" if verdict.valid else "rejected"
    figures = (None,) * 3 if verdict is None else (verdict.won, verdict.ranked_score, verdict.moves)
    return VerdictNews(row.player_id, row.id, row.challenge_id, row.attempt_number, state, row.ranked, *figures)


def _lock(ids: list[int], is_fresh: bool) -> list[_Row]:
    """The claimed rows, unless somebody else has them or has finished them meanwhile.

    Nobody else judges fresh ones, but a claim that began before ours was committed may hold them for a moment.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            SELECT submission.id, tries, challenge_id, player_id, player.is_guest, attempt_number, ranked, elapsed,
                challenge.mode, challenge.number, challenge.par, log.text
            FROM games_submission submission
            JOIN games_challenge challenge ON challenge.id = challenge_id
            JOIN games_player player ON player.id = player_id
            JOIN games_submissionlog log ON log.submission_id = submission.id
            WHERE submission.id = ANY(%s) AND state = 'pending'
            ORDER BY submission.id FOR UPDATE OF submission {"" if is_fresh else "SKIP LOCKED"}
            """,
            [ids],
        )
        return [_Row(*row) for row in cursor.fetchall()]


_WRITE_VERDICTS = f"""
UPDATE games_submission SET state = verdict.state, verified_at = %s, rules_version = {RULES_VERSION}, traceback = '',
    rejection = verdict.rejection, {", ".join(f"{name} = verdict.{name}" for name in FIGURES)}
FROM unnest(%s::bigint[], %s::text[], %s::jsonb[], %s::boolean[]{", %s::integer[]" * (len(FIGURES) - 1)})
    AS verdict (id, state, rejection, {", ".join(FIGURES)})
WHERE games_submission.id = verdict.id
"""


# In the same statement: what was verified is to be looked at (`games.services.review`).
_WRITE_NEW_VERDICTS = f"""
WITH written AS ({_WRITE_VERDICTS} RETURNING games_submission.id, games_submission.state)
INSERT INTO games_reviewjob (submission_id) SELECT id FROM written WHERE state = 'verified' ON CONFLICT DO NOTHING
"""


def write_verdicts(*, verdicts: Sequence[tuple[int, Verdict]], now: datetime.datetime, are_new: bool) -> None:
    """Write the verdicts on submissions, (id, verdict), with the present rules version."""
    ids, found = [submission_id for submission_id, _ in verdicts], [verdict for _, verdict in verdicts]
    with connection.cursor() as cursor:
        cursor.execute(
            _WRITE_NEW_VERDICTS if are_new else _WRITE_VERDICTS,
            [
                now,
                ids,
                ["verified" if verdict.valid else "rejected" for verdict in found],
                [None if verdict.error is None else Jsonb(verdict.error.to_dict()) for verdict in found],
                *([getattr(verdict, name) for verdict in found] for name in FIGURES),
            ],
        )


def _lower_pars(judged: list[tuple[_Row, Verdict]]) -> None:
    """Par is the fewest moves of any known win, and a player's may be the one."""
    records: dict[int, int] = {}
    for row, verdict in judged:
        if verdict.valid and verdict.won and verdict.moves < (row.par or _NO_PAR):
            records[row.challenge_id] = min(verdict.moves, records.get(row.challenge_id, _NO_PAR))
    if not records:
        return
    with connection.cursor() as cursor:
        # Sorted rows, so that two workers lock them in the same order.
        cursor.execute(_LOWER_PARS, [sorted(records), [records[challenge_id] for challenge_id in sorted(records)]])


_LOWER_PARS = """
WITH record AS (SELECT * FROM unnest(%s::bigint[], %s::integer[]) AS record (id, moves)),
locked AS (SELECT id FROM games_challenge WHERE id IN (SELECT id FROM record) ORDER BY id FOR NO KEY UPDATE)
UPDATE games_challenge SET par = least(par, record.moves) FROM record, locked
WHERE games_challenge.id = record.id AND record.id = locked.id
"""


def _reopen_attempts(rejected: list[int]) -> None:
    """Let an attempt whose log was rejected go on, so that "start" doesn't burn it.

    Not if the player has begun another: it may just be beginning, and then the constraint says so. A corrected log of
    this attempt is taken either way.
    """
    with suppress(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_REOPEN_ATTEMPTS, [rejected])


_REOPEN_ATTEMPTS = f"""
UPDATE games_attempt SET ended_at = NULL WHERE id IN (
    SELECT DISTINCT ON (attempt.challenge_id, attempt.player_id) attempt.id
    FROM games_submission submission JOIN games_attempt attempt ON attempt.id = submission.attempt_id
    WHERE submission.id = ANY(%s) AND NOT EXISTS (
        SELECT FROM games_attempt other
        WHERE other.challenge_id = attempt.challenge_id AND other.player_id = attempt.player_id
            AND (other.ended_at IS NULL OR other.number > attempt.number)
    ) AND (SELECT count(*) FROM games_submission tried WHERE tried.attempt_id = attempt.id) < {MAX_REJECTED}
    ORDER BY attempt.challenge_id, attempt.player_id, attempt.number DESC
)
"""


def _write_broken(broken: list[tuple[_Row, str]]) -> None:
    """Keep the traceback for the admin; the row stays pending until its tries are used up."""
    with connection.cursor() as cursor:
        for row, trace in broken:
            cursor.execute(
                """
                UPDATE games_submission SET state = %s,
                    traceback = coalesce(nullif(%s, ''), nullif(traceback, ''), %s) WHERE id = %s
                """,
                [
                    "failed" if row.tries >= MAX_TRIES else "pending",
                    trace,
                    f"The worker died each of {row.tries - 1} times that it replayed this log.",
                    row.id,
                ],
            )


def _ruling(row: _Row, verdict: Verdict) -> Ruling:
    return Ruling(
        submission_id=row.id,
        challenge_id=row.challenge_id,
        player_id=row.player_id,
        is_guest=row.is_guest,
        attempt_number=row.attempt_number,
        ranked=row.ranked,
        verified=verdict.valid,
        won=verdict.won,
        ranked_score=verdict.ranked_score,
        moves=verdict.moves,
        elapsed=row.elapsed,
    )


@lru_cache(maxsize=512)
def deal_of(mode: str, number: int) -> Deal:
    """A deal, kept because many logs are of the same one."""
    return Deal.parse(Code(mode, number))
