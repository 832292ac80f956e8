"""Whatever is killed, frozen or emptied: nothing is lost and nothing doubled. Real services, real processes."""

from __future__ import annotations

import datetime
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from games import redis_client
from games.models import Challenge, Submission
from games.services import verification
from games.services.verification import verify_pending
from leaderboards import boards, stored_boards
from leaderboards.addresses import ChallengeBoard
from leaderboards.layouts import BY_SCORE, Entry
from leaderboards.models import Standing
from leaderboards.services.standings import push_all_unpushed
from tests.conftest import WORKER, Api, Process, ask_redis, wait_for
from tests.services import POSTGRES, REDIS

from .poisoned_worker import POISON

pytestmark = pytest.mark.django_db(transaction=True)


def submit(new_guest: Callable[[], Api], challenge: Challenge, logs: list[str]) -> list[int]:
    ids = []
    for log in logs:
        player = new_guest()
        answer = player.submit(player.start(challenge), log)
        assert answer.status_code == 202
        ids.append(answer.data["id"])
    return ids


def all_verified(count: int) -> Callable[[], bool]:
    def check() -> bool:
        states = list(Submission.objects.values_list("state", flat=True))
        return len(states) == count and set(states) == {"verified"}

    return check


def redis_board(challenge: Challenge) -> boards.Slice | None:
    try:
        return boards.page(ChallengeBoard(challenge.pk, "best"), after=None, limit=1000)
    except (boards.NotComplete, redis_client.RedisAway):
        return None


def stored_board(challenge: Challenge) -> boards.Slice:
    return stored_boards.page(ChallengeBoard(challenge.pk, "best"), after=None, limit=1000)


def board_is_whole(challenge: Challenge) -> Callable[[], bool]:
    def check() -> bool:
        push_all_unpushed()
        # Who reads a board that a busy Redis didn't take has it made.
        Api(None).get(f"leaderboards/challenges/{challenge.pk}/")
        return redis_board(challenge) == stored_board(challenge)

    return check


@pytest.fixture
def frozen_redis() -> Iterator[Callable[[int], None]]:
    """Sends Redis a signal; thawed at the end."""
    process = REDIS.process
    assert process is not None
    yield process.send_signal
    process.send_signal(signal.SIGCONT)


def test_a_worker_killed_in_mid_batch_loses_and_doubles_nothing(
    new_guest: Callable[[], Api], daily: Challenge, won_log: str
) -> None:
    logs = [won_log] * 100 + [f"{'d ' * n}" for n in range(60)]
    submit(new_guest, daily, logs)
    for _ in range(3):
        worker = Process(WORKER)
        worker.start()
        wait_for(lambda: Submission.objects.filter(tries__gt=0).exists() or None, what="a claim")
        worker.kill()
    worker = Process(WORKER)
    worker.start()
    try:
        wait_for(all_verified(len(logs)), what="all verdicts")
        wait_for(board_is_whole(daily), what="the board")
    finally:
        worker.kill()
    assert Standing.objects.filter(board="best").count() == len(logs)
    assert stored_board(daily).total == len(logs)


@pytest.mark.parametrize("how", ["die", "raise"])
def test_a_poison_log_is_isolated_and_marked_failed(new_guest: Callable[[], Api], daily: Challenge, how: str) -> None:
    """osu-queue-processor #16 and statistics PR 215: items were dropped, one stuck row blocked all."""
    [poison, *others] = submit(new_guest, daily, [POISON, "d", "d d", "d d d"])
    worker = Process(["-m", "tests.qvserver.poisoned_worker", how])
    worker.start()

    def failed() -> bool:
        if not worker.is_running:
            worker.start()  # what a supervisor does
        return Submission.objects.get(pk=poison).state == "failed"

    try:
        wait_for(failed, seconds=90, what="the poison's end")
    finally:
        worker.kill()
    row = Submission.objects.get(pk=poison)
    assert ("ZeroDivisionError" if how == "raise" else "died") in row.traceback
    assert set(Submission.objects.filter(pk__in=others).values_list("state", flat=True)) == {"verified"}
    assert Standing.objects.filter(board="best").count() == len(others)


def test_submissions_while_redis_is_frozen_are_answered_verified_and_ranked(
    worker: Process, frozen_redis: Callable[[int], None], new_guest: Callable[[], Api], daily: Challenge, nobody: Api
) -> None:
    submit(new_guest, daily, ["d"])
    wait_for(all_verified(1), what="the first verdict")
    frozen_redis(signal.SIGSTOP)
    submit(new_guest, daily, ["d d", "d d d"])
    wait_for(all_verified(3), what="verdicts without Redis")
    page = nobody.get(f"leaderboards/challenges/{daily.pk}/").data
    assert [line["moves"] for line in page["lines"]] == [1, 2, 3]
    assert nobody.get(f"leaderboards/challenges/{daily.pk}/distribution/").data["played"] == 3
    frozen_redis(signal.SIGCONT)
    wait_for(board_is_whole(daily), what="the board in Redis")


def test_redis_emptied_with_boards_half_pushed_never_looks_whole(
    new_guest: Callable[[], Api], daily: Challenge, nobody: Api
) -> None:
    submit(new_guest, daily, ["d", "d d"])
    verify_pending(clock=timezone.now)
    assert redis_board(daily) == stored_board(daily)
    ask_redis(lambda redis: redis.flushall())
    assert redis_board(daily) is None, "an empty Redis is no board of nobody"
    submit(new_guest, daily, ["d d d"])
    verify_pending(clock=timezone.now)
    assert redis_board(daily) == stored_board(daily)
    assert stored_board(daily).total == 3


