"""How the pages look: screenshots for people (kept in ci-output), nothing that scrolls sideways, axe-core's rules."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from playwright.sync_api import expect

from games.models import Challenge

from .conftest import DESKTOP, KLONDIKE, KLONDIKE_WIN, OUTPUT, PHONE, ROOT, Opener, Table

AXE = ROOT / "tests" / "js" / "node_modules" / "axe-core" / "axe.min.js"
FORTY_THIEVES = "/practice/FT1-N-AAAAAAV/"
DRAW_3 = "/practice/KL1-D3N-AAAAAAG/"
EASY = f"/practice/{KLONDIKE}/"
NARROW = {"width": 360, "height": 640}
LANDSCAPE = {"width": 740, "height": 360}
TABLET = {"width": 820, "height": 1180}

VIEWS: dict[str, tuple[str, dict[str, int], dict[str, Any]]] = {
    "forty-thieves-narrow-light": (FORTY_THIEVES, NARROW, {"theme": "light"}),
    "forty-thieves-narrow-large-cards": (FORTY_THIEVES, NARROW, {"theme": "light", "largeCards": True}),
    "forty-thieves-landscape-dark": (FORTY_THIEVES, LANDSCAPE, {"theme": "dark"}),
    "forty-thieves-tablet-light": (FORTY_THIEVES, TABLET, {"theme": "light"}),
    "forty-thieves-desktop-four-colours": (FORTY_THIEVES, DESKTOP, {"theme": "light", "fourColours": True}),
    "klondike-phone-light": (DRAW_3, PHONE, {"theme": "light"}),
    "klondike-phone-dark-left-handed": (DRAW_3, PHONE, {"theme": "dark", "leftHanded": True}),
    "klondike-phone-four-colours": (EASY, PHONE, {"theme": "light", "fourColours": True, "cardBack": "green"}),
    "klondike-landscape-light": (EASY, LANDSCAPE, {"theme": "light"}),
    "klondike-tablet-dark": (DRAW_3, TABLET, {"theme": "dark", "cardBack": "red"}),
    "klondike-desktop-dark": (EASY, DESKTOP, {"theme": "dark"}),
    "klondike-desktop-large-cards": (DRAW_3, DESKTOP, {"theme": "light", "largeCards": True}),
}


def picture(table: Table, name: str) -> None:
    """Keep a screenshot, once all cards have arrived."""
    OUTPUT.mkdir(exist_ok=True)
    table.page.wait_for_timeout(400)
    table.page.screenshot(path=OUTPUT / f"{name}.png")


def assert_nothing_scrolls_sideways(table: Table) -> None:
    assert table.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0


@pytest.mark.long
@pytest.mark.parametrize("name", VIEWS)
def test_the_board_at_many_sizes(name: str, open_table: Opener) -> None:
    path, viewport, settings = VIEWS[name]
    table = open_table(path, viewport=viewport, settings=settings).wait()
    if path == EASY:
        table.play_by_keys(KLONDIKE_WIN[:45])
    else:
        table.play_by_keys(["d"] * 4)
    picture(table, name)
    assert_nothing_scrolls_sideways(table)


def test_forty_thieves_with_long_columns_stays_readable(open_table: Opener) -> None:
    table = open_table(FORTY_THIEVES, viewport=NARROW).wait()
    for _ in range(64):
        table.press("s", "w", "m")
    picture(table, "forty-thieves-narrow-late")
    assert_nothing_scrolls_sideways(table)
    longest = max((pile for pile in "abcdefghij"), key=lambda pile: len(table.cards().get(pile, [])))
    ys = [table.box(longest, n)[1] for n in range(1, len(table.cards()[longest]) + 1)]
    assert len(ys) > 4
    assert table.box(longest)[2] >= 30
    assert all(above - below >= 11 for above, below in pairwise(ys))


def violations(table: Table, name: str = "") -> list[str]:
    """What axe-core finds wrong with the page in light and dark; pictures of both are kept under the name."""
    table.page.wait_for_timeout(300)
    if not table.page.evaluate("'axe' in window"):
        table.page.evaluate(Path(AXE).read_text())
    found = []
    for theme in ("light", "dark"):
        table.page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
        if name:
            picture(table, f"{name}-{theme}")
        result = table.page.evaluate("async () => await axe.run(document)")
        assert len(result["passes"]) > 10
        found += [(theme, one["id"], one["nodes"][0]) for one in result["violations"]]
    return [f"{theme}, {rule}: {node['html']} {node['failureSummary']}" for theme, rule, node in found]


needs_axe = pytest.mark.skipif(not AXE.exists(), reason="npm ci was not run in tests/js")


@needs_axe
def test_axe_finds_nothing_on_the_board_and_in_its_dialogs(open_table: Opener) -> None:
    table = open_table(EASY, viewport=PHONE).wait()
    table.play_by_keys(KLONDIKE_WIN[:20])
    table.drag("ab")
    assert violations(table) == []
    for name in ("new", "settings", "help"):
        table.page.click(f"#open-{name}")
        assert violations(table, f"dialog-{name}") == []
        table.press("Escape")
    table.page.click("#restart")
    assert violations(table) == []


@pytest.mark.long
@needs_axe
def test_axe_finds_nothing_on_a_daily_from_start_to_result(
    klondike_daily: Challenge, checked_site: str, open_table: Opener
) -> None:
    table = open_table("/play/kl-d1n/", viewport=PHONE)
    expect(table.page.locator("#start-daily")).to_be_visible()
    assert violations(table, "daily-start") == []
    table.page.click("#start-daily")
    table.wait()
    table.play_by_keys(KLONDIKE_WIN)
    expect(table.page.locator(".chart-bar.own")).to_have_count(1, timeout=20_000)
    assert violations(table, "daily-result") == []
    assert_nothing_scrolls_sideways(table)


@pytest.mark.long
@needs_axe
def test_axe_finds_nothing_where_a_game_is_chosen_or_scripts_are_off(open_table: Opener) -> None:
    table = open_table("/practice/")
    assert violations(table) == []
    missing = open_table("/practice/KL1-D1N-9/")
    picture(missing, "practice-bad-code")
    assert violations(missing) == []
    picture(open_table(FORTY_THIEVES, viewport=PHONE, java_script_enabled=False), "without-scripts")


def test_less_motion_is_honoured(open_table: Opener) -> None:
    for wish, seconds in (("reduce", "0s"), ("no-preference", "0.18s")):
        table = open_table(EASY, reduced_motion=wish).wait()
        found = table.page.evaluate("getComputedStyle(document.querySelector('.card')).transitionDuration")
        assert found == seconds


@pytest.mark.parametrize("language", [code for code, _name in settings.LANGUAGES])
def test_the_buttons_fit_a_phone_in_each_language(language: str, open_table: Opener) -> None:
    table = open_table(EASY, viewport=NARROW, locale=language).wait()
    assert table.page.locator("html").get_attribute("lang") == language
    picture(table, f"klondike-narrow-{language}")
    assert_nothing_scrolls_sideways(table)


def test_a_card_has_one_letter_of_the_language_or_of_all_the_world(open_table: Opener) -> None:
    page = open_table(EASY, locale="fr").wait().page
    page.evaluate(
        """() => {
            const mark = '<svg width="100" height="100" viewBox="-500 -500 1000 1000"><use href="#rank-K"/></svg>';
            document.body.insertAdjacentHTML('beforeend', `<div id="mark">${mark}</div>`);
            const place = { position: 'fixed', inset: '0 auto auto 0', zIndex: 9 };
            Object.assign(document.getElementById('mark').style, place);
        }"""
    )

    def drawn(*, local: str = "", international: str = "") -> bytes:
        page.evaluate(
            """([local, international]) => {
                const { style } = document.getElementById('mark');
                style.setProperty('--local-letters', local);
                style.setProperty('--international-letters', international);
            }""",
            [local, international],
        )
        return page.locator("#mark").screenshot()

    both = drawn(local="inline", international="inline")
    assert drawn() == drawn(local="inline", international="none") != both
    page.evaluate("document.documentElement.dataset.letters = 'international'")
    assert drawn() == drawn(local="none", international="inline") != both
