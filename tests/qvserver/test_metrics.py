"""What Prometheus and the probes are told, and the numbers of requests."""

from __future__ import annotations

import datetime
import json
import logging
import os
import re
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from django.db import DatabaseError, connection
from django.test import Client
from django.utils import timezone
from pythonjsonlogger.json import JsonFormatter

from games import redis_client
from games.models import Challenge, Submission
from games.services.verification import verify_pending
from qvserver import vitals, worker_port
from qvserver.requests import RequestFilter, observed
from tests.conftest import ROOT, Api, wait_for
from tests.qvserver.test_up import free_port


def read() -> dict[str, float]:
    """All samples of ``/metrics``, by name with labels."""
    answer = Client().get("/metrics")
    assert answer.status_code == 200
    lines = [line for line in answer.content.decode().splitlines() if not line.startswith("#")]
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines)}


def test_a_game_is_counted_from_its_receipt_to_its_rank(alice: Api, daily: Challenge, won_log: str) -> None:
    before = read()
    attempt = alice.start(daily)
    alice.submit(attempt, won_log)
    # The same again is no other one.
    alice.submit(attempt, won_log)
    waiting = read()
    assert waiting["qv_submissions_received_total"] - before["qv_submissions_received_total"] == 1
    assert waiting["qv_queue_depth"] == 1 and waiting["qv_queue_age_seconds"] > 0
    alice.get(f"leaderboards/challenges/{daily.pk}/")
    read_once = read()
    source = 'qv_board_reads_total{source="postgresql"}'
    assert read_once[source] - waiting[source] == 1


@pytest.mark.django_db(transaction=True)
def test_verdicts_are_counted_once_they_are_committed(alice: Api, daily: Challenge, won_log: str) -> None:
    before = read()
    alice.submit(alice.start(daily), "aa")
    alice.submit(alice.start(daily), won_log)
    assert verify_pending(clock=timezone.now) == 2
    after = read()
    grown = {name for name in after if after[name] - before.get(name, 0) == 1 and "verdicts" in name}
    assert grown == {'qv_verdicts_total{state="verified"}', 'qv_verdicts_total{state="rejected"}'}
    assert after["qv_verify_seconds_count"] - before["qv_verify_seconds_count"] == 2
    assert after["qv_queue_depth"] == 0


def test_who_reads_metrics_shows_the_token_or_sits_at_the_machine(db: None, settings: Any) -> None:
    def status(**headers: str) -> int:
        return Client().get("/metrics", **headers).status_code  # type: ignore[arg-type]

    assert status() == 200
    assert status(REMOTE_ADDR="10.0.0.7") == status(HTTP_X_FORWARDED_FOR="127.0.0.1") == 404
    settings.QV_METRICS_TOKEN = "a secret"
    assert status() == status(HTTP_AUTHORIZATION="Bearer another") == status(HTTP_AUTHORIZATION="a secret") == 404
    assert status(HTTP_AUTHORIZATION="Bearer a secret", REMOTE_ADDR="10.0.0.7") == 200


@pytest.mark.parametrize("address", ["/healthz", "/readyz", "/metrics"])
def test_probes_know_neither_our_name_nor_tls(address: str, db: None, settings: Any) -> None:
    """A health check of a container asks by its address, without TLS: it was sent elsewhere, or refused."""
    settings.SECURE_SSL_REDIRECT = True
    vitals.note_alive("verdicts", "here", seconds=30)
    assert Client().get(address, headers={"Host": "172.17.0.5:8000"}).status_code == 200


def test_readiness_needs_a_worker_that_was_heard_lately(db: None) -> None:
    assert (Client().get("/readyz").status_code, read()['qv_alive{part="verdicts"}']) == (503, 0)
    vitals.note_alive("verdicts", "gone", seconds=-1)
    vitals.note_alive("solver", "here", seconds=30)
    assert Client().get("/readyz").status_code == 503
    vitals.note_alive("verdicts", "here", seconds=30)
    answer = Client().get("/readyz")
    assert answer.status_code == 200 and answer.json()["workers"] == {"verdicts": 1, "solver": 1}


def test_readiness_with_redis_away_goes_by_the_queue(
    alice: Api, daily: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_client, "_away_until", float("inf"))
    answer = Client().get("/readyz")
    assert answer.status_code == 200 and answer.json()["workers"] is None and read()["qv_redis_up"] == 0
    alice.submit(alice.start(daily), "d")
    Submission.objects.update(received_at=timezone.now() - datetime.timedelta(seconds=31))
    answer = Client().get("/readyz")
    assert answer.status_code == 503 and answer.json()["queue"]["age_seconds"] > 30


