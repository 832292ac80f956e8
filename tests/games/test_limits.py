"""How often a caller may call."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from games import redis_client
from games.api.tallies import Tallies
from games.models import Challenge
from games.services.verification import verify_pending
from tests.conftest import Api, utc, wait_for
from tests.services import REDIS

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def limits(settings: Any) -> Iterator[Any]:
    settings.QV_RATE_EXEMPT = frozenset()
    settings.QV_RATES = "call:3/minute:5/minute guest:-:2/hour play:2/minute:4/minute practice:1/minute:1/minute"
    with time_machine.travel(utc("2026-03-29T12:00:20"), tick=False):
        yield settings


def test_each_answer_says_what_is_left(alice: Api) -> None:
    answer = alice.get("")
    assert answer["RateLimit-Policy"] == '"call";q=3;w=60'
    assert answer["RateLimit"] == '"call";r=2;t=40'


def test_a_token_that_calls_too_often_is_told_when_to_try_again(alice: Api, bob: Api) -> None:
    assert [alice.get("").status_code for _ in range(4)] == [200, 200, 200, 429]
    refused = alice.get("")
    assert refused["Retry-After"] == "40" and refused["RateLimit"] == '"call";r=0;t=40'
    error = refused.data["error"]
    assert (error["code"], error["details"]) == ("too_many_calls", {"retry_after": 40})
    assert "3 per 1 minute" in error["message"]


def test_the_next_window_begins_anew(alice: Api, settings: Any) -> None:
    with time_machine.travel(utc("2026-03-29T12:00:59"), tick=False) as clock:
        assert [alice.get("").status_code for _ in range(4)][-1] == 429
        clock.move_to(utc("2026-03-29T12:01:00"))
        assert alice.get("").status_code == 200


def test_an_address_is_limited_whatever_tokens_it_shows(new_guest: Callable[[], Api]) -> None:
    assert [new_guest().get("").status_code for _ in range(6)] == [200] * 5 + [429]


def test_guests_are_made_a_few_an_hour_from_one_address(nobody: Api) -> None:
    assert [nobody.post("players/guest/").status_code for _ in range(3)] == [201, 201, 429]


def test_scopes_are_counted_apart(alice: Api, daily: Challenge) -> None:
    assert [alice.post("deals/FT1-N-AAAAAAA/verify/", {"log": "d"}).status_code for _ in range(2)] == [200, 429]
    assert alice.get("").status_code == 200


def test_ipv6_addresses_of_one_network_are_one_caller() -> None:
    def status(address: str) -> int:
        return Client(REMOTE_ADDR=address).get("/api/v1/").status_code

    assert [status(f"2001:db8::{i}") for i in range(6)] == [200] * 5 + [429]
    assert status("2001:db8:0:1::1") == 200


def test_nobody_is_refused_while_redis_is_frozen(alice: Api) -> None:
    assert REDIS.process is not None
    alice.get("")
    REDIS.process.send_signal(signal.SIGSTOP)
    try:
        assert {alice.get("").status_code for _ in range(8)} == {200}
    finally:
        REDIS.process.send_signal(signal.SIGCONT)


def test_processes_count_together(settings: Any) -> None:
    """Each tells Redis of its calls soon after, and asks it for each call that comes near the limit."""
    ends_at = time.time() + 60
    here, there = Tallies(), Tallies()
    assert [here.count("together", limit=20, ends_at=ends_at) for _ in range(5)] == [1, 2, 3, 4, 5]
    wait_for(lambda: redis_client.ask(lambda redis: redis.get("together")) == b"5", what="the count in Redis")
    assert [there.count("together", limit=20, ends_at=ends_at) for _ in range(11)][-1] == 16
    assert here.count("together", limit=20, ends_at=ends_at) in (6, 17)
    assert [here.count("together", limit=20, ends_at=ends_at) for _ in range(5)][-1] == 22
    assert 0 < redis_client.ask(lambda redis: redis.ttl("together")) <= 61  # type: ignore[operator]


def test_a_board_that_has_not_changed_is_not_sent_again(
    alice: Api, nobody: Api, daily: Challenge, settings: Any
) -> None:
    settings.QV_RATE_EXEMPT = frozenset({"127.0.0.1"})
    address = f"leaderboards/challenges/{daily.pk}/"
    first = nobody.get(address)
    assert first["Cache-Control"] == "public, no-cache" and {"Authorization", "Cookie"} <= {*first["Vary"].split(", ")}
    again = nobody.get(address, **{"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    own = alice.get(address)
    assert own["Cache-Control"] == "private, no-cache"
    alice.submit(alice.start(daily), "d")
    verify_pending(clock=timezone.now)
    changed = nobody.get(address, **{"If-None-Match": first["ETag"]})
    assert (changed.status_code, changed.data["total"]) == (200, 1)
