"""The first page: what is open, what one has done in it, and how yesterday went."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator

import pytest
import time_machine
from django.conf import settings

from games.models import Attempt, Challenge
from tests.conftest import Api, utc
from tests.dailies import publish
from tests.leaderboards.stage import make_daily, place, submit

from .visitors import ban, page, visitor, words

pytestmark = pytest.mark.django_db

NOON = utc("2026-03-10 12:00")
TODAY, YESTERDAY = datetime.date(2026, 3, 10), datetime.date(2026, 3, 9)


@pytest.fixture(autouse=True)
def noon() -> Iterator[None]:
    """Each test begins at noon of a day in March."""
    with time_machine.travel(NOON, tick=False):
        yield


def test_somebody_new_is_told_what_this_is_and_can_play_at_once() -> None:
    for mode in settings.DAILY_MODES:
        make_daily(mode, TODAY)
    source = page(visitor(), "/")
    assert "No sign-up, nothing to install." in words(source)
    assert all(f'href="/play/{mode}/"' in source for mode in settings.DAILY_MODES)
    assert "Days in a row" not in words(source)


def test_nothing_tells_of_the_deals_of_today_and_tomorrow() -> None:
    deals = [publish(mode, TODAY + datetime.timedelta(days=n)) for mode in settings.DAILY_MODES for n in (0, 1)]
    source = page(visitor(), "/")
    for deal in deals:
        assert str(deal.code)[-7:] not in source
        assert str(deal.number) not in source


@pytest.mark.parametrize("language", ["en", "fr", "fi"])
def test_the_countdown_is_right_before_any_script_runs_and_readable_for_it(language: str) -> None:
    source = page(visitor(), "/", accept_language=language)
    assert re.search(r'data-seconds="43200\.0">12:00:00</time>', source)


def test_a_mode_without_a_daily_is_named() -> None:
    make_daily("ft-n", TODAY)
    text = words(page(visitor(), "/"))
    assert text.count("There is no deal of this game today yet") == len(settings.DAILY_MODES) - 1


def test_the_own_result_shows_the_ranks_of_the_api() -> None:
    daily = make_daily("kl-d1n", TODAY)
    place(daily, "bob", score=500, won=True)
    place(daily, "charlie", score=400, won=True)
    mine = place(daily, "alice", score=450, won=True)
    place(daily, "guest", score=600, won=True, guest=True)
    source = page(visitor("alice"), "/")
    text = words(source)
    assert "4 players so far Won Score 450 Best results Rank 3 of 4 First attempts Rank 2 of 3" in text
    assert "Others at or below you 33.3 %" in text
    assert f'href="/games/{mine.pk}/"' in source
    assert "Days in a row 1" in text


def test_a_guest_has_no_place_among_first_attempts() -> None:
    place(make_daily("kl-d1n", TODAY), "guest", score=0, guest=True)
    text = words(page(visitor("guest"), "/"))
    assert "Not won Score 0 Best results Rank 1 of 1 Others" in text


def test_what_is_open_or_on_its_way_is_said() -> None:
    begun, waiting = make_daily("ft-n", TODAY), make_daily("kl-d1n", TODAY)
    submission, _ = submit(waiting, "alice", score=0, state="pending")
    Attempt.objects.create(challenge=begun, player=submission.player, number=1, started_at=NOON)
    source = page(visitor("alice"), "/")
    assert "You have begun this deal. Go on" in words(source)
    assert "Your last game is being checked." in words(source)
    assert f'href="/games/{submission.pk}/"' in source


def test_yesterdays_done_ticks_are_gone_at_midnight() -> None:
    """sidhant947/Puzzle #97: yesterday's "done" ticks stayed hours into the new day."""
    place(make_daily("ft-n", TODAY), "alice", score=600, won=True)
    make_daily("ft-n", TODAY + datetime.timedelta(days=1))
    with time_machine.travel(utc("2026-03-10 23:59:59"), tick=False):
        assert "Score 600" in words(page(visitor("alice"), "/"))
    with time_machine.travel(utc("2026-03-11 00:00:00"), tick=False):
        text = words(page(visitor("alice"), "/"))
    assert "March 11, 2026" in text
    assert "New deals in 24:00:00" in text
    assert "Score 600" not in text
    assert "Not played yet" in text


def test_yesterdays_best_game_is_linked_only_once_the_grace_period_is_over() -> None:
    daily = make_daily("ft-n", TODAY)
    best = place(daily, "alice", score=1200, won=True)
    place(daily, "bob", score=100)
    link = f'href="/games/{best.pk}/replay/"'
    with time_machine.travel(utc("2026-03-11 00:04:59"), tick=False):
        source = page(visitor(), "/")
        assert link not in source
        assert "last games are still coming in" in words(source)
    with time_machine.travel(utc("2026-03-11 00:05:00"), tick=False):
        source = page(visitor("bob"), "/")
        assert link in source
        assert "Rank 1 alice Won 1,200 Rank 2 bob 100" in words(source)
        assert "You: rank 2 of 2" in words(source)


def test_a_banned_player_is_no_winner() -> None:
    daily = make_daily("ft-n", YESTERDAY)
    place(daily, "mallory", score=1300, won=True)
    place(daily, "bob", score=100)
    ban("mallory")
    source = page(visitor(), "/")
    assert "mallory" not in source
    assert "Rank 1 bob 100" in words(source)


def test_open_events_are_shown_with_their_own_play_page() -> None:
    event = make_event("Spring cup")
    source = page(visitor(), "/")
    assert "Spring cup Klondike Vegas, easy (draw 1) Closes March 11, 2026, noon UTC" in words(source)
    assert f'href="/challenges/{event.pk}/play/"' in source
    played = page(visitor(), f"/challenges/{event.pk}/play/")
    assert "<h2>Spring cup</h2>" in played
    assert str(event.code)[-7:] not in played
    with time_machine.travel(NOON + datetime.timedelta(days=2), tick=False):
        assert "no such event" in page(visitor(), f"/challenges/{event.pk}/play/", status=404)


def make_event(title: str) -> Challenge:
    """A Vegas event, open since an hour ago until tomorrow."""
    event = Challenge(
        mode="kl-d1v",
        number=77,
        title=title,
        opens_at=NOON - datetime.timedelta(hours=1),
        closes_at=NOON + datetime.timedelta(days=1),
        published_at=NOON,
    )
    event.save()
    return event


def test_the_page_is_kept_by_nobody_and_runs_nothing_from_elsewhere() -> None:
    make_daily("ft-n", TODAY)
    answer = visitor().get("/")
    assert answer["Cache-Control"] == "private, no-cache"
    assert "default-src 'self'" in answer["Content-Security-Policy"]
    assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", answer.content.decode())


def test_the_result_of_a_played_game_is_there_at_once(alice: Api) -> None:
    """The page tells Redis of what it hasn't heard, as the API does."""
    daily = make_daily("ft-n", TODAY)
    place(daily, alice.name, score=100, guest=True)
    assert "1 player so far" in words(page(visitor(alice.name), "/"))
    place(daily, "bob", score=200)
    assert "Rank 2 of 2" in words(page(visitor(alice.name), "/"))
