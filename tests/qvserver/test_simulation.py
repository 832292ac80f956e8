"""Simulated players over real HTTP, verified by a real worker, and every board recomputed."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import StringIO
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from games.engine import Code, Deal, verify
from games.models import Attempt, Submission
from qvserver import simulation as module
from qvserver.audit import audit
from qvserver.simulation import CallFailed, Totals, contradictions, simulate
from tests.conftest import Process
from tests.dailies import publish, publish_days

with_database = pytest.mark.django_db(transaction=True)


@with_database
def test_boards_equal_a_recomputation_from_the_stored_logs(worker: Process, live_server: Any) -> None:
    today = timezone.now().date()
    publish("kl-d1n", today, Code("kl-d1n", 1007))
    for mode in ("ft-n", "kl-d3n"):
        publish(mode, today)
    totals = simulate(live_server.url, players=40, games=2, seed=5)
    assert (totals.contradictions, totals.failures, totals.players) == ([], [], 40)
    # Two of the forty send an illegal log each time, and one of the two corrects it.
    assert (totals.submitted.total(), totals.rejected.total(), totals.ranked.total()) == (82, 4, 78)
    assert totals.won.total() >= 1
    assert Attempt.objects.filter(number=2).exists()
    assert Submission.objects.exclude(state__in=["verified", "rejected"]).count() == 0
    report = audit()
    assert (report.differences, report.waiting, report.unmade) == ([], 0, 0)
    assert (report.verified, report.rejected) == (78, 4)
    out = StringIO()
    call_command("audit", stdout=out)
    assert "no difference" in out.getvalue()


@with_database
def test_prepared_games_are_all_played_before_one_is_sent(
    worker: Process, live_server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish_days(timezone.now().date())
    order: list[str] = []
    for name in ("_prepare", "_submit"):
        monkeypatch.setattr(module._Simulation, name, noting(order, name, getattr(module._Simulation, name)))
    out = StringIO()
    call_command("simulate", "--players", "12", "--prepared", "--seed", "1", "--url", live_server.url, stdout=out)
    assert order == ["_prepare"] * 12 + ["_submit"] * 12
    assert "12 players" in out.getvalue() and "games ranked per second" in out.getvalue()


def noting(order: list[str], name: str, method: Any) -> Any:
    def noted(*arguments: Any) -> Any:
        order.append(name)
        return method(*arguments)

    return noted


@with_database
def test_a_verdict_that_contradicts_the_engine_fails_the_command(
    worker: Process, live_server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish_days(timezone.now().date())

    def forged(deal: Deal, text: str, random: Any) -> Any:
        log = real(deal, text, random)
        log.verdict["moves"] += 1
        return log

    real = module._log
    monkeypatch.setattr(module, "_log", forged)
    with pytest.raises(CommandError, match=r"1 contradictions(.|\n)*moves is \d+ instead of") as caught:
        call_command("simulate", "--players", "1", "--url", live_server.url, stdout=StringIO())
    assert caught.value.returncode == 1


@with_database
def test_a_server_without_dailies_is_named(live_server: Any) -> None:
    with pytest.raises(CommandError, match="no daily is open"):
        call_command("simulate", "--players", "1", "--url", live_server.url)


def test_an_address_without_server_is_given_up_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FIRST_CALL_SECONDS", 0.1)
    with pytest.raises(CallFailed, match="however often"):
        simulate("http://127.0.0.1:9", players=1)


class _Busy(BaseHTTPRequestHandler):
    """Answers what is told, one after the other, and then a page without challenges."""

    answers: list[tuple[int, str]]

    def do_GET(self) -> None:
        status, retry_after = self.answers.pop(0) if self.answers else (200, "")
        body = b'{"items": []}'
        self.send_response(status)
        if retry_after:
            self.send_header("Retry-After", retry_after)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture
def busy_url() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Busy) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


def test_calls_are_repeated_after_the_time_that_the_server_asks_for(
    busy_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    # The clock of this module alone: other threads sleep too.
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=time.monotonic, sleep=slept.append))
    _Busy.answers = [(503, "2"), (429, "1"), (503, ""), (503, "a while")]
    retried: list[str] = []
    server = module._Server(busy_url, 1, retried.append)
    assert server.call("GET", "challenges/today/") == {"items": []}
    assert retried == ["GET 503", "GET 429", "GET 503", "GET 503"]
    # Without a number of seconds the pause doubles each time.
    assert slept == [2.0, 1.0, 0.2, 0.4]
    server.close()


def test_other_errors_are_not_repeated(busy_url: str) -> None:
    _Busy.answers = [(409, ""), (200, "")]
    server = module._Server(busy_url, 1, lambda what: None)
    with pytest.raises(CallFailed, match="GET x: 409"):
        server.call("GET", "x")
    assert len(_Busy.answers) == 1
    server.close()


def shown(log: str, **changes: Any) -> dict[str, Any]:
    verdict = verify(Deal.parse("FT1-N-AAAAAAV"), log).to_dict()
    place = {"rank": 1, "total": 1, "percentile": 100.0} if verdict["valid"] else None
    answer = {
        "state": "verified" if verdict["valid"] else "rejected",
        "ranked": True,
        "attempt_number": 1,
        "claimed_score": verdict["score"],
        "verdict": {**verdict, "rules_version": 1},
        "best": place,
        "first": None,
    }
    return {**answer, **changes}


def found_in(answer: dict[str, Any], log: str) -> list[str]:
    return contradictions(answer, verify(Deal.parse("FT1-N-AAAAAAV"), log).to_dict(), 0)


@pytest.mark.parametrize("log", ["d d", "d aa"])
def test_a_true_answer_has_no_contradiction(log: str) -> None:
    assert found_in(shown(log), log) == []


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (shown("d"), ["draws is 1 instead of 2", "moves is 1 instead of 2"]),
        (shown("d d", claimed_score=5), ["the claimed score is 5 instead of 0"]),
        (shown("d d", first={"rank": 1, "total": 1}), ["a guest stands on the first board"]),
        (shown("d d", best=None), ["it has no place"]),
        (shown("d d", best={"rank": 3, "total": 2}), ["it can't have the place {'rank': 3, 'total': 2}"]),
        (shown("d d", state="rejected"), ["it is rejected instead of verified"]),
    ],
)
def test_each_figure_state_and_place_is_compared(answer: dict[str, Any], says: list[str]) -> None:
    assert found_in(answer, "d d") == says


def test_a_missing_verdict_contradicts_in_every_figure() -> None:
    found = found_in(shown("d d", state="failed", verdict=None), "d d")
    assert "moves is None instead of 2" in found and "it is failed instead of verified" in found


def test_latencies_stay_within_what_was_measured() -> None:
    totals = Totals(latencies=[0.1, 0.2, 0.4])
    assert (Totals().latency(50), totals.latency(50)) == (0.0, 0.2)
    assert 0.2 < totals.latency(99) <= 0.4
