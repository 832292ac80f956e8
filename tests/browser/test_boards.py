"""Boards, players and clubs in a browser: boards that follow what happens, and how it all looks."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, Route, expect

from games.models import Challenge, Player
from games.services import publishing
from leaderboards.services import clubs
from leaderboards.services.closing import close_dailies
from tests.browser.test_looks import assert_nothing_scrolls_sideways, needs_axe, picture, violations
from tests.dailies import publish
from tests.leaderboards.stage import make_daily, place
from tests.qvserver.test_live import Live

from .conftest import DESKTOP, PHONE, Opener, in_thread, live_service, session_of

LOW = {"width": 1280, "height": 500}
NARROW = {"width": 360, "height": 740}
WIDE_NAME = 20 * "W"


@pytest.fixture
def board(transactional_db: None) -> Challenge:
    """Today's Forty Thieves: alice stands last of twenty."""
    daily = publish("ft-n", timezone.now().date())
    for n in range(19):
        place(daily, f"Player{n:02}", score=900 - n)
    place(daily, "alice", score=5, moves=1315)
    return daily


@pytest.fixture
def live(board: Challenge, settings: Any) -> Iterator[Live]:
    """The live service, which the pages know of."""
    with live_service(settings) as service:
        yield service


@pytest.fixture
def alices_session(board: Challenge) -> str:
    return session_of(Player.objects.get(name="alice"))


def signed_in(context: BrowserContext, session: str, site: str) -> BrowserContext:
    context.add_cookies([{"name": "sessionid", "value": session, "url": site}])
    return context


def row(page: Page, name: str) -> Any:
    return page.locator("tr[data-line]").filter(has=page.get_by_role("link", name=name, exact=True))


def test_a_board_follows_what_happens_without_being_asked(
    board: Challenge, live: Live, alices_session: str, browser: Any, site: str, open_table: Opener
) -> None:
    own = signed_in(browser.new_context(viewport=LOW), alices_session, site)
    page = open_table("/boards/ft-n/", context=own).page
    expect(page.locator("#live-mark")).to_be_visible()
    expect(page.locator("#board-own")).to_contain_text("Your rank 20 of 20")
    # The own line waits at the window's lower edge though its place is far below.
    box = page.locator("#own-row th").bounding_box()
    assert box is not None and box["y"] + box["height"] <= LOW["height"] + 1
    page.get_by_text("The same as a table").click()
    row(page, "Player00").get_by_role("link").focus()

    visitor = open_table("/boards/ft-n/week/", context=browser.new_context(viewport=PHONE)).page
    expect(visitor.locator("#live-mark")).to_be_visible()
    in_thread(lambda: place(board, "bob", score=1230, won=True))
    for watching in (page, visitor):
        expect(row(watching, "bob")).to_contain_text("1,230")
        expect(row(watching, "bob")).to_have_class("changed")
    expect(page.locator("#board-own")).to_contain_text("Your rank 21 of 21")
    expect(page.locator("#board-summary")).to_contain_text("21 players by score, 1 won")
    # What was open stays open, and the focus where it was.
    assert page.locator("#board-summary details").get_attribute("open") is not None
    assert page.evaluate("document.activeElement.textContent") == "Player00"
    in_thread(lambda: publishing.cancel(challenge_id=board.pk, now=timezone.now()))
    expect(page.locator("main")).to_contain_text("no deal of this game on that day")


def test_without_the_live_service_a_board_is_a_page(board: Challenge, site: str, browser: Any, settings: Any) -> None:
    page = browser.new_context(reduced_motion="reduce").new_page()
    page.route("**/live/events/**", lambda route: route.abort())
    page.goto(f"{site}/boards/ft-n/")
    expect(row(page, "alice")).to_be_visible()
    expect(page.locator("#live-mark")).to_be_hidden()
    row(page, "alice").evaluate("row => row.classList.add('changed')")
    assert row(page, "alice").locator("th").evaluate("cell => getComputedStyle(cell).animationName") == "none"


@pytest.fixture
def town(board: Challenge) -> dict[str, str]:
    """Addresses of pages with something on them, and with long names; alice owns two clubs."""
    today = timezone.now().date()
    for back in range(1, 4):
        daily = make_daily("ft-n", today - datetime.timedelta(days=back))
        for n, name in enumerate((WIDE_NAME, "alice", "bob")):
            place(daily, name, score=1230 - n, won=n == 0, moves=1234)
    place(board, WIDE_NAME, score=1230, won=True)
    close_dailies(now=timezone.now())
    ids = dict(Player.objects.values_list("name", "pk"))
    club = clubs.create_club(player_id=ids["alice"], name="W" * 40, now=timezone.now())
    for name in (WIDE_NAME, "bob"):
        clubs.join_club(player_id=ids[name], code=club.code, now=timezone.now())
    yesterday = today - datetime.timedelta(days=1)
    return {
        "board-around": "/boards/ft-n/?around=1",
        "board-over-club": f"/boards/ft-n/?date={yesterday}&club={club.pk}",
        "board-empty": "/boards/kl-d1n/week/",
        "player": f"/players/{WIDE_NAME}/",
        "player-self": "/players/alice/",
        "clubs": "/clubs/",
        "club": f"/clubs/{club.pk}/",
    }


@pytest.mark.long
@needs_axe
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_and_nothing_scrolls_sideways(
    town: dict[str, str], alices_session: str, browser: Any, site: str, open_table: Opener, theme: str
) -> None:
    viewport = DESKTOP if theme == "dark" else NARROW
    context = signed_in(browser.new_context(viewport=viewport, color_scheme=theme), alices_session, site)
    context.route("**/live/**", _nothing)
    # All on a phone, and in dark those that have all the others' parts.
    names = town if theme == "light" else ("board-over-club", "player-self", "club")
    for name, path in ((name, town[name]) for name in names):
        table = open_table(path, context=context)
        table.page.evaluate("for (const details of document.querySelectorAll('details')) details.open = true")
        assert violations(table) == [], name
        assert_nothing_scrolls_sideways(table)
        picture(table, f"{name}-{theme}")
        table.page.close()


def _nothing(route: Route) -> None:
    """An event stream on which nothing happens."""
    route.fulfill(content_type="text/event-stream", headers={"Access-Control-Allow-Origin": "*"}, body=": nothing\n\n")
