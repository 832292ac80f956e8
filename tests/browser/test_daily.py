"""A daily on the real stack, in Chromium: from the first press to the verdict, and whatever gets in between."""

from __future__ import annotations

import datetime
import json

import pytest
from playwright.sync_api import Page, Route, expect

from games.engine import MODES, Deal, verify
from games.models import Attempt, Challenge, ReviewFlag, Submission
from tests.dailies import publish

from .conftest import KLONDIKE, KLONDIKE_LOG, KLONDIKE_WIN, PHONE, Opener, Table, in_thread

PLAY = "/play/kl-d1n/"
VERDICT = verify(Deal.parse(KLONDIKE), KLONDIKE_LOG)


def started(open_table: Opener, **options: object) -> Table:
    table = open_table(PLAY, **options)
    table.page.click("#start-daily")
    return table.wait()


def expect_title(page: Page, text: str) -> None:
    expect(page.locator("#result-title")).to_have_text(text, timeout=20_000)


def test_a_daily_is_won_checked_ranked_and_played_again(
    klondike_daily: Challenge, checked_site: str, open_table: Opener
) -> None:
    table = open_table(PLAY)
    assert "AAAAABR" not in table.page.content()
    assert table.page.is_visible("#start-daily")
    assert table.text("#time-left").startswith("Open for ")
    table.page.click("#start-daily")
    table.wait()
    assert "Attempt 1." in table.text("#attempt")
    assert "guests aren't on that of first attempts" in table.text("#attempt")
    table.play_by_keys(KLONDIKE_WIN)
    expect_title(table.page, "Won!")
    body = table.page.locator("#result-body")
    expect(body).to_contain_text(f"Score {VERDICT.score} in {VERDICT.moves} moves")
    expect(body).to_contain_text("Rank 1 of 1 on the board of best results")
    expect(body).to_contain_text("Guests aren't on the board of first attempts.")
    expect(table.page.locator(".chart-bar.own .won")).to_have_count(1)
    assert table.text(".axis").startswith("0")
    assert table.page.locator("#result-board tr.own").count() == 1
    submission = in_thread(lambda: Submission.objects.select_related("log").get())
    assert (submission.state, submission.ranked_score) == ("verified", VERDICT.ranked_score)
    assert submission.log.text == KLONDIKE_LOG
    assert submission.claimed_score == VERDICT.score
    times = submission.log.times
    assert len(times) == len(KLONDIKE_WIN)
    assert list(times) == sorted(times)
    table.page.reload()
    expect_title(table.page, "Won!")
    table.page.click("#again")
    expect(table.page.locator("#attempt")).to_contain_text("Attempt 2.")
    assert table.moves == 0


def test_giving_up_asks_first_and_hands_in_the_game_as_it_stands(
    klondike_daily: Challenge, checked_site: str, open_table: Opener
) -> None:
    table = started(open_table)
    table.play_by_keys(KLONDIKE_WIN[:12])
    table.page.click("#give-up")
    assert "Give up?" in table.text("#confirm-question")
    table.press("Escape")
    assert in_thread(Submission.objects.count) == 0
    table.play_by_keys(KLONDIKE_WIN[12:13])
    assert table.moves == 13
    table.page.click("#give-up")
    table.page.click("#confirm-yes")
    expect_title(table.page, "Not won this time")
    table.click("s")
    assert table.moves == 13
    log = in_thread(lambda: Submission.objects.select_related("log").get().log.text)
    assert log == " ".join(KLONDIKE_WIN[:13])


def test_offline_in_mid_game_the_result_waits_and_is_sent_once_back(
    klondike_daily: Challenge, checked_site: str, open_table: Opener
) -> None:
    """osu #24609, osu-stable #1005: a failed submit was never retried; offline in mid-game, never uploaded."""
    table = started(open_table)
    table.play_by_keys(KLONDIKE_WIN[:50])
    table.page.context.set_offline(True)
    table.play_by_keys(KLONDIKE_WIN[50:])
    expect_title(table.page, "Your game is being sent")
    assert table.text("#waiting") == "1 finished game is waiting for a connection."
    assert in_thread(Submission.objects.count) == 0
    table.page.context.set_offline(False)
    expect_title(table.page, "Won!")
    assert not table.page.is_visible("#waiting")
    assert in_thread(Submission.objects.count) == 1


