"""The pages as an app: kept for when there is no connection, never of two versions at once, and light to load.

The server here is the one of production: hashed and compressed files, served by granian and whitenoise.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from qvserver.throwaway import free_port
from tests.conftest import ROOT, Process, wait_for

from .conftest import OUTPUT, PHONE

#: So much of scripts and styles of their own may the first pages load, compressed.
BUDGET_KIB = 50


class Server(Process):
    """The web service, with a folder of collected files."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        arguments = ["-m", "granian", "--interface", "wsgi", "--port", str(self.port), "--log-level", "warning"]
        super().__init__([*arguments, "qvserver.wsgi:application"], QV_DATA=str(data))

    def collect(self) -> None:
        """Collect the static files, as ``manage.py prepare`` does."""
        (self.data / "static").mkdir(parents=True)
        command = [sys.executable, "manage.py", "collectstatic", "--noinput", "-v0"]
        subprocess.run(command, cwd=ROOT, env={**os.environ, "QV_DATA": str(self.data)}, check=True)

    def start(self) -> None:
        super().start()
        wait_for(self._answers, seconds=60, what="an answer")

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(self.address + "/healthz") as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def release(self, name: str) -> None:
        """Serve another version of a static file from the next start on."""
        manifest = self.data / "static" / "staticfiles.json"
        content = json.loads(manifest.read_text())
        old = content["paths"][name]
        stem, _hash, ending = old.rsplit(".", 2)
        content["paths"][name] = f"{stem}.0123456789ab.{ending}"
        shutil.copy(self.data / "static" / old, self.data / "static" / content["paths"][name])
        manifest.write_text(json.dumps(content))


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the static files, collected once."""
    data = tmp_path_factory.mktemp("data")
    Server(data).collect()
    return data


@pytest.fixture
def server(collected: Path, transactional_db: None) -> Iterator[Server]:
    server = Server(collected)
    server.start()
    yield server
    server.kill()


@pytest.fixture
def context(browser: Browser) -> BrowserContext:
    return browser.new_context(viewport=PHONE)


def ready_page(context: BrowserContext, address: str) -> Page:
    """A page whose service worker has kept what there is to keep."""
    page = context.new_page()
    page.goto(address)
    page.evaluate("async () => { await navigator.serviceWorker.ready; }")
    page.wait_for_function("() => navigator.serviceWorker.controller?.state === 'activated'", timeout=60_000)
    return page


def cache_names(page: Page) -> list[str]:
    return list(page.evaluate("() => caches.keys()"))


def test_practice_works_without_a_server(server: Server, context: BrowserContext) -> None:
    page = ready_page(context, f"{server.address}/practice/")
    server.kill()
    page.goto(f"{server.address}/practice/?mode=kl-d3n")
    page.wait_for_url("**/practice/KL1-D3N-*/")
    page.goto(f"{server.address}/practice/FT1-N-AAAAAAV/")
    expect(page.locator(".card")).to_have_count(104)
    page.keyboard.press("s")
    expect(page.locator("#stock-count")).to_have_text("63")
    page.goto(f"{server.address}/practice/?code=KL1-D1N-!!!!!!!")
    expect(page.locator("#code-error")).to_be_visible()
    page.goto(f"{server.address}/boards/")
    expect(page.get_by_role("heading", level=1)).to_have_text("No connection")


def test_a_new_version_is_offered_and_no_page_mixes_two(server: Server, context: BrowserContext) -> None:
    page = ready_page(context, f"{server.address}/practice/")
    (before,) = cache_names(page)
    server.kill()
    server.release("games/words.js")
    server.start()
    page.goto(f"{server.address}/practice/")
    bar = page.locator(".update-bar")
    expect(bar).to_be_visible(timeout=60_000)
    OUTPUT.mkdir(exist_ok=True)
    page.screenshot(path=OUTPUT / "page-update.png")
    with page.expect_navigation():
        bar.get_by_role("button").click()
    page.wait_for_function("async () => (await caches.keys()).length === 1")
    (after,) = cache_names(page)
    assert after != before
    expect(bar).to_have_count(0)


def loaded(page: Page) -> list[dict[str, Any]]:
    """What a page has loaded: name, kind, bytes on the way, whether it kept the page from being painted."""
    return list(
        page.evaluate(
            """() => performance.getEntriesByType("resource").map((entry) => ({
              name: new URL(entry.name).pathname,
              kind: entry.initiatorType,
              bytes: entry.encodedBodySize,
              blocks: entry.renderBlockingStatus === "blocking",
            }))"""
        )
    )


@pytest.mark.parametrize("path", ["/", "/boards/ft-n/", "/rules/klondike/", "/practice/"])
def test_pages_are_light_and_stay_where_they_are(server: Server, browser: Browser, path: str) -> None:
    context = browser.new_context(viewport=PHONE, service_workers="block")
    page = context.new_page()
    page.add_init_script(
        """window.shift = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) window.shift += entry.value;
        }).observe({ type: "layout-shift", buffered: true });"""
    )
    kept: dict[str, str] = {}
    page.on("response", lambda answer: kept.update({answer.url: answer.headers.get("cache-control", "")}))
    page.goto(server.address + path)
    page.wait_for_load_state("networkidle")
    found = loaded(page)
    code = [entry for entry in found if entry["name"].endswith((".js", ".css"))]
    size = sum(entry["bytes"] for entry in code)
    lines = [f"{path}: {len(found)} requests, {size / 1024:.1f} KiB of scripts and styles, compressed"]
    lines += [f"  {entry['bytes']:7} {'blocks' if entry['blocks'] else '':7} {entry['name']}" for entry in found]
    OUTPUT.mkdir(exist_ok=True)
    with (OUTPUT / "speed.txt").open("a") as report:
        report.write("\n".join([*lines, ""]))
    assert 0 < size < BUDGET_KIB * 1024
    assert [entry["name"] for entry in code if entry["blocks"] and entry["name"].endswith(".js")] == []
    assert page.evaluate("window.shift") == 0
    static = {url: value for url, value in kept.items() if "/static/" in url}
    assert static
    assert {url for url, value in static.items() if "immutable" not in value} == set()
