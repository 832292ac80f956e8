"""Replaying stored logs again: after a rule was corrected, verdicts and boards follow, on closed days too.

A run (`Reverification`) replays the verified and rejected submissions of a range in chunks, in the order of their
numbers. A chunk is replayed first and written then, in one transaction with all that hangs on its verdicts: pars here,
and whoever ranks hears of it (`signals.players_counted_anew`). Replaying a chunk again changes nothing, so that a run
may be killed, resumed and repeated, beside workers and beside other runs.
"""

from __future__ import annotations

import datetime
import json
import multiprocessing
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.db import IntegrityError, connection, transaction
from django.db.models import F, Max, QuerySet

from games.engine import FIGURES, RULES_VERSION, Deal, Verdict, verify, winning_moves
from games.models import Challenge, Reverification, Submission
from games.signals import players_counted_anew

from . import reverification_pool
from .verification import again_on_deadlock, deal_of, write_verdicts

CHUNK = 256
#: Chunks that each process has before it.
_AHEAD = 2

_JUDGED = (Submission.State.VERIFIED, Submission.State.REJECTED)
#: The figures that place a submission.
_PLACING = ("won", "ranked_score", "moves")


@dataclass(slots=True)
class Outcome:
    """What replaying some submissions came to.

    ``changes`` says in words what verdict changed to what; ``broken`` are submissions on which the engine broke, with
    the error: their verdict stays. ``left`` are rejected ones that would be valid now, but another log of their attempt
    stands.
    """

    upto_id: int = 0
    replayed: int = 0
    written: int = 0
    changes: list[str] = field(default_factory=list)
    broken: list[tuple[int, str]] = field(default_factory=list)
    left: list[int] = field(default_factory=list)


def begin_run(
    *,
    challenge_id: int | None = None,
    since: datetime.datetime | None = None,
    until: datetime.datetime | None = None,
    rules_below: int | None = None,
    now: datetime.datetime,
) -> Reverification:
    """A new run over the submissions of a challenge, received in [since, until), judged by rules older than that."""
    last_id = Submission.objects.aggregate(last=Max("id"))["last"] or 0
    return Reverification.objects.create(
        challenge_id=challenge_id, since=since, until=until, rules_below=rules_below, started_at=now, last_id=last_id
    )


def find_unfinished() -> Reverification | None:
    """The latest run that hasn't come to its end."""
    return Reverification.objects.filter(ended_at=None).order_by("-id").first()


def count_remaining(run: Reverification) -> int:
    """How many submissions a run has before it."""
    return _remaining(run, run.upto_id).count()


def go_on(run: Reverification, *, processes: int = 1, clock: Callable[[], datetime.datetime]) -> Iterator[Outcome]:
    """Replay what a run has before it, chunk by chunk; what has been yielded is noted and isn't replayed again."""
    for outcome in _in_order(run, processes, clock):
        Reverification.objects.filter(pk=run.pk).update(
            upto_id=outcome.upto_id,
            replayed=F("replayed") + outcome.replayed,
            changed=F("changed") + len(outcome.changes),
            broken=[*run.broken, *outcome.broken],
            left=[*run.left, *outcome.left],
        )
        run.refresh_from_db()
        yield outcome
    Reverification.objects.filter(pk=run.pk).update(ended_at=clock())
    run.refresh_from_db()


def _remaining(run: Reverification, after: int) -> QuerySet[Submission]:
    found = Submission.objects.filter(id__gt=after, id__lte=run.last_id, state__in=_JUDGED)
    if run.challenge_id is not None:
        found = found.filter(challenge_id=run.challenge_id)
    if run.since is not None:
        found = found.filter(received_at__gte=run.since)
    if run.until is not None:
        found = found.filter(received_at__lt=run.until)
    if run.rules_below is not None:
        found = found.filter(rules_version__lt=run.rules_below)
    return found


def _chunks(run: Reverification) -> Iterator[list[int]]:
    after = run.upto_id
    while ids := list(_remaining(run, after).order_by("id").values_list("id", flat=True)[:CHUNK]):
        yield ids
        after = ids[-1]


def _in_order(run: Reverification, processes: int, clock: Callable[[], datetime.datetime]) -> Iterator[Outcome]:
    if processes == 1:
        for ids in _chunks(run):
            yield reverify_chunk(submission_ids=ids, now=clock())
        return
    pool = ProcessPoolExecutor(
        processes,
        # A forked process would share its parent's connections.
        mp_context=multiprocessing.get_context("spawn"),
        initializer=reverification_pool.begin,
        initargs=(str(connection.settings_dict["NAME"]),),
    )
    asked: deque[Future[Outcome]] = deque()
    try:
        for ids in _chunks(run):
            asked.append(pool.submit(reverification_pool.reverify, ids, clock()))
            if len(asked) >= _AHEAD * processes:
                yield asked.popleft().result()
        while asked:
            yield asked.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


class _Row(NamedTuple):
    """A judged submission, its stored verdict, and what its replay needs."""

    id: int
    player_id: int
    player: str
    challenge_id: int
    mode: str
    number: int
    challenge: str
    text: str
    state: str
    rules_version: int
    rejection: Any
    figures: dict[str, Any]