def test_a_lost_answer_doesnt_hand_in_twice(klondike_daily: Challenge, checked_site: str, open_table: Opener) -> None:
    table = started(open_table)
    lost = []

    def lose_first(route: Route) -> None:
        if not lost:
            lost.append(route.fetch().status)
            route.abort()
        else:
            route.continue_()

    table.page.route("**/submission/", lose_first)
    table.play_by_keys(KLONDIKE_WIN)
    expect_title(table.page, "Your game is being sent")
    table.page.reload()
    expect_title(table.page, "Won!")
    assert lost == [202]
    assert in_thread(Submission.objects.count) == 1


def test_a_rejected_log_shows_the_action_that_failed_and_can_be_reported(
    klondike_daily: Challenge, checked_site: str, open_table: Opener
) -> None:
    table = started(open_table)

    def spoil(route: Route) -> None:
        body = json.loads(route.request.post_data or "")
        route.continue_(post_data=json.dumps({**body, "log": body["log"] + " aa", "times": []}))

    table.page.route("**/submission/", spoil)
    table.play_by_keys(["d", "d"])
    table.page.click("#give-up")
    table.page.click("#confirm-yes")
    expect_title(table.page, "This game was rejected")
    assert table.text("#result-lines").startswith("Action 3, “aa”: ")
    table.page.click("#dispute")
    expect(table.page.locator("#dispute-answer")).to_have_text("Somebody will look at it. Thank you.")
    assert in_thread(lambda: ReviewFlag.objects.get().kind) == "disputed"


def test_a_game_goes_on_in_another_browser_from_its_draft(
    klondike_daily: Challenge, site: str, open_table: Opener
) -> None:
    table = started(open_table)
    table.play_by_keys(KLONDIKE_WIN[:20])
    expect(table.page.locator("#moves")).to_have_text("20")
    guest = table.page.evaluate("localStorage.getItem('qv-guest')")
    for _ in range(100):
        if in_thread(lambda: Attempt.objects.get().draft) == " ".join(KLONDIKE_WIN[:20]):
            break
        table.page.wait_for_timeout(100)
    cards = table.cards()
    browser = table.page.context.browser
    assert browser is not None
    other_context = browser.new_context(viewport=PHONE)
    other_context.add_init_script(f"localStorage.setItem('qv-guest', '{guest}')")
    other = open_table(PLAY, context=other_context).wait()
    assert other.cards() == cards
    assert in_thread(Attempt.objects.count) == 1
    # The first browser goes on by itself: its own copy is the longer one, and wins.
    table.play_by_keys(KLONDIKE_WIN[20:24])
    longer = table.cards()
    table.page.reload()
    assert table.wait().cards() == longer


def test_a_reload_goes_on_with_the_same_attempt(klondike_daily: Challenge, site: str, open_table: Opener) -> None:
    table = started(open_table)
    table.play_by_keys(KLONDIKE_WIN[:9])
    cards = table.cards()
    table.page.reload()
    assert table.wait().cards() == cards
    assert "Attempt 1." in table.text("#attempt")
    assert in_thread(Attempt.objects.count) == 1


def test_a_daily_without_connection_says_that_it_needs_one(
    klondike_daily: Challenge, site: str, open_table: Opener
) -> None:
    table = open_table(PLAY)
    table.page.context.set_offline(True)
    table.page.click("#start-daily")
    expect(table.page.locator("#start-problem")).to_contain_text("There is no connection")
    table.page.context.set_offline(False)
    table.page.click("#start-daily")
    table.wait()


def test_without_scripts_the_page_shows_the_rules_and_the_deal_of_practice_alone(
    klondike_daily: Challenge, site: str, open_table: Opener
) -> None:
    daily = open_table(PLAY, java_script_enabled=False)
    text = daily.page.inner_text("main")
    assert "The board needs JavaScript" in text
    assert "other colour" in text
    assert daily.page.locator(".deal").count() == 0
    practice = open_table("/practice/FT1-N-AAAAAAV/", java_script_enabled=False)
    columns = practice.page.locator(".deal li")
    assert columns.count() == 10
    assert columns.nth(0).inner_text().split() == ["a", "7♠", "3♠", "Q♦", "K♣"]


@pytest.fixture
def all_dailies(transactional_db: None) -> None:
    for mode in MODES:
        publish(mode, datetime.datetime.now(datetime.UTC).date())


def test_all_five_modes_start(all_dailies: None, site: str, open_table: Opener) -> None:
    for mode in MODES:
        table = open_table(f"/play/{mode}/", viewport=PHONE)
        table.page.click("#start-daily")
        table.wait()
        table.click("s")
        assert table.moves == 1
        assert len(table.cards()["w"]) == MODES[mode].game.draw_size
        table.page.context.close()
