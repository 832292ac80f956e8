"""Final ranks, medals and percentiles of dailies that are over."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
import time_machine
from django.core.management import call_command
from django.db import transaction

from games.models import Challenge, Player, Submission
from games.signals import verdicts_given
from leaderboards.models import ClosedDaily, FinalRank
from leaderboards.models.final_rank import medal
from leaderboards.services.closing import close_dailies
from leaderboards.services.placing import recompute_challenge, recompute_players
from leaderboards.services.statistics import read_statistics
from leaderboards.tasks import close
from tests.conftest import utc

from .stage import make_daily, place, submit

pytestmark = pytest.mark.django_db(transaction=True)

SUNDAY = datetime.date(2026, 3, 29)
OVER = utc("2026-03-30T00:05:00")


def ranks() -> dict[str, int]:
    return dict(FinalRank.objects.values_list("player__name", "rank"))


def test_a_daily_is_closed_when_its_grace_is_over_and_not_before() -> None:
    daily = make_daily("ft-n", SUNDAY)
    place(daily, "alice", score=5)
    assert close_dailies(now=OVER - datetime.timedelta(seconds=1)) == []
    assert close_dailies(now=OVER) == [daily.pk]
    assert close_dailies(now=OVER) == []
    assert ranks() == {"alice": 1}


def test_a_verdict_still_to_come_holds_the_closing_up() -> None:
    daily = make_daily("ft-n", SUNDAY)
    place(daily, "alice", score=5)
    late, ruling = submit(daily, "bob", score=9)
    Submission.objects.filter(pk=late.pk).update(state="pending")
    assert close_dailies(now=OVER) == []
    Submission.objects.filter(pk=late.pk).update(state="verified")
    verdicts_given.send(sender=None, rulings=[ruling])
    assert close_dailies(now=OVER) == [daily.pk]
    assert ranks() == {"bob": 1, "alice": 2}


def test_a_log_that_the_engine_broke_on_does_not_and_is_ranked_when_it_is_judged() -> None:
    daily = make_daily("ft-n", SUNDAY)
    place(daily, "alice", score=5)
    broken, ruling = submit(daily, "bob", score=9)
    Submission.objects.filter(pk=broken.pk).update(state="failed")
    assert close_dailies(now=OVER) == [daily.pk]
    Submission.objects.filter(pk=broken.pk).update(state="verified")
    verdicts_given.send(sender=None, rulings=[ruling])
    assert ranks() == {"bob": 1, "alice": 2}
    assert ClosedDaily.objects.get().players == 2


def test_equal_results_get_equal_final_ranks() -> None:
    daily = make_daily("ft-n", SUNDAY)
    for name, score in (("a", 9), ("b", 5), ("c", 5), ("d", 1)):
        place(daily, name, score=score)
    close_dailies(now=OVER)
    assert ranks() == {"a": 1, "b": 2, "c": 2, "d": 4}


@pytest.mark.parametrize(
    ("players", "medals"),
    [
        (1, {1: 1}),
        (10, {1: 1}),
        (11, {1: 1, 2: 10}),
        (100, {1: 1, 2: 3, 3: 3, 4: 10, 10: 10}),
        (101, {1: 1, 2: 1, 4: 3, 5: 10, 11: 10}),
        (1000, {10: 1, 11: 3, 30: 3, 31: 10, 100: 10}),
    ],
)
def test_medals_are_for_the_top_1_3_and_10_per_cent(players: int, medals: dict[int, int]) -> None:
    last = max(medals)
    for rank in range(1, last + 1):
        if rank in medals:
            assert medal(rank, players) == medals[rank]
    assert medal(last + 1, players) is None


def statistics(name: str) -> Any:
    return read_statistics(player_id=Player.objects.get(name=name).pk, now=OVER)


def test_a_closed_board_that_changes_is_ranked_anew() -> None:
    daily = make_daily("ft-n", SUNDAY)
    winner = place(daily, "alice", score=9)
    for n in range(5):
        place(daily, f"p{n}", score=n)
    close_dailies(now=OVER)
    assert (statistics("alice").medals, statistics("p4").medals) == ({1: 1}, {})
    Submission.objects.filter(pk=winner.pk).update(ranked=False)
    recompute_players(player_ids=[winner.player_id])
    assert (statistics("alice").medals, statistics("p4").medals) == ({}, {1: 1})
    assert ClosedDaily.objects.get().players == 5
    Submission.objects.filter(pk=winner.pk).update(ranked=True)
    recompute_players(player_ids=[winner.player_id])
    assert (statistics("alice").medals, statistics("p4").medals) == ({1: 1}, {})


def test_a_cancelled_daily_takes_its_medals_along_and_brings_them_back() -> None:
    daily = make_daily("ft-n", SUNDAY)
    place(daily, "alice", score=9)
    close_dailies(now=OVER)
    for cancelled_at, medals in ((OVER, {}), (None, {1: 1})):
        Challenge.objects.filter(pk=daily.pk).update(cancelled_at=cancelled_at)
        recompute_challenge(challenge_id=daily.pk)
        assert statistics("alice").medals == medals


def test_a_daily_cancelled_before_its_end_is_closed_when_it_comes_back() -> None:
    daily = make_daily("ft-n", SUNDAY)
    place(daily, "alice", score=9)
    Challenge.objects.update(cancelled_at=OVER)
    recompute_challenge(challenge_id=daily.pk)
    assert close_dailies(now=OVER) == []
    Challenge.objects.update(cancelled_at=None)
    recompute_challenge(challenge_id=daily.pk)
    assert close_dailies(now=OVER) == [daily.pk] and ranks() == {"alice": 1}


def test_events_and_dailies_without_players_get_no_medals() -> None:
    event, empty = make_daily("ft-n", SUNDAY), make_daily("kl-d1n", SUNDAY)
    place(event, "alice", score=9)
    Challenge.objects.filter(pk=event.pk).update(date=None)
    assert close_dailies(now=OVER) == [empty.pk]
    assert (ranks(), ClosedDaily.objects.get().players) == ({}, 0)


def test_recount_repairs_final_ranks(capsys: pytest.CaptureFixture[str]) -> None:
    daily = make_daily("ft-n", SUNDAY)
    for name, score in (("a", 9), ("b", 5), ("c", 1)):
        place(daily, name, score=score)
    close_dailies(now=OVER)
    FinalRank.objects.filter(player__name="c").update(rank=1)
    FinalRank.objects.filter(player__name="b").delete()
    ClosedDaily.objects.update(players=7)
    call_command("recount")
    assert "3 final ranks were wrong" in capsys.readouterr().out
    assert (ranks(), ClosedDaily.objects.get().players) == ({"a": 1, "b": 2, "c": 3}, 3)


def test_the_task_closes_and_is_safe_to_repeat() -> None:
    place(make_daily("ft-n", SUNDAY), "alice", score=9)
    with time_machine.travel(OVER, tick=False):
        close()
        close()
    assert ranks() == {"alice": 1}


def test_the_task_is_on_the_beat_and_on_the_queue_of_the_workers() -> None:
    from qvserver.celery import app

    assert "leaderboards.close" in {entry["task"] for entry in app.conf.beat_schedule.values()}
    assert app.amqp.router.route({}, "leaderboards.close")["queue"].name == "verdicts"


def test_a_big_daily_is_ranked_anew_by_the_task(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leaderboards.services.closing.AT_ONCE", 1)
    daily = make_daily("ft-n", SUNDAY)
    winner = place(daily, "alice", score=9)
    place(daily, "bob", score=5)
    close_dailies(now=OVER)
    Submission.objects.filter(pk=winner.pk).update(ranked=False)
    recompute_players(player_ids=[winner.player_id])
    assert (ranks(), ClosedDaily.objects.get().is_current) == ({"alice": 1, "bob": 2}, False)
    assert close_dailies(now=OVER) == []
    assert (ranks(), ClosedDaily.objects.get().is_current) == ({"bob": 1}, True)


def test_a_verdict_waits_for_the_closing_and_is_ranked_after_it() -> None:
    import threading

    from django.db import connection

    daily = make_daily("ft-n", SUNDAY)
    place(daily, "alice", score=5)
    _, ruling = submit(daily, "bob", score=9)

    def verdict() -> None:
        try:
            with transaction.atomic():
                verdicts_given.send(sender=None, rulings=[ruling])
        finally:
            connection.close()

    with transaction.atomic():
        assert close_dailies(now=OVER) == [daily.pk]
        thread = threading.Thread(target=verdict)
        thread.start()
        thread.join(timeout=0.5)
        assert thread.is_alive()
    thread.join(timeout=20)
    assert ranks() == {"bob": 1, "alice": 2}


def test_history_is_of_the_last_thirty_finished_dailies_of_each_mode() -> None:
    for n in range(32):
        daily = make_daily("ft-n", SUNDAY - datetime.timedelta(days=n))
        place(daily, "alice", score=5)
        if n % 2:
            place(daily, "bob", score=9)
    place(make_daily("kl-d1n", SUNDAY), "alice", score=5)
    today = make_daily("ft-n", SUNDAY + datetime.timedelta(days=1))
    place(today, "alice", score=5)
    close_dailies(now=OVER)
    modes = statistics("alice").modes
    history = modes["ft-n"].history
    assert (len(history), history[0].date, history[-1].date) == (30, SUNDAY, SUNDAY - datetime.timedelta(days=29))
    assert [(place_.rank, place_.players, place_.percentile) for place_ in history[:2]] == [(1, 1, 100.0), (2, 2, 0.0)]
    assert len(modes["kl-d1n"].history) == 1
    assert modes["ft-n"].played == 33, "today's counts as played, though it isn't finished"