def test_a_board_that_lost_its_mark_is_answered_by_postgresql_and_rebuilt(
    worker: Process, new_guest: Callable[[], Api], daily: Challenge, nobody: Api
) -> None:
    submit(new_guest, daily, ["d", "d d"])
    wait_for(all_verified(2), what="verdicts")
    wait_for(board_is_whole(daily), what="the board")
    ask_redis(lambda redis: redis.flushall())
    page = nobody.get(f"leaderboards/challenges/{daily.pk}/").data
    assert (page["total"], len(page["lines"])) == (2, 2)
    wait_for(lambda: redis_board(daily) == stored_board(daily), what="the rebuild by the worker")


def test_an_unpushed_standing_is_found_again(worker: Process, new_guest: Callable[[], Api], daily: Challenge) -> None:
    submit(new_guest, daily, ["d", "d d"])
    wait_for(all_verified(2), what="verdicts")
    wait_for(lambda: not Standing.objects.filter(is_pushed=False).exists(), what="the push")
    standing = Standing.objects.filter(board="best")[0]
    member = BY_SCORE.member(Entry(standing.submission_id or 0, standing.key or 0))
    name = ChallengeBoard(daily.pk, "best").redis_key
    ask_redis(lambda redis: redis.zrem(name, member))
    Standing.objects.update(is_pushed=False)
    wait_for(lambda: redis_board(daily) == stored_board(daily), what="the push on the timer")


def test_a_claim_at_the_same_moment_delays_no_verdict(
    new_guest: Callable[[], Api], daily: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A claim whose snapshot is older than another one's commit locks its rows, finds them taken, and leaves them."""
    submit(new_guest, daily, ["d", "d d"])
    claim = verification._claim_fresh
    threads = []

    def hold(ids: list[int], is_held: threading.Event) -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT id FROM games_submission WHERE id = ANY(%s) FOR UPDATE", [ids])
            is_held.set()
            time.sleep(0.3)
        connection.close()

    def claim_beside_another(now: datetime.datetime) -> list[int]:
        if ids := claim(now):
            is_held = threading.Event()
            threads.append(threading.Thread(target=hold, args=(ids, is_held)))
            threads[-1].start()
            is_held.wait()
        return ids

    monkeypatch.setattr(verification, "_claim_fresh", claim_beside_another)
    assert verify_pending(clock=timezone.now) == 2
    assert threads
    for thread in threads:
        thread.join()


def test_a_row_that_no_message_woke_is_found_on_the_timer(
    worker: Process, alice: Api, daily: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """revel-backend #442, statistics PR 175: the row is the job; messages may get lost or come early."""
    monkeypatch.setattr("games.services.intake.wake", lambda task: None)
    alice.submit(alice.start(daily), "d")
    wait_for(all_verified(1), what="the verdict")


def test_a_deaf_worker_exits_to_be_restarted(transactional_db: None, frozen_redis: Callable[[int], None]) -> None:
    """celery #10302: a worker alive but deaf after Redis was reset."""
    worker = Process(WORKER, QV_WORKER_DEAF_SECONDS="8")
    worker.start()
    assert worker.process is not None
    frozen_redis(signal.SIGSTOP)
    assert worker.process.wait(timeout=60) == 69


@pytest.mark.parametrize("crash", [True, False])
def test_a_restart_of_postgresql_loses_nothing(
    worker: Process, new_guest: Callable[[], Api], daily: Challenge, crash: bool
) -> None:
    ids = submit(new_guest, daily, ["d " * n for n in range(1, 30)])
    connection.close()
    POSTGRES.stop(crash=crash)
    POSTGRES.start()
    ids += submit(new_guest, daily, ["d d"])
    wait_for(all_verified(len(ids)), what="verdicts after the restart")
    wait_for(board_is_whole(daily), what="the board")
    assert Standing.objects.filter(board="best").count() == len(ids)


def test_a_call_while_postgresql_is_away_says_so(alice: Api, daily: Challenge) -> None:
    attempt = alice.start(daily)
    connection.close()
    POSTGRES.stop()
    try:
        answer: Any = alice.submit(attempt, "d")
    finally:
        POSTGRES.start()
    assert (answer.status_code, answer.data["error"]["code"], answer["Retry-After"]) == (503, "database_away", "1")
    connection.close()
    assert alice.submit(attempt, "d").status_code == 202


def test_two_workers_pushing_in_any_order_leave_the_newer_truth(alice: Api, daily: Challenge) -> None:
    """A worker that read a standing, slept, and pushes only now must not undo a newer push."""
    alice.submit(alice.start(daily), "d d")
    verify_pending(clock=timezone.now)
    stale = list(Standing.objects.values_list("board", "submission_id", "key", "pushed_submission_id"))
    alice.submit(alice.start(daily), "d")
    verify_pending(clock=timezone.now)
    assert redis_board(daily) == stored_board(daily)
    assert stale[0][1] != stored_board(daily).entries[0].id
    push_all_unpushed()
    assert redis_board(daily) == stored_board(daily)


def test_the_worker_is_another_process(worker: Process) -> None:
    assert worker.process is not None and worker.process.pid != os.getpid()
