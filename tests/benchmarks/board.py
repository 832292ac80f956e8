"""How evenly the board draws while ten cards travel or are dragged at once: the times between frames in Chromium.

Each kind is run many times; what counts is the longest time between two frames in the median run. Frames of a page on
which nothing moves are measured in the same way, between the others: they show what the machine does by itself.
"""

from __future__ import annotations

import os
import shutil
import statistics
from collections import defaultdict
from collections.abc import Callable

from playwright.sync_api import Page, sync_playwright

from games.engine import Code
from tests.browser.conftest import DESKTOP, PHONE, Table
from tests.dailies import proof_of

from .pipeline import Stack

RUNS = 15
MILLISECONDS = 450
CODE = "KL1-D3N-IN3HVMS"
#: The action of the winning log that moves ten cards.
CASCADE = "fa10"

_MEASURE = """([key, milliseconds]) => new Promise((resolve) => {
  const deltas = [];
  const start = performance.now();
  let last;
  const step = (now) => {
    if (last === undefined && key) {
      document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    } else if (last !== undefined) {
      deltas.push(now - last);
    }
    last = now;
    now - start < milliseconds ? requestAnimationFrame(step) : resolve(deltas);
  };
  requestAnimationFrame(step);
})"""


def measure(page: Page, key: str = "") -> list[float]:
    """Milliseconds between the frames after a key was pressed."""
    return list(page.evaluate(_MEASURE, [key, MILLISECONDS]))


def cascade(table: Table) -> list[float]:
    """Frames while ten cards travel to another column."""
    table.press(CASCADE[0], "Enter", *["ArrowUp"] * (int(CASCADE[2:]) - 1))
    found = measure(table.page, CASCADE[1])
    table.press("u")
    table.page.wait_for_timeout(300)
    return found


def drag(table: Table) -> list[float]:
    """Frames while ten cards are dragged about."""
    x, y = table.grip(CASCADE[0], int(CASCADE[2:]))
    table.page.mouse.move(x, y)
    table.page.mouse.down()
    table.page.mouse.move(x - 20, y + 20)
    table.page.evaluate(f"window.frames_ = ({_MEASURE})(['', {MILLISECONDS}])")
    for step in range(12):
        table.page.mouse.move(x - 20 - 5 * step, y + 20 + 3 * step)
    found = list(table.page.evaluate("window.frames_"))
    table.page.mouse.move(x, y)
    table.page.mouse.up()
    table.page.wait_for_timeout(300)
    return found


def idle(table: Table) -> list[float]:
    """Frames while nothing moves."""
    return measure(table.page)


KINDS: tuple[Callable[[Table], list[float]], ...] = (idle, cascade, drag)


def report(name: str, runs: list[list[float]]) -> None:
    """A line with the longest time between frames in the median run, and over all runs."""
    longest = [max(run) for run in runs]
    every = sorted(delta for run in runs for delta in run)
    print(
        f"{name}: longest frame {statistics.median(longest):.1f} ms in the median of {len(runs)} runs"
        f" ({min(longest):.1f} to {max(longest):.1f}); {sum(one > 32 for one in longest)} runs with one over 32 ms;"
        f" all {len(every)} frames: p50 {every[len(every) // 2]:.1f}, p99 {every[len(every) * 99 // 100]:.1f} ms"
    )


def main() -> None:
    """Print the figures for a desktop's and a phone's size."""
    log = proof_of(Code.parse(CODE)).log.split()
    chromium = os.environ.get("QV_CHROMIUM") or shutil.which("chromium")
    with Stack() as stack, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for size, viewport in (("desktop", DESKTOP), ("phone", PHONE)):
            page = browser.new_page(viewport=viewport)
            page.goto(f"http://127.0.0.1:{stack.port}/practice/{CODE}/")
            table = Table(page).wait()
            table.play_by_keys(log[: log.index(CASCADE)])
            page.wait_for_timeout(500)
            runs = defaultdict(list)
            for _ in range(RUNS):
                for kind in KINDS:
                    runs[kind.__name__].append(kind(table))
            for name, found in runs.items():
                report(f"{size}, {name}", found)
        browser.close()