def test_metrics_say_that_the_database_is_away(db: None) -> None:
    def away(*_: Any) -> None:
        raise DatabaseError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(connection, "cursor", away)
        found, ready = read(), Client().get("/readyz")
    assert found["qv_database_up"] == 0 and "qv_queue_depth" not in found
    assert ready.status_code == 503


def test_processes_that_share_a_folder_are_read_as_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, db: None
) -> None:
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path))
    code = "import games.metrics as g, qvserver.counters as q; g.RECEIVED.inc(); q.STREAMS.set(3); input()"
    processes = [
        subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for _ in range(2)
    ]
    wait_for(lambda: read().get("qv_live_streams") == 6, what="both")
    for process in processes:
        process.communicate(b"\n")
    assert read()["qv_submissions_received_total"] == 2
    assert "qv_live_streams" not in read(), "streams of processes that have died are open no more"


def call(given: str | None = None) -> tuple[str, str]:
    """The number that an answer carries, and the one that a log line written meanwhile has."""
    lines: list[str] = []

    def application(environ: Any, start: Any) -> list[bytes]:
        record = logging.LogRecord("games", logging.INFO, __file__, 1, "a line", (), None)
        RequestFilter().filter(record)
        lines.append(JsonFormatter("%(message)s %(request_id)s").format(record))
        start("200 OK", [("Content-Type", "text/plain")])
        return [b""]

    headers: dict[str, str] = {}
    environ = {} if given is None else {"HTTP_X_REQUEST_ID": given}
    observed(application)(environ, lambda status, found: headers.update(found))
    return headers["X-Request-ID"], json.loads(lines[0])["request_id"]


def test_each_request_has_a_number_in_its_answer_and_its_log_lines() -> None:
    (first, logged), (second, _) = call(), call()
    assert first == logged and first != second and re.fullmatch("[0-9a-f]{16}", first)


def test_a_proxys_number_is_taken_over_if_it_is_one() -> None:
    assert call("5f0c8a6e-9d3b")[0] == "5f0c8a6e-9d3b"
    for forged in ("short", "x" * 65, 'a"b{c}d e\r\nf', "ümlautümlaut"):
        assert re.fullmatch("[0-9a-f]{16}", call(forged)[0])


def test_requests_are_counted_by_status_and_timed(db: None) -> None:
    before = read()
    observed(lambda environ, start: start("503 Service Unavailable", []) or [])({}, lambda *_: None)
    after = read()
    name = 'qv_responses_total{status="503"}'
    assert (
        after[name] - before.get(name, 0) == after["qv_request_seconds_count"] - before["qv_request_seconds_count"] == 1
    )


def test_a_broken_request_is_timed_too(db: None) -> None:
    before = read()["qv_request_seconds_count"]
    with pytest.raises(ZeroDivisionError):
        observed(lambda environ, start: 1 // 0)({}, lambda *_: None)  # type: ignore[arg-type,return-value]
    assert read()["qv_request_seconds_count"] == before + 1


@pytest.mark.parametrize("form", ["json", "text"])
def test_log_lines_have_the_form_of_the_setting(form: str) -> None:
    code = """if True:
        import django, logging, os
        os.environ["DJANGO_SETTINGS_MODULE"] = "qvserver.settings"
        django.setup()
        from qvserver.requests import observed
        log = logging.getLogger("games").warning
        log("outside")
        observed(lambda environ, start: log("%s", "inside", exc_info=ValueError("broken")) or [])(
            {"HTTP_X_REQUEST_ID": "from-a-proxy"}, None)
    """
    environment = {**os.environ, "LOG_FORMAT": form}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, cwd=ROOT, capture_output=True, text=True, check=True
    )
    lines = done.stderr.splitlines()
    if form == "text":
        assert lines[0].endswith("WARNING games: outside") and lines[1].endswith("games: inside [from-a-proxy]")
        return
    outside, inside = map(json.loads, lines)
    assert (outside["level"], outside["logger"], outside["message"]) == ("WARNING", "games", "outside")
    assert (outside["request_id"], inside["request_id"]) == (None, "from-a-proxy")
    assert "broken" in inside["exc_info"]


def test_a_worker_answers_probes_at_its_port() -> None:
    port, well = free_port(), [True]
    worker_port.serve(port, lambda: well[0])

    def get(path: str) -> tuple[int, str]:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, ""

    assert get("/healthz")[0] == 200 and get("/")[0] == 404
    status, text = get("/metrics")
    assert status == 200 and "qv_verify_seconds_bucket" in text and "qv_queue_depth" not in text
    well[0] = False
    assert get("/healthz")[0] == 503
