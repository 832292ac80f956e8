"""Boards read in pages, forwards and backwards."""

from __future__ import annotations

import datetime
import random
from typing import Any

import pytest
from django.utils import timezone

from games.models import Challenge
from leaderboards.addresses import Address, ChallengeBoard, PeriodBoard
from leaderboards.services.reading import BoardPage, read_page
from tests.leaderboards.stage import place


def names(page: BoardPage) -> list[str]:
    return [line.player for line in page.lines]


def pages_forwards(board: Address, limit: int) -> list[BoardPage]:
    pages = [read_page(board=board, own=None, limit=limit)]
    while pages[-1].after is not None:
        pages.append(read_page(board=board, own=None, limit=limit, after=pages[-1].after))
    return pages


@pytest.mark.parametrize("kind", ["challenge", "period"])
def test_the_way_back_leads_through_the_same_pages(daily: Challenge, source: Any, kind: str) -> None:
    """commit-history PR 60: ties had no order, and pages lost players."""
    rng = random.Random(11)
    for n in range(21):
        place(daily, f"p{n:02}", score=rng.choice([0, 10, 20]), moves=rng.choice([1, 2]), elapsed=1)
    source(daily)
    board: Address = ChallengeBoard(daily.pk, "best")
    if kind == "period":
        board = PeriodBoard(daily.mode, "month", timezone.now().date().replace(day=1))
    forwards = pages_forwards(board, 7)
    assert [len(page.lines) for page in forwards] == [7, 7, 7]
    assert forwards[0].before is None and forwards[-1].after is None
    last = forwards[-1]
    assert last.before is not None
    middle = read_page(board=board, own=None, limit=7, before=last.before)
    assert middle == forwards[1]
    assert read_page(board=board, own=None, limit=7, before=middle.before) == forwards[0]


def test_a_page_back_to_the_top_is_whole_though_it_began_elsewhere(daily: Challenge, source: Any) -> None:
    for n in range(9):
        place(daily, f"p{n}", score=90 - n)
    source(daily)
    board = ChallengeBoard(daily.pk, "best")
    around = read_page(board=board, own=None, limit=5, after=read_page(board=board, own=None, limit=3).after)
    assert names(around) == ["p3", "p4", "p5", "p6", "p7"]
    assert names(read_page(board=board, own=None, limit=5, before=around.before)) == ["p0", "p1", "p2", "p3", "p4"]


def test_the_way_back_is_right_where_the_line_it_starts_from_has_gone(daily: Challenge, source: Any) -> None:
    for n in range(6):
        place(daily, f"p{n}", score=60 - n)
    board = ChallengeBoard(daily.pk, "best")
    second = read_page(board=board, own=None, limit=3, after=read_page(board=board, own=None, limit=3).after)
    place(daily, "p3", score=99, elapsed=1)
    source(daily)
    assert names(read_page(board=board, own=None, limit=3, before=second.before)) == ["p0", "p1", "p2"]


def test_an_empty_board_leads_nowhere(daily: Challenge, source: Any) -> None:
    source(daily)
    page = read_page(board=PeriodBoard("ft-n", "week", datetime.date(2020, 1, 6)), own=None, limit=5)
    assert (page.total, page.lines, page.before, page.after) == (0, (), None, None)
