"""A page that stays open while the day ends."""

from __future__ import annotations

import datetime

import pytest
import time_machine
from playwright.sync_api import Browser, expect

from games.models import Challenge
from tests.dailies import publish

from .conftest import Opener

PLAY = "/play/kl-d1n/"
DAY = datetime.timedelta(days=1)


@pytest.fixture
def two_days(klondike_daily: Challenge) -> tuple[Challenge, Challenge]:
    """Today's daily, whose par is kept back while it is open, and tomorrow's."""
    assert klondike_daily.date is not None
    Challenge.objects.filter(pk=klondike_daily.pk).update(shows_par=False)
    return klondike_daily, publish("kl-d1n", klondike_daily.date + DAY)


def test_pages_roll_over_at_midnight_utc_by_themselves_and_games_go_on(
    two_days: tuple[Challenge, Challenge], checked_site: str, open_table: Opener, browser: Browser
) -> None:
    today, tomorrow = two_days
    # The players are far west of Greenwich, and their clock is three hours late: neither matters.
    context = browser.new_context(timezone_id="Pacific/Honolulu")
    context.clock.install(time=datetime.datetime.now(datetime.UTC) - datetime.timedelta(hours=3))
    waiting = open_table(PLAY, context=context)
    left = waiting.text("#time-left").removeprefix("Open for ").split(":")
    hours = int(left[0]) if len(left) == 3 else 0
    assert hours == (today.closes_at - datetime.datetime.now(datetime.UTC)).seconds // 3600
    playing, finished = (open_table(PLAY, context=browser.new_context()) for _ in range(2))
    for table in (playing, finished):
        table.page.context.clock.install()
        table.page.reload()
        table.page.click("#start-daily")
        table.wait().press("s")
    cards = playing.cards()
    finished.page.click("#give-up")
    finished.page.click("#confirm-yes")
    expect(finished.page.locator(".chart-bar.own")).to_have_count(1, timeout=20_000)
    assert "fewest moves" not in finished.text("#result-lines")

    after = today.closes_at + datetime.timedelta(minutes=6)
    ahead = int((after - datetime.datetime.now(datetime.UTC)).total_seconds() * 1000)
    with time_machine.travel(after, tick=True):
        for table in (waiting, playing, finished):
            table.page.context.clock.fast_forward(ahead)
        assert tomorrow.date is not None
        expect(waiting.page.locator(".date")).to_have_attribute("datetime", tomorrow.date.isoformat())
        expect(waiting.page.locator("#time-left")).to_contain_text("Open for 23:5")
        expect(playing.page.locator("#new-day")).to_be_visible()
        assert playing.cards() == cards
        assert "This daily has closed" in playing.text("#time-left")
        moves = f"The fewest moves of any known win: {today.par}."
        expect(finished.page.locator("#result-lines")).to_contain_text(moves)
