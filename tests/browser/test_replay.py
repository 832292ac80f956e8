"""Games watched in a browser: by buttons, keys and pointing, alone and side by side, with and without scripts."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from games.models import Challenge
from games.services.intake import Log, start_attempt, submit_log
from games.services.players import Credential, create_guest
from games.services.verification import verify_pending

from .conftest import DESKTOP, KLONDIKE_LOG, KLONDIKE_WIN, PHONE, Opener
from .test_looks import assert_nothing_scrolls_sideways, needs_axe, picture, violations

#: A game of 10,000 actions: 24 draws and a redeal, again and again.
LONG_LOG = " ".join((["d"] * 24 + ["r"]) * 400)
NARROW = {"width": 360, "height": 740}


@dataclass(frozen=True)
class Games:
    """The numbers of a challenge that is over and of games of it."""

    challenge: int
    won: int
    given_up: int
    long: int


def play(challenge: Challenge, log: str, times: tuple[int, ...]) -> int:
    """The number of a guest's game."""
    now = timezone.now()
    player, _ = create_guest(now=now)
    attempt = start_attempt(
        credential=Credential(session_player=player.id), challenge_id=challenge.pk, now=now, address="127.0.0.1"
    )
    return submit_log(
        credential=Credential(session_player=player.id),
        attempt_id=attempt.id,
        log=Log(log, times, None, "tests/1"),
        now=now,
    ).submission_id


@pytest.fixture
def games(klondike_daily: Challenge) -> Games:
    """Three games, to be watched by everybody."""
    won = play(klondike_daily, KLONDIKE_LOG, tuple(n * 40 for n in range(len(KLONDIKE_WIN))))
    given_up = play(klondike_daily, " ".join([*KLONDIKE_WIN[:30], "u", "u"]), tuple(n * 60 for n in range(32)))
    long = play(klondike_daily, LONG_LOG, ())
    verify_pending(clock=timezone.now)
    now = timezone.now()
    Challenge.objects.update(opens_at=now - datetime.timedelta(days=2), closes_at=now - datetime.timedelta(hours=1))
    return Games(klondike_daily.pk, won, given_up, long)


def current(page: Page) -> str:
    """The action that the list marks."""
    return page.locator("[aria-current=step] .what").inner_text()


def test_a_game_is_watched_by_buttons_keys_and_pointing(games: Games, open_table: Opener) -> None:
    table = open_table(f"/games/{games.won}/replay/").wait()
    page = table.page
    start = table.cards()
    assert current(page) == "The deal"
    page.click("[data-go=on]")
    assert current(page) == "Queen of diamonds: from column e to column b; turned up: ace of diamonds"
    said = "Queen of diamonds: from column e to column b; turned up: ace of diamonds. Score 5."
    assert page.inner_text("[data-announcer]") == page.inner_text("[data-words]") == said
    assert len(table.cards()["b"]) == 3
    page.keyboard.press("ArrowLeft")
    assert table.cards() == start
    page.keyboard.press("End")
    assert {pile: len(cards) for pile, cards in table.cards().items()} == {str(n): 13 for n in range(1, 5)}
    assert page.inner_text("[data-now]") == "Action 98 of 98"
    page.keyboard.press("Home")
    page.locator(".actions li").nth(25).click()
    assert page.inner_text("[data-now]") == "Action 25 of 98"
    curve = page.locator("[data-curve]")
    width = curve.evaluate("curve => curve.getBoundingClientRect().width")
    curve.click(position={"x": width / 2, "y": 20})
    assert page.inner_text("[data-now]") == "Action 49 of 98"
    page.locator("[data-slider]").fill("97")
    page.keyboard.press("+")
    assert page.input_value("[data-speed]") == "4"
    page.keyboard.press(" ")
    expect(page.locator("[data-now]")).to_have_text("Action 98 of 98")
    page.select_option("[data-speed]", "64")
    page.focus("[data-go=first]")
    page.keyboard.press("Home")
    page.click("[data-go=play]")
    expect(page.locator("[data-now]")).to_have_text("Action 98 of 98")
    assert table.cards().keys() == set("1234")


