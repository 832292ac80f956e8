"""A walk through all pages: as all who come, in two languages, on phone and desktop; screenshots are kept."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, BrowserContext, Page

from games.models import Challenge, Player
from games.services.intake import Log, start_attempt, submit_log
from games.services.players import Credential
from games.services.verification import verify_pending
from leaderboards.services import clubs
from leaderboards.services.closing import close_dailies
from tests.accounts import PASSWORD
from tests.dailies import publish
from tests.leaderboards.stage import place

from .conftest import DESKTOP, KLONDIKE_LOG, OUTPUT, session_of

NARROW = {"width": 360, "height": 740}
WIDE_NAME = 20 * "W"

#: What everybody may see. Numbers in braces are those of the stage.
PUBLIC = (
    "/",
    "/play/kl-d1n/",
    "/practice/",
    "/practice/FT1-N-AAAAAAV/",
    "/boards/ft-n/",
    "/boards/ft-n/?date={day}&board=first",
    "/boards/ft-n/week/",
    "/boards/ft-n/all/?around=1",
    "/calendar/ft-n/",
    "/challenges/{over}/",
    "/challenges/{over}/replay/",
    "/challenges/{open}/",
    "/players/alice/",
    "/rules/",
    "/rules/forty-thieves/",
    "/rules/klondike/",
    "/examples/klondike/",
    "/faq/",
    "/developers/",
    "/about/",
    "/privacy/",
    "/offline/",
    "/account/",
    "/account/settings/",
    "/accounts/login/",
    "/accounts/signup/",
)
PATHS = {
    "visitor": PUBLIC,
    "guest": ("/", "/account/", "/boards/kl-d1n/", "/calendar/kl-d1n/", "/clubs/"),
    "player": (
        "/",
        "/boards/kl-d1n/",
        "/calendar/kl-d1n/",
        "/games/{game}/",
        "/games/{game}/replay/",
        "/players/alice/",
        "/clubs/",
        "/account/",
        "/account/tokens/",
        "/account/delete/",
        "/accounts/email/",
        "/accounts/2fa/",
        "/accounts/sessions/",
    ),
    "owner": ("/clubs/", "/clubs/{club}/", "/boards/ft-n/?club={club}", "/boards/ft-n/week/?club={club}"),
    "admin": ("/", "/admin/", "/admin/games/challenge/", "/admin/games/player/"),
}


#: Those whose texts have least room.
LONG = (
    "/",
    "/play/kl-d1n/",
    "/practice/FT1-N-AAAAAAV/",
    "/boards/ft-n/",
    "/boards/ft-n/week/",
    "/calendar/ft-n/",
    "/challenges/{over}/replay/",
    "/players/alice/",
    "/rules/klondike/",
    "/account/settings/",
    "/accounts/login/",
)


@dataclass
class Stage:
    """What there is to see, and whose session shows it."""

    numbers: dict[str, Any]
    sessions: dict[str, str]


@pytest.fixture
def stage(klondike_daily: Challenge) -> Stage:
    """A day with games, one that is over, a club, a name as wide as can be, and one of each who comes."""
    now = timezone.now()
    day = now.date() - datetime.timedelta(days=2)
    today, over = publish("ft-n", now.date()), publish("ft-n", day)
    people = {name: Player.objects.create_user(name, PASSWORD) for name in ("alice", WIDE_NAME)}
    for daily in (today, over):
        for n in range(12):
            place(daily, f"Player{n:02}", score=900 - n, won=n < 3)
        place(daily, "alice", score=700, moves=300)
        place(daily, WIDE_NAME, score=1300, won=True)
    close_dailies(now=now)
    people["guest"] = Player.objects.create(name="QuietHeron12", is_guest=True)
    people["boss"] = Player.objects.create_superuser("the boss", PASSWORD)
    game = 0
    for name in ("guest", "alice"):
        who = Credential(session_player=people[name].pk)
        attempt = start_attempt(credential=who, challenge_id=klondike_daily.pk, now=now)
        game = submit_log(credential=who, attempt_id=attempt.id, log=Log(KLONDIKE_LOG), now=now).submission_id
    verify_pending(clock=timezone.now)
    owner = people[WIDE_NAME]
    club = clubs.create_club(player_id=owner.pk, name="The Kings of the Long Evening", now=now)
    clubs.join_club(player_id=people["alice"].pk, code=club.code, now=now)
    names = {"guest": "guest", "player": "alice", "owner": WIDE_NAME, "admin": "boss"}
    return Stage(
        {"day": day, "over": over.pk, "open": today.pk, "game": game, "club": club.pk},
        {role: session_of(people[name]) for role, name in names.items()},
    )


def problems_of(page: Page, path: str, language: str) -> list[str]:
    """What is wrong with a page at first sight."""
    found: list[str] = []
    if page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") > 0:
        found.append("scrolls sideways")
    if not path.startswith("/admin/"):
        if page.locator("h1").count() != 1:
            found.append(f"{page.locator('h1').count()} headings of the first level")
        if page.get_attribute("html", "lang") != language:
            found.append("speaks another language")
    return [f"{path}: {problem}" for problem in found]


def walk(context: BrowserContext, addresses: list[str], *, site: str, language: str, pictures: str = "") -> list[str]:
    """What is wrong with the pages; with a name for them, a picture of each is kept."""
    found: list[str] = []
    page = context.new_page()
    page.on("pageerror", lambda error: found.append(str(error)))
    for address in addresses:
        answer = page.goto(site + address)
        if answer is None or answer.status != 200:
            found.append(f"{address}: {answer and answer.status}")
        found += problems_of(page, address, language)
        if pictures:
            name = address.strip("/").replace("/", "_").replace("?", "_") or "today"
            page.screenshot(path=OUTPUT / "walk" / f"{pictures}-{name}.png", full_page=True)
    context.close()
    return found


def test_all_pages_are_there_for_all_who_come(stage: Stage, site: str, browser: Browser) -> None:
    (OUTPUT / "walk").mkdir(parents=True, exist_ok=True)
    found: list[str] = []
    for language, viewport in (("en", DESKTOP), ("fi", NARROW)):
        for role, paths in PATHS.items():
            context = new_context(browser, viewport, language)
            if role in stage.sessions:
                context.add_cookies([{"name": "sessionid", "value": stage.sessions[role], "url": site}])
            addresses = [path.format(**stage.numbers) for path in paths]
            found += walk(context, addresses, site=site, language=language, pictures=f"{role}-{language}")
    assert found == []


@pytest.mark.long
def test_no_language_is_too_long_for_a_phone(stage: Stage, site: str, browser: Browser) -> None:
    addresses = [path.format(**stage.numbers) for path in LONG]
    for language in ("fr", "id", "ms"):
        context = new_context(browser, NARROW, language)
        assert walk(context, addresses, site=site, language=language) == [], language


def new_context(browser: Browser, viewport: Any, language: str) -> BrowserContext:
    return browser.new_context(viewport=viewport, locale=language, service_workers="block")
