"""A browser on the real server: PostgreSQL, Redis, a worker, and Debian's Chromium.

Playwright's synchronous interface runs an event loop in the test's thread, where Django would refuse its ORM: see
`_playwright`. What a test asks of the database while pages are open, it asks in a thread of its own.
"""

from __future__ import annotations

import datetime
import json
import os
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import connections
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, CDPSession, ConsoleMessage, Page, Playwright, sync_playwright
from pytest_django.live_server_helper import LiveServer

from games.engine import Code
from games.models import Challenge, Player
from games.services.publishing import Proof, publish_daily
from tests.conftest import Process, wait_for
from tests.qvserver.test_live import Live

ROOT = Path(__file__).parent.parent.parent
OUTPUT = ROOT / "ci-output"
CHROMIUM = os.environ.get("QV_CHROMIUM") or shutil.which("chromium") or ""

#: A deal of Klondike, draw 1, and a log of 98 actions that the solver found: runs of up to five cards, no redeal.
KLONDIKE = "KL1-D1N-AAAAABR"
KLONDIKE_LOG = (
    "eb e3 ef d we ge g3 gf g4 c4 ge d d d w2 d d d d wc fc3 fe fg f2 eg5 g2 af ca5 d wc d d wa da d1 w1 wc w1 g1 f1"
    " ca3 wc w2 g2 f2 f3 w3 bf2 d we d d d w4 a4 a3 b3 a1 a3 d d d w3 d d d w4 g4 g2 d d w1 a1 e1 w2 a2 a1 d w2 a2 we"
    " w4 g4 e4 g3 e3 g4 w2 w1 d1 w3 f3 f1 w4 d2 a4 a3 c4"
)
KLONDIKE_WIN = KLONDIKE_LOG.split()

#: Pages that nobody looks at keep their pace, as when a test opens several.
FLAGS = [
    "--no-sandbox",
    "--no-first-run",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--hide-scrollbars",
]

PHONE = {"width": 390, "height": 844}
DESKTOP = {"width": 1280, "height": 800}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if not CHROMIUM:
        for item in items:
            if "browser" in getattr(item, "fixturenames", ()):
                item.add_marker(pytest.mark.skip(reason="no chromium here"))


@pytest.fixture
def klondike_daily(transactional_db: None) -> Challenge:
    """Today's Klondike, which `KLONDIKE_WIN` wins."""
    now = datetime.datetime.now(datetime.UTC)
    proof = Proof(Code.parse(KLONDIKE), KLONDIKE_LOG, seconds=1.0, solver_version=1, difficulty="easy")
    return publish_daily(date=now.date(), proof=proof, now=now)[0]


@pytest.fixture
def site(live_server: LiveServer) -> str:
    """The address of the server."""
    return str(live_server.url)


@pytest.fixture
def checked_site(site: str, worker: Process) -> str:
    """The address of a server with a worker that checks games."""
    return site


@contextmanager
def live_service(settings: Any) -> Iterator[Live]:
    """The live service, which the pages know of."""
    service = Live()
    service.start()
    settings.QV_LIVE_URL = f":{service.port}"
    yield service
    service.stop()


@pytest.fixture
def live_site(checked_site: str, settings: Any) -> Iterator[str]:
    """The address of a server with a worker and the live service."""
    with live_service(settings):
        yield checked_site


