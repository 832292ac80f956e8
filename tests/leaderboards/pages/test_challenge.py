"""The page of a challenge: nothing of its deal while it is open, all of it afterwards."""

from __future__ import annotations

import datetime

import pytest
import time_machine

from games.models import Attempt, Challenge
from tests.conftest import WON_CODE, utc
from tests.dailies import Code, publish
from tests.leaderboards.stage import make_daily, place, submit

from .visitors import page, visitor, words

pytestmark = pytest.mark.django_db

TODAY = datetime.date(2026, 3, 10)
NOON = utc("2026-03-10 12:00")


@pytest.fixture
def daily() -> Challenge:
    """The Forty Thieves of a day in March."""
    with time_machine.travel(NOON, tick=False):
        return publish("ft-n", TODAY, Code.parse(WON_CODE))


def address(challenge: Challenge) -> str:
    return f"/challenges/{challenge.pk}/"


def test_an_open_challenge_tells_nothing_of_its_deal(daily: Challenge) -> None:
    best = place(daily, "bob", score=1000)
    with time_machine.travel(NOON, tick=False):
        source = page(visitor(), address(daily))
    assert "Open" in words(source)
    assert "Takes games until (UTC) March 11, 2026, 12:05 a.m." in words(source)
    for secret in (WON_CODE, WON_CODE[-7:], "/replay/", "/practice/F", f"/games/{best.pk}/", 'class="deal"'):
        assert secret not in source


def test_in_the_grace_period_it_is_closed_and_still_tells_nothing(daily: Challenge) -> None:
    with time_machine.travel(utc("2026-03-11 00:04:59"), tick=False):
        source = page(visitor(), address(daily))
    assert "last games are coming in" in words(source)
    assert WON_CODE[-7:] not in source
    assert "/play/" not in source


def test_once_over_it_shows_the_deal_and_how_it_was_played(daily: Challenge) -> None:
    best = place(daily, "bob", score=1000, moves=200)
    with time_machine.travel(utc("2026-03-11 00:05"), tick=False):
        source = page(visitor(), address(daily))
    text = words(source)
    assert "Best game bob Score 1,000 Moves 200 Watch it" in text
    assert f"Par, moves {daily.par}" in text
    for link in (f"/games/{best.pk}/replay/", f"{address(daily)}replay/", f"/practice/{WON_CODE}/"):
        assert f'href="{link}"' in source
    assert source.count("<li><b>") == 10
    assert "Stock: 64 cards" in text


def test_own_attempts_say_what_became_of_them(daily: Challenge) -> None:
    place(daily, "alice", score=100)
    waiting, _ = submit(daily, "alice", score=0, state="pending")
    Attempt.objects.create(challenge=daily, player=waiting.player, number=3, started_at=NOON)
    with time_machine.travel(NOON, tick=False):
        source = page(visitor("alice"), address(daily))
    assert "1 Not won 100 10 2 Being checked – – 3 Begun – –" in words(source)
    assert f'href="/games/{waiting.pk}/"' in source
    assert "Go on" in words(source)
    assert "You haven’t played it yet." in words(page_at_noon(daily))


def page_at_noon(daily: Challenge) -> str:
    with time_machine.travel(NOON, tick=False):
        return page(visitor(), address(daily))


def test_tomorrows_challenge_is_not_there() -> None:
    tomorrow = make_daily("ft-n", TODAY + datetime.timedelta(days=1))
    with time_machine.travel(NOON, tick=False):
        page(visitor(), address(tomorrow), status=404)
        page(visitor(), f"{address(tomorrow)}card.png", status=404)
