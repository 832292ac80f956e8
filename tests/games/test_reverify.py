"""`manage.py reverify`: verdicts are what the rules say now, and everything that hangs on them follows."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.utils import timezone

from games.engine import RULES_VERSION, Code, Deal, Verdict, verify
from games.models import Challenge, Player, Reverification, Submission
from games.services import reverification
from games.services.verification import verify_pending
from leaderboards.counting import COUNTING_LOCK
from leaderboards.models import FinalRank, Standing
from leaderboards.services.closing import close_dailies
from leaderboards.services.placing import recompute_players
from leaderboards.services.standings import push_all_unpushed
from qvserver.audit import audit
from tests.conftest import WON_CODE, Api, Process, utc, wait_for
from tests.dailies import publish, publish_days
from tests.leaderboards.test_placing import lines

pytestmark = pytest.mark.django_db(transaction=True)

NOON = utc("2026-03-29T12:00:00")
LATER = utc("2026-04-05T12:00:00")


def reverify(*arguments: str) -> list[str]:
    """The lines that the command prints."""
    out = StringIO()
    call_command("reverify", *arguments, stdout=out)
    return out.getvalue().splitlines()


@pytest.fixture
def closed(alice: Api, bob: Api, charlie: Api, won_log: str) -> Challenge:
    """A daily of last week that alice won, bob gave up and charlie got wrong; its final ranks are there."""
    with time_machine.travel(NOON, tick=False):
        daily = publish("ft-n", NOON.date(), Code.parse(WON_CODE))
        alice.submit(alice.start(daily), won_log)
        bob.submit(bob.start(daily), "d d")
        charlie.submit(charlie.start(daily), "d aa")
        verify_pending(clock=timezone.now)
    close_dailies(now=LATER)
    push_all_unpushed()
    return daily


def of(api: Api) -> Any:
    return Submission.objects.filter(player__name=api.name)


def corrupt(api: Api, **figures: Any) -> None:
    """A verdict that is wrong, with boards that believe it: what an error in the rules leaves behind."""
    with transaction.atomic():
        of(api).update(**figures)
        recompute_players(player_ids=Player.objects.filter(name=api.name).values_list("pk", flat=True))


def seen(nobody: Api, daily: Challenge) -> Any:
    return (
        lines(nobody, f"challenges/{daily.pk}/"),
        lines(nobody, f"ft-n/week/?date={daily.date}"),
        lines(nobody, "ft-n/all/"),
        sorted(FinalRank.objects.values_list("player__name", "rank")),
        Challenge.objects.get().par,
    )


@pytest.mark.parametrize("processes", [1, 2])
def test_boards_of_closed_days_get_right_values_and_order(
    closed: Challenge, nobody: Api, alice: Api, bob: Api, processes: int
) -> None:
    right = seen(nobody, closed)
    corrupt(alice, ranked_score=3, score=3, won=False)
    corrupt(bob, ranked_score=900, moves=7, won=True)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE games_challenge SET par = 7")
    assert lines(nobody, f"challenges/{closed.pk}/") == [(1, bob.name, 900), (2, alice.name, 3)]
    assert audit().differences
    found = reverify(f"--processes={processes}")
    assert len([line for line in found if f"of {bob.name}" in line or f"of {alice.name}" in line]) == 2
    assert any("won, 900 in 7 moves -> not won, 0 in 2 moves" in line for line in found)
    assert "2 verdicts changed" in found
    assert seen(nobody, closed) == right
    assert not audit().differences
    assert "0 verdicts changed" in reverify()


def test_a_corrected_rule_changes_values_and_order_and_back(
    closed: Challenge, nobody: Api, alice: Api, bob: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = seen(nobody, closed)

    def other_rule(deal: Deal, log: str) -> Verdict:
        verdict = verify(deal, log)
        return dataclasses.replace(verdict, won=False, ranked_score=5000 // (1 + verdict.moves))

    with monkeypatch.context() as patch:
        patch.setattr(reverification, "verify", other_rule)
        patch.setattr(reverification, "RULES_VERSION", RULES_VERSION + 1)
        assert any("won, 1230 in 315 moves -> not won, 15 in 315 moves" in line for line in reverify())
        assert lines(nobody, f"challenges/{closed.pk}/") == [(1, bob.name, 1666), (2, alice.name, 15)]
        assert FinalRank.objects.get(player__name=bob.name).rank == 1
    reverify()
    assert seen(nobody, closed) == right


def test_a_log_that_a_rule_refused_by_mistake_stands_again_and_the_other_way_round(
    closed: Challenge, nobody: Api, bob: Api
) -> None:
    right = seen(nobody, closed)
    refusal = {"index": 1, "action": "d", "reason": "stock_empty", "message": "a mistake"}
    corrupt(bob, state="rejected", rejection=refusal, moves=1)
    assert len(lines(nobody, f"challenges/{closed.pk}/")) == 1
    found = reverify()
    assert any("rejected at action 1 (stock_empty) -> not won, 0 in 2 moves" in line for line in found)
    assert seen(nobody, closed) == right and of(bob).get().rejection is None


def test_a_log_that_was_taken_by_mistake_is_rejected_and_leaves_the_boards(
    closed: Challenge, nobody: Api, charlie: Api
) -> None:
    right = seen(nobody, closed)
    corrupt(charlie, state="verified", rejection=None, ranked_score=20, moves=2)
    assert len(lines(nobody, f"challenges/{closed.pk}/")) == 3
    reverify()
    assert seen(nobody, closed) == right
    shown = charlie.get(f"submissions/{of(charlie).get().pk}/").data
    assert (shown["state"], shown["verdict"]["error"]["reason"]) == ("rejected", "same_pile")


def test_a_rejected_log_beside_a_corrected_one_that_stands_is_listed(alice: Api, daily: Challenge) -> None:
    attempt = alice.start(daily)
    first = alice.submit(attempt, "d").data["id"]
    verify_pending(clock=timezone.now)
    Submission.objects.update(state="rejected", rejection={"index": 0, "action": "d", "reason": "x", "message": "x"})
    second = alice.submit(attempt, "d d").data["id"]
    verify_pending(clock=timezone.now)
    assert any(f"submission {first} would be valid now" in line for line in reverify())
    assert dict(Submission.objects.values_list("id", "state")) == {first: "rejected", second: "verified"}


def test_a_log_on_which_the_engine_breaks_is_listed_and_holds_nothing_up(
    closed: Challenge, nobody: Api, alice: Api, bob: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = seen(nobody, closed)
    corrupt(bob, ranked_score=900)

    def breaks(deal: Deal, log: str) -> Verdict:
        if len(log) > 100:
            raise ZeroDivisionError("a fault of the engine")
        return verify(deal, log)

    monkeypatch.setattr(reverification, "verify", breaks)
    out = StringIO()
    with pytest.raises(CommandError, match="broke on 1 submissions"):
        call_command("reverify", stdout=out)
    number = of(alice).get().pk
    assert f"submission {number}, whose verdict stays: ZeroDivisionError: a fault of the engine" in out.getvalue()
    assert Reverification.objects.get().broken == [[number, "ZeroDivisionError: a fault of the engine"]]
    assert of(alice).get().state == "verified" and seen(nobody, closed) == right


def test_verdicts_of_older_rules_get_the_present_version(closed: Challenge, alice: Api) -> None:
    Submission.objects.update(rules_version=0)
    of(alice).update(rules_version=RULES_VERSION)
    found = reverify(f"--rules-below={RULES_VERSION}")
    assert any("replayed 2 submissions" in line and "2 verdicts written" in line for line in found)
    assert "0 verdicts changed" in found
    assert set(Submission.objects.values_list("rules_version", flat=True)) == {RULES_VERSION}


def test_only_what_was_asked_for_is_replayed(closed: Challenge, alice: Api) -> None:
    today = publish_days(timezone.now().date())[0]
    alice.submit(alice.start(today), "d")
    verify_pending(clock=timezone.now)

    def replayed(*arguments: str) -> int:
        return int(next(line for line in reverify(*arguments) if line.startswith("replayed")).split()[1])

    assert [
        replayed(),
        replayed(f"--challenge={closed.pk}"),
        replayed(f"--challenge={today.pk}"),
        replayed("--since=2026-04-01"),
        replayed("--until=2026-04-01"),
        replayed("--since=2026-03-29T12:00:00", "--until=2026-03-29T12:00:01"),
        replayed("--until=2026-03-29T12:00:00"),
    ] == [4, 3, 1, 1, 3, 3, 0]


@pytest.mark.parametrize(
    "arguments", [["--challenge=99"], ["--resume"], ["--rules-below=0"], ["--since=x"], ["--processes=0"]]
)
def test_what_can_not_be_replayed_is_refused(db: None, arguments: list[str]) -> None:
    with pytest.raises(CommandError):
        reverify(*arguments)


def test_a_killed_run_goes_on_where_it_was(
    new_guest: Callable[[], Api], daily: Challenge, nobody: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(6):
        player = new_guest()
        player.submit(player.start(daily), "d " * (n + 1))
    verify_pending(clock=timezone.now)
    push_all_unpushed()
    right = lines(nobody, f"challenges/{daily.pk}/")
    with transaction.atomic():
        Submission.objects.update(ranked_score=77, rules_version=0)
        recompute_players(player_ids=Player.objects.values_list("pk", flat=True))
    monkeypatch.setattr(reverification, "CHUNK", 2)
    calls: list[str] = []

    def killed(deal: Deal, log: str) -> Verdict:
        calls.append(log)
        if len(calls) == 4:
            raise SystemExit
        return verify(deal, log)

    monkeypatch.setattr(reverification, "verify", killed)
    with pytest.raises(SystemExit):
        reverify()
    run = Reverification.objects.get()
    assert (run.replayed, run.changed, run.ended_at) == (2, 2, None)
    assert list(Submission.objects.order_by("id").values_list("ranked_score", flat=True)) == [0, 0, 77, 77, 77, 77]
    assert sorted(line[2] for line in lines(nobody, f"challenges/{daily.pk}/")) == [0, 0, 77, 77, 77, 77]
    with pytest.raises(CommandError, match="leave the other choices out"):
        reverify("--resume", "--challenge=1")
    found = reverify("--resume")
    assert calls[4:] == ["d d d", "d d d d", "d d d d d", "d d d d d d"], "the first two aren't replayed again"
    assert "6 verdicts changed" in found
    assert lines(nobody, f"challenges/{daily.pk}/") == right and not audit().differences
    with pytest.raises(CommandError, match="No run is unfinished"):
        reverify("--resume")


def test_a_process_killed_while_it_writes_leaves_nothing_half_done(closed: Challenge, nobody: Api, bob: Api) -> None:
    right = seen(nobody, closed)
    corrupt(bob, ranked_score=900)
    process = Process(["manage.py", "reverify"])
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [COUNTING_LOCK])
        process.start()
        wait_for(_somebody_waits, what="the run's wait for the lock on counting")
        process.kill()
    assert of(bob).get().ranked_score == 900 and Standing.objects.filter(player__name=bob.name).exists()
    reverify("--resume")
    assert seen(nobody, closed) == right


def _somebody_waits() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
        return bool(cursor.fetchone()[0])


def test_beside_workers_nothing_is_lost(
    worker: Process, alice: Api, new_guest: Callable[[], Api], nobody: Api, daily: Challenge
) -> None:
    for n in range(20):
        player = new_guest()
        player.submit(player.start(daily), "d " * (n % 5 + 1))
        if n % 5 == 4:
            with transaction.atomic():
                judged = Submission.objects.filter(state="verified")
                judged.update(ranked_score=50)
                recompute_players(player_ids=judged.values_list("player_id", flat=True))
            reverify()
    wait_for(lambda: not Submission.objects.filter(state="pending").exists())
    push_all_unpushed()
    assert len(lines(nobody, f"challenges/{daily.pk}/")) == 20 and not audit().differences
