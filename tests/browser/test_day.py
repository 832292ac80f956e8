"""Today, results, the calendar and challenges in a browser: how they look, and what their modules do."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Browser, BrowserContext, expect

from games.models import Challenge, Player, SubmissionLog
from leaderboards.services.closing import close_dailies
from tests.leaderboards.stage import make_daily, place, submit

from .conftest import DESKTOP, OUTPUT
from .test_looks import AXE, NARROW

LONG_NAME = "W" * 20


@dataclass(frozen=True)
class Stage:
    """A site where a player with a long name has played for two days."""

    site: str
    session: str
    pages: dict[str, str]

    def context(self, browser: Browser, **options: Any) -> BrowserContext:
        """A browser of the player's. An error in its console fails the test."""
        context = browser.new_context(**options)
        context.add_cookies([{"name": "sessionid", "value": self.session, "url": self.site}])
        return context


@pytest.fixture
def stage(transactional_db: None, site: str) -> Stage:
    """Dailies of three days with some results, and an event."""
    now = timezone.now()
    days = [make_daily(mode, now.date() - datetime.timedelta(days=n)) for n in range(3) for mode in ("ft-n", "kl-d1n")]
    for n, daily in enumerate(days):
        place(daily, LONG_NAME, score=900 + n, won=n % 2 == 0, elapsed=36_605)
        for other in range(4):
            place(daily, f"player{other}", score=700 + 40 * other + n, won=other == 2)
    event = Challenge(mode="kl-d1v", number=7, title="Cup", opens_at=now, closes_at=now + datetime.timedelta(days=2))
    event.published_at = now
    event.save()
    close_dailies(now=now)
    waiting, _ = submit(event, LONG_NAME, score=0, state="pending")
    rejected, _ = submit(event, LONG_NAME, score=0, state="rejected")
    rejected.rejection = {"index": 2, "action": "f1", "reason": "pile_empty", "message": "Column f is empty."}
    rejected.save()
    SubmissionLog.objects.create(submission=rejected, text="d d f1")
    own = place(event, LONG_NAME, score=-52)
    client = Client()
    client.force_login(Player.objects.get(name=LONG_NAME))
    return Stage(
        site,
        client.cookies[settings.SESSION_COOKIE_NAME].value,
        {
            "today": "/",
            "result": f"/games/{own.pk}/",
            "rejected": f"/games/{rejected.pk}/",
            "waiting": f"/games/{waiting.pk}/",
            "calendar": "/calendar/ft-n/",
            "challenge-over": f"/challenges/{days[2].pk}/",
            "event": f"/challenges/{event.pk}/",
            "invitation": f"/games/{place(days[0], 'alice', score=5).pk}/",
        },
    )


@pytest.fixture
def errors() -> Iterator[list[str]]:
    """What the consoles say of errors: nothing, or the test fails."""
    found: list[str] = []
    yield found
    assert found == []


@pytest.mark.long
@pytest.mark.skipif(not AXE.exists(), reason="npm ci was not run in tests/js")
def test_the_pages_fit_every_size_and_axe_finds_nothing(stage: Stage, browser: Browser, errors: list[str]) -> None:
    OUTPUT.mkdir(exist_ok=True)
    for size, theme in ((NARROW, "dark"), (DESKTOP, "light")):
        context = stage.context(browser, viewport=size, color_scheme=theme)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        for name, path in stage.pages.items():
            page.goto(stage.site + path)
            page.screenshot(path=OUTPUT / f"{name}-{theme}.png", full_page=True)
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, name
            page.evaluate(AXE.read_text())
            result = page.evaluate("async () => await axe.run(document)")
            assert len(result["passes"]) > 10
            assert [(name, one["id"], one["nodes"][0]["html"]) for one in result["violations"]] == []
        context.close()


def test_the_day_rolls_over_and_the_result_comes_by_itself(stage: Stage, browser: Browser, errors: list[str]) -> None:
    page = stage.context(browser).new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.clock.install()
    page.goto(stage.site)
    before = page.text_content("#countdown")
    page.clock.run_for(2000)
    assert page.text_content("#countdown") != before
    with page.expect_navigation():
        page.clock.fast_forward("24:00:10")
    page.goto(stage.site + stage.pages["waiting"])
    with page.expect_navigation():
        page.clock.fast_forward(60_000)


def test_the_result_is_copied_or_handed_on_as_text(stage: Stage, browser: Browser, errors: list[str]) -> None:
    context = stage.context(browser, permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    # Chromium shares on some systems only.
    page.add_init_script("navigator.share = async (data) => { window.handedOn = data.text; }")
    page.goto(stage.site + stage.pages["result"])
    page.click("#share-copy")
    expect(page.locator("#share-copy")).to_have_text("Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.endswith(stage.pages["result"])
    assert copied == page.input_value("#share-text")
    page.click("#share-send")
    assert page.evaluate("window.handedOn") == copied
