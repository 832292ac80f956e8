"""Whole dailies on the real stack, played to the win by mouse, finger and keys, and seen by somebody else live."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from games.engine import Code, Deal, verify
from games.models import Challenge, Submission
from tests.dailies import proof_of, publish

from .conftest import DESKTOP, PHONE, Opener, Table, in_thread

FAST = {"animation": "off"}
BY_TOUCH = {"viewport": PHONE, "has_touch": True, "is_mobile": True}
#: Of the deals with a known win those with the shortest.
SHORTEST = {"ft-n": "FT1-N-AJSQTY6", "kl-d1n": "KL1-D1N-AAAAA7P", "kl-d3n": "KL1-D3N-XW5ASAZ"}


def by_mouse(table: Table, log: list[str]) -> None:
    table.page.click("#start-daily")
    table.wait().play_by_mouse(log)


def by_touch(table: Table, log: list[str]) -> None:
    table.page.tap("#start-daily")
    table.wait().play_by_touch(log)


def by_keys(table: Table, log: list[str]) -> None:
    while table.page.evaluate("document.activeElement.id") != "start-daily":
        table.press("Tab")
    table.press("Enter")
    table.wait().play_by_keys(log)


@pytest.fixture
def daily(request: pytest.FixtureRequest, transactional_db: None) -> Challenge:
    """Today's daily of the mode that the test is given."""
    code = Code.parse(SHORTEST[request.param])
    return publish(request.param, timezone.now().date(), code)


@pytest.mark.parametrize(
    ("daily", "play", "options"),
    [("ft-n", by_mouse, {"viewport": DESKTOP}), ("kl-d1n", by_touch, BY_TOUCH), ("kl-d3n", by_keys, {})],
    indirect=["daily"],
    ids=["forty-thieves-by-mouse", "draw-1-by-touch", "draw-3-by-keys"],
)
def test_a_daily_is_won_verified_ranked_and_seen_live(
    daily: Challenge,
    play: Callable[[Table, list[str]], None],
    options: dict[str, object],
    live_site: str,
    open_table: Opener,
) -> None:
    log = proof_of(daily.code).log
    verdict = verify(Deal.parse(daily.code), log)
    other = open_table(f"/play/{daily.mode}/")
    others_board = given_up(other).page.locator("#result-board tr")
    expect(others_board).to_have_count(2)

    table = open_table(f"/play/{daily.mode}/", settings=FAST, **options)
    answers: list[str] = []
    table.page.on("response", lambda answer: answers.append(answer.url) if answer.ok else None)
    play(table, log.split())
    expect(table.page.locator("#result-title")).to_have_text("Won!", timeout=20_000)
    assert any("/live/submissions/" in url for url in answers)
    assert table.text("#score").replace(",", "") == str(verdict.score)
    assert table.moves == verdict.moves
    expect(table.page.locator("#result-lines")).to_contain_text("Rank 1 of 2 on the board of best results")
    submission = in_thread(lambda: Submission.objects.select_related("log", "player").get(won=True))
    assert (submission.state, submission.score, submission.claimed_score) == ("verified", verdict.score, verdict.score)
    assert submission.log.text == log

    expect(others_board).to_have_count(3)
    assert submission.player.name in others_board.nth(1).inner_text()
    assert "(you)" in others_board.nth(2).inner_text()
    expect(other.page.locator("#result-lines")).to_contain_text("Rank 2 of 2")


def given_up(table: Table) -> Table:
    """A game that was given up at once."""
    table.page.click("#start-daily")
    table.wait().press("s")
    table.page.click("#give-up")
    table.page.click("#confirm-yes")
    return table
