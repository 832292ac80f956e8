"""What went wrong for users of other systems is a test here: each report is named by the docstring of one."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

REPORTS = {
    "days and streaks": [
        "habitica #3231",
        "habitica #4211, #3433",
        "the Wordle travel story",
        "duotrigordle #157",
        "sidhant947/Puzzle #97",
        "hackclub/scrappy #41",
        "osu-web #11479, #11618",
        "osu #31808",
        "osu-web #11422",
    ],
    "submissions and the queue": [
        "osu #24609",
        "osu-stable #1005",
        "osu PR 26333",
        "codabench PR 2426",
        "Leetcode-City #489",
        "Leetcode-City #341",
        "RAWeb PR 3229",
        "osu #12002",
        "osu-queue-processor #16",
        "statistics PR 175",
        "statistics PR 215",
        "celery #10302",
        "learningequality/studio #3395",
        "revel-backend #442",
    ],
    "ranks": [
        "osu #29073",
        "osu #9519",
        "commit-history PR 60",
        "osu #31434",
        "nakama PR 605, #480",
        "nakama #1124",
        "nakama PR 1232",
        "ForFunLabs/webapi #7",
        "Nakama's `best`",
        "agoragames/leaderboard #70",
    ],
    "cheating, moderation, accounts": [
        "Checkora #1632",
        "Checkora #1881",
        "hackatime PR 1340",
        "FAForever/website #167",
        "osu #29857",
        "lila #12644",
        "IronbaneServerLegacy #348",
        "osu-web #10224",
    ],
}


@cache
def docstrings() -> list[str]:
    """Those of all tests."""
    trees = [ast.parse(path.read_text()) for path in Path(__file__).parent.rglob("test_*.py")]
    functions = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return [ast.get_docstring(node) or "" for node in functions if node.name.startswith("test_")]


@pytest.mark.parametrize("report", [report for section in REPORTS.values() for report in section])
def test_a_report_is_a_test(report: str) -> None:
    assert any(report in text for text in docstrings())
