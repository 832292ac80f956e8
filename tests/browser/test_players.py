"""Who plays in this browser: a guest by token, a player by session, one after the other."""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import BrowserContext, expect

from games.models import Challenge, Player, Submission
from tests.conftest import wait_for

from .conftest import Opener, Table, in_thread

PLAY = "/play/kl-d1n/"


@pytest.fixture
def alice(transactional_db: None) -> Player:
    """A player who has signed up."""
    return Player.objects.create_user("Alice")


@pytest.fixture
def cookie(alice: Player, site: str) -> dict[str, Any]:
    """The cookie of a session of Alice's."""
    client = Client()
    client.force_login(alice)
    return {
        "name": settings.SESSION_COOKIE_NAME,
        "value": client.cookies[settings.SESSION_COOKIE_NAME].value,
        "url": site,
    }


def sign_in(context: BrowserContext, cookie: Any) -> None:
    context.add_cookies([cookie])


def give_up(table: Table) -> None:
    table.press("s")
    table.page.click("#give-up")
    table.page.click("#confirm-yes")


def test_a_signed_in_player_plays_as_that_player_and_stands_on_both_boards(
    klondike_daily: Challenge, cookie: Any, checked_site: str, open_table: Opener, browser: Any
) -> None:
    context = browser.new_context()
    sign_in(context, cookie)
    table = open_table(PLAY, context=context)
    assert "Guests" not in table.text(".start")
    table.page.click("#start-daily")
    assert "the one that counts on the board of first attempts" in table.wait().text("#attempt")
    give_up(table)
    rank = "Rank 1 of 1 on the board of first attempts"
    expect(table.page.locator("#result-lines")).to_contain_text(rank, timeout=20_000)
    assert in_thread(lambda: list(Player.objects.values_list("name", flat=True))) == ["Alice"]
    assert table.page.evaluate("localStorage.getItem('qv-guest')") is None
    table.page.click("#again")
    expect(table.page.locator("#attempt")).to_contain_text("only attempt 1 counts on that of first attempts")


def test_settings_go_with_the_account(alice: Player, cookie: Any, site: str, open_table: Opener, browser: Any) -> None:
    in_thread(lambda: Player.objects.filter(pk=alice.pk).update(settings={"other": 1}))
    first, second = browser.new_context(), browser.new_context()
    for context in (first, second):
        sign_in(context, cookie)
    table = open_table("/practice/KL1-D1N-AAAAABR/", context=first).wait()
    table.page.click("#open-settings")
    table.page.check("[name=fourColours]")
    kept = wait_for(lambda: in_thread(lambda: Player.objects.get(pk=alice.pk).settings.get("board")))
    assert kept["fourColours"] is True
    assert in_thread(lambda: Player.objects.get(pk=alice.pk).settings["other"]) == 1
    elsewhere = open_table("/practice/KL1-D1N-AAAAABR/", context=second).wait()
    assert elsewhere.page.evaluate("document.documentElement.dataset.colours") == "four"


def test_a_game_whose_player_was_signed_out_waits_for_the_next_sign_in(
    klondike_daily: Challenge, alice: Player, cookie: Any, site: str, open_table: Opener, browser: Any
) -> None:
    context = browser.new_context()
    sign_in(context, cookie)
    table = open_table(PLAY, context=context)
    table.page.click("#start-daily")
    table.wait()
    context.clear_cookies(name=settings.SESSION_COOKIE_NAME)
    give_up(table)
    expect(table.page.locator("#result-title")).to_have_text("Your game is being sent")
    table.page.click("#again")
    expect(table.page.locator("#start-problem")).to_contain_text("You have been signed out")
    assert in_thread(Submission.objects.count) == 0
    sign_in(context, cookie)
    table.page.reload()
    wait_for(lambda: in_thread(Submission.objects.count))
    assert in_thread(lambda: Submission.objects.get().player_id) == alice.pk


def test_a_guests_waiting_game_is_sent_as_the_guests_after_signing_in(
    klondike_daily: Challenge, alice: Player, cookie: Any, site: str, open_table: Opener
) -> None:
    table = open_table(PLAY)
    table.page.click("#start-daily")
    table.wait()
    table.page.context.set_offline(True)
    give_up(table)
    expect(table.page.locator("#waiting")).to_be_visible()
    table.page.context.set_offline(False)
    sign_in(table.page.context, cookie)
    table.page.reload()
    wait_for(lambda: in_thread(Submission.objects.count))
    assert in_thread(lambda: Submission.objects.get().player.is_guest)
    assert table.page.is_visible("#start-daily")  # Alice hasn't played it
