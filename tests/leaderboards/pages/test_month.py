"""The calendar: a month of a mode's dailies with one's own results and medals."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

import pytest
import time_machine
from django.utils import timezone

from leaderboards.services.closing import close_dailies
from tests.conftest import utc
from tests.leaderboards.stage import make_daily, place

from .visitors import page, visitor, words

pytestmark = pytest.mark.django_db

METALS = ("Gold", "Silver", "Bronze")
TODAY = datetime.date(2026, 3, 10)


def day(n: int) -> datetime.date:
    return datetime.date(2026, 3, n)


@pytest.fixture(autouse=True)
def noon() -> Iterator[None]:
    """Each test takes place at noon of a day in March."""
    with time_machine.travel(utc("2026-03-10 12:00"), tick=False):
        yield


def test_days_show_results_medals_and_what_can_be_done_with_them() -> None:
    past, today = make_daily("ft-n", day(8)), make_daily("ft-n", TODAY)
    won = place(past, "alice", score=1200, won=True)
    for n in range(4):
        place(past, f"player{n}", score=100 + n)
    running = place(today, "alice", score=300)
    close_dailies(now=timezone.now())
    source = page(visitor("alice"), "/calendar/ft-n/")
    text = words(source)
    assert "March 8 Won 1,200 Rank 1 of 5 1 Result Replay Board Practise" in text
    assert "March 10 Not won 300 Play Result Replay Board" in text
    assert 'aria-label="Gold medal"' in source
    assert f'href="/games/{won.pk}/replay/"' in source
    assert f'href="/games/{running.pk}/"' in source
    assert f'href="/practice/{past.code}/"' in source
    assert str(today.code)[-7:] not in source


def test_medals_come_by_the_share_that_a_rank_is_in() -> None:
    daily = make_daily("ft-n", day(8))
    for n in range(40):
        place(daily, f"player{n}", score=1000 - n)
    close_dailies(now=timezone.now())
    medals = {n: page(visitor(f"player{n}"), "/calendar/ft-n/") for n in (0, 1, 2, 3, 4)}
    # Each stands once in the key of the grid.
    marks = {n: [m for m in METALS if source.count(f'label="{m} medal"') > 1] for n, source in medals.items()}
    assert marks == {0: ["Gold"], 1: ["Silver"], 2: ["Bronze"], 3: ["Bronze"], 4: []}


def test_badges_and_streaks_count_days_of_any_game() -> None:
    for n in range(1, 11):
        place(make_daily(("ft-n", "kl-d1n")[n % 2], day(n)), "alice", score=0)
    text = words(page(visitor("alice"), "/calendar/ft-n/"))
    assert "Days in a row, now 10 Days in a row, most 10 Days played this month 10" in text
    assert "★ 10 days : earned ☆ 20 days : not earned ☆ All days : not earned" in text


def test_who_plays_nothing_yet_sees_the_days_and_a_way_on() -> None:
    make_daily("ft-n", day(8))
    text = words(page(visitor(), "/calendar/ft-n/"))
    assert "You need no account." in text
    assert "March 8 Not played Board Practise" in text


def test_months_lead_to_those_before_and_after_that_there_are() -> None:
    make_daily("ft-n", datetime.date(2026, 2, 27))
    march = page(visitor(), "/calendar/ft-n/")
    assert 'rel="prev" href="?month=2026-02"' in march
    assert 'rel="next"' not in march
    february = page(visitor(), "/calendar/ft-n/?month=2026-02")
    assert 'rel="prev"' not in february
    assert 'rel="next" href="?month=2026-03"' in february


@pytest.mark.parametrize(
    "query", ["?month=2026-04", "?month=2026-13", "?month=x", "?month=0000-01", "?month=0001-01", "?month="]
)
def test_there_are_no_months_to_come_and_no_others(query: str) -> None:
    page(visitor(), f"/calendar/ft-n/{query}", status=404)


def test_the_week_begins_as_the_language_has_it() -> None:
    assert page(visitor(), "/calendar/ft-n/").index('title="Sunday"') < page(visitor(), "/calendar/ft-n/").index(
        'title="Monday"'
    )
    french = page(visitor(), "/calendar/ft-n/", accept_language="fr")
    assert french.index('title="lundi"') < french.index('title="dimanche"')


def test_the_calendar_of_no_mode_leads_to_the_first() -> None:
    assert visitor().get("/calendar/")["Location"] == "/calendar/ft-n/"
    page(visitor(), "/calendar/chess/", status=404)