def reverify_chunk(*, submission_ids: list[int], now: datetime.datetime) -> Outcome:
    """Replay some submissions, and put right what hangs on their verdicts. Safe to repeat."""
    outcome = Outcome(upto_id=max(submission_ids), replayed=len(submission_ids))
    stale: list[tuple[_Row, Verdict]] = []
    for row in _read(submission_ids):
        try:
            verdict = verify(deal_of(row.mode, row.number), row.text)
        except Exception as error:
            outcome.broken.append((row.id, f"{type(error).__name__}: {error}"))
            continue
        if row.rules_version != RULES_VERSION or _is_changed(row, verdict):
            stale.append((row, verdict))
    if stale:
        written = again_on_deadlock(lambda: _write(stale, now))
        outcome.written = len(written)
        outcome.changes = [_in_words(row, verdict) for row, verdict in written if _is_changed(row, verdict)]
        outcome.left = sorted({row.id for row, _ in stale} - {row.id for row, _ in written})
    return outcome


def _read(submission_ids: list[int]) -> list[_Row]:
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            SELECT submission.id, player_id, player.name, challenge_id, challenge.mode, challenge.number,
                coalesce(challenge.date::text, challenge.title), log.text, state, rules_version, rejection,
                {", ".join(f"submission.{name}" for name in FIGURES)}
            FROM games_submission submission
            JOIN games_challenge challenge ON challenge.id = challenge_id
            JOIN games_player player ON player.id = player_id
            JOIN games_submissionlog log ON log.submission_id = submission.id
            WHERE submission.id = ANY(%s) AND state IN ('verified', 'rejected') ORDER BY submission.id
            """,
            [submission_ids],
        )
        return [_row(*values) for values in cursor.fetchall()]


def _row(*values: Any) -> _Row:
    plain = len(_Row._fields) - 2
    rejection, *figures = values[plain:]
    # The statement is raw, so JSON arrives as it is stored.
    verdict = None if rejection is None else json.loads(rejection), dict(zip(FIGURES, figures, strict=True))
    return _Row._make((*values[:plain], *verdict))


def _state(verdict: Verdict) -> str:
    return Submission.State.VERIFIED if verdict.valid else Submission.State.REJECTED


def _is_changed(row: _Row, verdict: Verdict) -> bool:
    return (
        row.state != _state(verdict)
        or row.rejection != (None if verdict.error is None else verdict.error.to_dict())
        or any(row.figures[name] != getattr(verdict, name) for name in FIGURES)
    )


def _is_placed_otherwise(row: _Row, verdict: Verdict) -> bool:
    return row.state != _state(verdict) or any(row.figures[name] != getattr(verdict, name) for name in _PLACING)


def _write(stale: list[tuple[_Row, Verdict]], now: datetime.datetime) -> list[tuple[_Row, Verdict]]:
    """Write the verdicts and what follows from them; returns those that could be written."""
    standing_up = [(row, verdict) for row, verdict in stale if row.state == "rejected" and verdict.valid]
    written = [entry for entry in stale if entry not in standing_up]
    with transaction.atomic():
        write_verdicts(verdicts=[(row.id, verdict) for row, verdict in written], now=now, are_new=False)
        for row, verdict in standing_up:
            # One log of an attempt stands: a corrected one may do so already.
            try:
                with transaction.atomic():
                    write_verdicts(verdicts=[(row.id, verdict)], now=now, are_new=False)
            except IntegrityError:
                continue
            written.append((row, verdict))
        moved = [(row, verdict) for row, verdict in written if _is_placed_otherwise(row, verdict)]
        _correct_pars({row.challenge_id for row, verdict in moved if row.figures["won"] or verdict.won})
        if moved:
            players_counted_anew.send(sender=None, player_ids=sorted({row.player_id for row, _ in moved}))
    return written


def _correct_pars(challenge_ids: set[int]) -> None:
    """Make par the fewest moves of any known win again, which may be more than before."""
    for challenge in Challenge.objects.filter(pk__in=challenge_ids).order_by("id").select_for_update(no_key=True):
        proof = challenge.winning_log
        known = None if proof is None else winning_moves(Deal.parse(challenge.code), proof)
        with connection.cursor() as cursor:
            cursor.execute(
                """
                UPDATE games_challenge SET par = least(%s::integer, (
                    SELECT min(moves) FROM games_submission
                    WHERE challenge_id = games_challenge.id AND state = 'verified' AND won
                )) WHERE id = %s
                """,
                [known, challenge.pk],
            )


def _in_words(row: _Row, verdict: Verdict) -> str:
    before = _verdict_in_words(row.state, row.figures, row.rejection)
    error = None if verdict.error is None else verdict.error.to_dict()
    after = _verdict_in_words(_state(verdict), {name: getattr(verdict, name) for name in FIGURES}, error)
    return f"submission {row.id} of {row.player} ({row.mode} {row.challenge}): {before} -> {after}"


def _verdict_in_words(state: str, figures: dict[str, Any], rejection: Any) -> str:
    if state == Submission.State.REJECTED:
        return f"rejected at action {(rejection or {}).get('index')} ({(rejection or {}).get('reason')})"
    return f"{'won' if figures['won'] else 'not won'}, {figures['ranked_score']} in {figures['moves']} moves"