def test_two_games_go_in_step_by_action_or_by_time(games: Games, open_table: Opener) -> None:
    page = open_table(f"/compare/{games.won}/{games.given_up}/").wait().page
    page.keyboard.press("End")
    assert page.inner_text("[data-now]") == "Action 130 of 130"
    page.keyboard.press("Home")
    page.uncheck("[data-tempo]")
    page.keyboard.press("End")
    assert page.inner_text("[data-now]") == "Action 98 of 98"
    places = page.eval_on_selector_all(
        "[aria-current=step]", "lines => lines.map((line) => [...line.parentNode.children].indexOf(line))"
    )
    assert places == [98, 32]


def test_a_log_of_10000_actions_can_be_leafed_through(games: Games, site: str, open_table: Opener) -> None:
    page = open_table("/healthz").page
    page.set_default_timeout(60_000)
    page.goto(f"{site}/games/{games.long}/replay/")
    page.wait_for_selector(".card")
    assert page.locator(".actions li").count() < 1000
    for key, position in (("End", 10000), ("ArrowLeft", 9999), ("Home", 0), ("ArrowRight", 1)):
        page.keyboard.press(key)
        assert page.inner_text("[data-now]") == f"Action {position:,} of 10,000"
        is_in_sight = page.eval_on_selector(
            "[aria-current=step]",
            """line => {
              const list = line.parentNode.getBoundingClientRect();
              const { top, bottom } = line.getBoundingClientRect();
              return top >= list.top - 1 && bottom <= list.bottom + 1;
            }""",
        )
        assert is_in_sight
    page.eval_on_selector(".actions", "list => { list.scrollTop = list.scrollHeight; }")
    page.wait_for_function("() => document.querySelector('.actions').style.counterReset !== 'action -1'")


@pytest.mark.long
@needs_axe
def test_replays_look_right_and_axe_finds_nothing(games: Games, open_table: Opener) -> None:
    looks = {
        "replay-desktop-light": (f"/games/{games.won}/replay/", DESKTOP),
        "compare-narrow-dark": (f"/compare/{games.won}/{games.given_up}/", NARROW),
    }
    for name, (path, viewport) in looks.items():
        table = open_table(path, viewport=viewport, color_scheme=name.rpartition("-")[2]).wait()
        table.page.locator("[data-slider]").fill("40")
        picture(table, name)
        assert_nothing_scrolls_sideways(table)
        assert violations(table) == []


def test_without_scripts_the_deal_and_the_actions_are_there(games: Games, open_table: Opener) -> None:
    table = open_table(f"/games/{games.won}/replay/", viewport=PHONE, java_script_enabled=False)
    expect(table.page.locator(".actions li")).to_have_count(99)
    expect(table.page.locator(".deal")).to_be_visible()
    expect(table.page.locator("[data-transport]")).to_be_hidden()
    picture(table, "replay-without-scripts")


def test_with_less_motion_cards_dont_travel(games: Games, open_table: Opener) -> None:
    table = open_table(f"/games/{games.won}/replay/", reduced_motion="reduce").wait()
    table.page.click("[data-go=on]")
    assert table.page.evaluate("getComputedStyle(document.querySelector('.card')).transitionDuration") == "0s"


@pytest.mark.long
@needs_axe
def test_axe_finds_nothing_on_pages_to_read(open_table: Opener) -> None:
    for address in ("/rules/", "/rules/klondike/", "/faq/", "/examples/klondike/", "/developers/"):
        table = open_table(address, viewport=PHONE)
        picture(table, address.strip("/").replace("/", "-"))
        assert_nothing_scrolls_sideways(table)
        assert violations(table) == [], address


def test_playing_an_example_pauses_at_its_remarks(open_table: Opener) -> None:
    page = open_table("/examples/klondike/").wait().page
    assert "3 of clubs on 4 of spades" in page.inner_text("[data-remark]")
    page.select_option("[data-speed]", "64")
    for position, remark in ((1, "15 points in all"), (13, "5 points"), (24, "two more cards")):
        page.click("[data-go=play]")
        expect(page.locator("[data-now]")).to_have_text(f"Action {position} of 110")
        expect(page.locator("[data-go=play]")).to_have_attribute("aria-label", "Play")
        assert remark in page.inner_text("[data-remark]")