def session_of(player: Player) -> str:
    """A session of the player's, to be made before the browser is."""
    client = Client()
    client.force_login(player, backend="allauth.account.auth_backends.AuthenticationBackend")
    return str(client.cookies["sessionid"].value)


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a Chromium that all tests share: starting one for each costs more than most tests."""
    folder = tmp_path_factory.mktemp("chromium")
    command = [CHROMIUM, "--headless", *FLAGS, "--remote-debugging-port=0", f"--user-data-dir={folder}", "about:blank"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        port_file = folder / "DevToolsActivePort"
        wait_for(lambda: port_file.exists() and "\n" in port_file.read_text(), what="Chromium")
        yield f"http://127.0.0.1:{port_file.read_text().split()[0]}"
        process.terminate()


@pytest.fixture(scope="module")
def _playwright() -> Iterator[Playwright]:
    """Playwright; while its event loop runs in this thread, Django would refuse fixtures that use the ORM."""
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        yield playwright


@pytest.fixture
def browser(transactional_db: None, chromium: str, _playwright: Playwright) -> Iterator[Browser]:
    """Chromium; what a test opened in it is closed before the database is emptied."""
    browser = _playwright.chromium.connect_over_cdp(chromium)
    yield browser
    for context in browser.contexts:
        context.close()
    browser.close()


Opener = Callable[..., "Table"]


@pytest.fixture
def open_table(browser: Browser, site: str) -> Iterator[Opener]:
    """Opens a page in a browser of its own, unless one is given. Errors in its console fail the test."""
    problems: list[str] = []

    def note(message: ConsoleMessage) -> None:
        is_expected = "Failed to load resource" in message.text or "registration blocked by Playwright" in message.text
        if message.type in ("error", "warning") and not is_expected:
            problems.append(message.text)

    def opened(path: str, *, context: BrowserContext | None = None, settings: Any = None, **options: Any) -> Table:
        options.setdefault("viewport", DESKTOP)
        # What it keeps would be fetched anew by each test.
        options.setdefault("service_workers", "block")
        context = context or browser.new_context(**options)
        if settings:
            context.add_init_script(f"localStorage.setItem('qv-settings', {json.dumps(json.dumps(settings))})")
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("console", note)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(site + path)
        return Table(page)

    yield opened
    assert problems == []


def in_thread(ask: Callable[[], Any]) -> Any:
    """What the ORM answers, asked in a thread of its own."""
    found: list[Any] = []

    def run() -> None:
        found.append(ask())
        connections.close_all()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return found[0]


class Table:
    """The table on a page, with hands: a mouse, a finger and a keyboard."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._fingers: CDPSession | None = None

    def text(self, selector: str) -> str:
        return (self.page.text_content(selector) or "").strip()

    @property
    def moves(self) -> int:
        return int(self.text("#moves"))

    def wait(self) -> Table:
        """Until the cards are there."""
        self.page.wait_for_selector(".card")
        return self

    def cards(self) -> dict[str, list[int]]:
        """The cards of each pile, from the bottom up."""
        return dict(
            self.page.evaluate(
                """() => {
                  const piles = {};
                  for (const card of document.querySelectorAll(".card")) {
                    const pile = (piles[card.dataset.pile] ??= []);
                    pile[Number(card.dataset.index)] = Number(card.dataset.card);
                  }
                  return piles;
                }"""
            )
        )

    def box(self, pile: str, from_top: int = 1) -> tuple[float, float, float, float]:
        """Where a card of a pile lies, or the empty pile, once all have arrived: x, y, width, height."""
        x, y, width, height = self.page.evaluate(
            """([pile, fromTop]) => {
              const cards = [...document.querySelectorAll(`.card[data-pile="${pile}"]`)];
              cards.sort((one, other) => other.dataset.index - one.dataset.index);
              const shown = cards[fromTop - 1] ?? document.querySelector(`.pile[data-pile="${pile}"]`);
              const table = document.querySelector("#table").getBoundingClientRect();
              const { e, f } = new DOMMatrix(shown.style.transform);
              const { width } = shown.getBoundingClientRect();
              return [table.left + e, table.top + f, width, width * 1.4];
            }""",
            [pile, from_top],
        )
        return x, y, width, height

    def grip(self, pile: str, from_top: int = 1) -> tuple[float, float]:
        """A point near the upper edge of a card: that part of it shows, whatever lies on it."""
        x, y, width, _ = self.box(pile, from_top)
        return x + width / 2, y + 5

    def middle(self, pile: str) -> tuple[float, float]:
        x, y, width, height = self.box(pile)
        return x + width / 2, y + height / 2

    def click(self, pile: str, **options: Any) -> None:
        self.page.mouse.click(*self.middle(pile), **options)

    def drag(self, action: str, *, steps: int = 2) -> None:
        """Play a move of the notation with the mouse."""
        source, target, count = action[0], action[1], int(action[2:] or 1)
        grip = self.grip(source, count)
        x, y = self.grip(target)
        self.page.mouse.move(*grip)
        self.page.mouse.down()
        self.page.mouse.move(x + 6, y + 9, steps=steps)
        self.page.mouse.up()

    def play_by_mouse(self, actions: list[str]) -> None:
        for action in actions:
            if action in "dr":
                self.click("s")
            else:
                self.drag(action)

    def touch(self, kind: str, *points: tuple[float, float]) -> None:
        """What a finger does: touchStart, touchMove, touchEnd."""
        self._fingers = self._fingers or self.page.context.new_cdp_session(self.page)
        found = [{"x": x, "y": y} for x, y in points]
        self._fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": found})

    def touch_drag(self, action: str) -> None:
        """Play a move of the notation with a finger."""
        source, target, count = action[0], action[1], int(action[2:] or 1)
        (x0, y0), (x1, y1) = self.grip(source, count), self.grip(target)
        self.touch("touchStart", (x0, y0))
        for step in (0.5, 1):
            self.touch("touchMove", (x0 + (x1 - x0) * step, y0 + 4 + (y1 - y0) * step))
        self.touch("touchEnd")

    def play_by_touch(self, actions: list[str]) -> None:
        for action in actions:
            if action in "dr":
                self.page.touchscreen.tap(*self.middle("s"))
            else:
                self.touch_drag(action)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def play_by_keys(self, actions: list[str]) -> None:
        """Play by letters: go to the pile, lift, take more cards along, go to the target."""
        for action in actions:
            if action in "dr":
                self.press("s")
            else:
                self.press(action[0], "Enter", *["ArrowUp"] * (int(action[2:] or 1) - 1), action[1])
