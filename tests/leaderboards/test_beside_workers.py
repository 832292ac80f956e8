"""Verdicts, recomputations, pushes, rebuilds and closings at once: nobody waits for ever, and all agree at the end."""

from __future__ import annotations

import datetime
import itertools
import random
import threading
from collections.abc import Callable

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from games.models import Challenge, Player, Submission
from games.services.verification import verify_pending
from games.signals import verdicts_given
from leaderboards import boards, stored_boards
from leaderboards.addresses import challenge_boards
from leaderboards.models import PeriodStanding, Standing
from leaderboards.services.closing import close_dailies
from leaderboards.services.placing import recompute_challenge, recompute_players
from leaderboards.services.standings import period_boards, push_all_unpushed, rebuild_board
from qvserver.period_audit import compare_redis_periods, compare_stored_periods
from tests.conftest import Api

from .stage import make_daily, place, submit

pytestmark = pytest.mark.django_db(transaction=True)

DAY = datetime.date(2026, 3, 23)
NAMES = [f"p{n}" for n in range(6)]
_numbers = itertools.count(2)


def test_all_at_once_leaves_every_board_as_the_submissions_say(caplog: pytest.LogCaptureFixture) -> None:
    dailies = [make_daily("ft-n", DAY + datetime.timedelta(days=n)) for n in range(4)]
    for name in NAMES:
        place(dailies[0], name, score=1)
    failures: list[BaseException] = []
    threads = [
        threading.Thread(target=_keep_doing, args=[work, seed, failures])
        for seed, work in enumerate([_judge, _judge, _judge, _moderate, _cancel, _tell, _close])
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert not any(thread.is_alive() for thread in threads), "somebody waits for ever"
    assert failures == []
    assert "deadlock" not in caplog.text, "what is told after a commit fails without anybody noticing"
    _agree(dailies)


def _keep_doing(work: Callable[[random.Random], None], seed: int, failures: list[BaseException]) -> None:
    rng = random.Random(seed)
    try:
        for _ in range(25):
            work(rng)
    except BaseException as error:
        failures.append(error)
    finally:
        connection.close()


def _dailies(rng: random.Random) -> list[Challenge]:
    dailies = list(Challenge.objects.order_by("?"))
    rng.shuffle(dailies)
    return dailies


def _judge(rng: random.Random) -> None:
    """A batch as the worker gives it."""
    with transaction.atomic():
        made = []
        for daily in _dailies(rng)[:3]:
            score, moves, won = rng.randrange(5) * 10, rng.randrange(4), rng.random() < 0.3
            made.append(submit(daily, rng.choice(NAMES), score=score, moves=moves, won=won, number=next(_numbers)))
        verdicts_given.send(sender=None, rulings=[ruling for _, ruling in made])


def _moderate(rng: random.Random) -> None:
    with transaction.atomic():
        numbers = list(Submission.objects.order_by("id").values_list("pk", "player_id"))
        number, player = rng.choice(numbers)
        Submission.objects.filter(pk=number).update(ranked=rng.random() < 0.5)
        recompute_players(player_ids=[player, rng.choice(numbers)[1]])


def _cancel(rng: random.Random) -> None:
    daily = _dailies(rng)[0]
    with transaction.atomic():
        cancelled_at = timezone.now() if rng.random() < 0.4 else None
        Challenge.objects.filter(pk=daily.pk).update(cancelled_at=cancelled_at)
        recompute_challenge(challenge_id=daily.pk)


def _tell(rng: random.Random) -> None:
    push_all_unpushed()
    for board in period_boards()[: rng.randrange(3)]:
        rebuild_board(board=board)
    rebuild_board(board=rng.choice(list(challenge_boards(_dailies(rng)[0].pk).boards.values())))


def _close(rng: random.Random) -> None:
    close_dailies(now=timezone.now())


def _agree(dailies: list[Challenge]) -> None:
    close_dailies(now=timezone.now())
    push_all_unpushed()
    recomputed = compare_stored_periods()
    assert recomputed.differences == []
    assert compare_redis_periods(recomputed)[1] == [], "boards that nobody asked for may be missing, not wrong"
    for daily in dailies:
        for board in challenge_boards(daily.pk).boards.values():
            stored = stored_boards.page(board, after=None, limit=1000)
            try:
                assert boards.page(board, after=None, limit=1000) == stored
            except boards.NotComplete:
                assert stored.total == 0 or not Standing.rows.filter(is_pushed=False).exists()
    before = set(Standing.objects.values_list("pk", "key")), set(PeriodStanding.objects.values_list("pk", "key"))
    assert recompute_players(player_ids=Player.objects.values_list("pk", flat=True)) == 0
    assert before == (
        set(Standing.objects.values_list("pk", "key")),
        set(PeriodStanding.objects.values_list("pk", "key")),
    )


def statements(call: Callable[[], object]) -> int:
    with CaptureQueriesContext(connection) as queries:
        call()
    return len([q for q in queries if not q["sql"].startswith(("SAVEPOINT", "RELEASE", "BEGIN", "COMMIT"))])


def test_reading_a_period_board_costs_two_statements_and_a_clubs_one_more(alice: Api, nobody: Api) -> None:
    daily = make_daily("ft-n", timezone.now().date())
    place(daily, alice.name, score=5)
    club = alice.post("clubs/", {"name": "The Kings"}).data["id"]
    board = "leaderboards/ft-n/week/"
    nobody.get(board)
    assert statements(lambda: nobody.get(board)) == 2
    assert statements(lambda: alice.get(board)) == 2
    assert statements(lambda: alice.get(f"{board}around/")) == 2
    assert statements(lambda: alice.get(f"{board}?club={club}")) == 4


def test_a_batch_of_verdicts_costs_one_statement_more_than_without_sums(
    new_guest: Callable[[], Api], daily: Challenge
) -> None:
    """The lock on counting; sums change in the statement that gives the places."""
    for _ in range(5):
        player = new_guest()
        player.submit(player.start(daily), "d")
    with CaptureQueriesContext(connection) as queries:
        verify_pending(clock=timezone.now)
    touching = [q["sql"] for q in queries if "leaderboards_periodstanding" in q["sql"]]
    assert len(touching) == 1 and "INSERT INTO leaderboards_standing" in touching[0]
    assert sum("pg_advisory_xact_lock_shared" in q["sql"] and "hashtext" not in q["sql"] for q in queries) == 1
