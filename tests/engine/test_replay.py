"""games.engine.replay: a log against a deal"""

import pathlib
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.engine import RULES_VERSION, Deal, format_log, parse_log, play_all, verify
from tests.engine.plain_rules import plain_verdict
from tests.engine.tables import ALL_ACTIONS, choose, plain_of, shown, starts, steps, table_of

FORTY = Deal.parse("FT1-N-AAAAAAV")
KLONDIKE = Deal.parse("KL1-D1N-AAAAAAG")


def without_words(verdict: dict[str, Any]) -> dict[str, Any]:
    error = verdict["error"] and {key: value for key, value in verdict["error"].items() if key != "message"}
    return {**{key: value for key, value in verdict.items() if key != "code"}, "error": error}


@settings(max_examples=60, deadline=None)
@given(starts(), steps(15), st.lists(st.sampled_from(ALL_ACTIONS) | st.sampled_from(["no", "12", "D"]), max_size=3))
def test_any_log_gets_the_verdict_of_the_plain_rules(
    start: tuple[Deal, str], numbers: list[int], bad: list[str]
) -> None:
    deal, log = start
    plain = plain_of(deal, log)
    words = log.split()
    for number in numbers:
        text = choose(plain, number)
        if text is not None:
            plain.play(text)
            words.append(text)
    text = " ".join([*words, *bad])
    cards = deal.to_dict()
    expected = plain_verdict(deal.mode, cards["columns"], cards["stock"], text)
    assert without_words(verify(deal, text).to_dict()) == expected


@given(starts(), st.sampled_from(" \t\r\n"))
@settings(max_examples=20, deadline=None)
def test_verdict_of_a_log_and_of_its_canonical_form_are_the_same(start: tuple[Deal, str], separator: str) -> None:
    deal, log = start
    loose = separator + log.replace(" ", separator * 2) + separator
    assert verify(deal, loose) == verify(deal, format_log(parse_log(loose))) == verify(deal, log)


@pytest.mark.parametrize("deal", [FORTY, KLONDIKE], ids=["ft-n", "kl-d1n"])
def test_an_empty_log_is_a_valid_game_of_no_moves(deal: Deal) -> None:
    for log in ("", " ", "\n\t\r "):
        verdict = verify(deal, log)
        assert verdict.valid
        assert verdict.moves == verdict.score == 0


def test_notation_comes_before_the_rules() -> None:
    """An action that can't be read, even after one that breaks a rule, leaves the untouched deal."""
    verdict = verify(FORTY, "d d aa d x").to_dict()
    assert (verdict["error"]["reason"], verdict["error"]["index"]) == ("bad_notation", 4)
    untouched = without_words(verify(FORTY, "").to_dict())
    error = {"index": 4, "action": "x", "reason": "bad_notation"}
    assert without_words(verdict) == {**untouched, "valid": False, "error": error}


@pytest.mark.parametrize(("log", "reason"), [("d" * 65_537, "log_too_large"), ("d " * 10_001, "too_many_actions")])
def test_a_log_too_long_leaves_the_untouched_deal(log: str, reason: str) -> None:
    verdict = verify(KLONDIKE, log).to_dict()
    assert without_words(verdict)["error"] == {"index": None, "action": None, "reason": reason}
    assert (verdict["moves"], verdict["draws"]) == (0, 0)


def test_the_figures_are_those_just_before_the_first_illegal_action() -> None:
    verdict = verify(KLONDIKE, "d d r d d d").to_dict()
    assert (verdict["error"]["index"], verdict["error"]["action"]) == (2, "r")
    assert (verdict["moves"], verdict["draws"], verdict["valid"]) == (2, 2, False)


def test_play_all_returns_the_first_illegal_action_and_stops_there() -> None:
    table = table_of(FORTY)
    error = play_all(table, parse_log("d ab d"))
    assert error is not None
    assert (error.index, error.action, error.reason) == (1, "ab", "wrong_rank")
    assert shown(table)["moves"] == 1
    assert play_all(table, []) is None


def test_10_000_actions_are_played() -> None:
    verdict = verify(KLONDIKE, "d u " * 5_000)
    assert verdict.valid
    assert (verdict.moves, verdict.undos, verdict.draws) == (5_000, 5_000, 0)


def test_verifying_twice_gives_the_same() -> None:
    """A deal is not used up: Forty&Eight resumed with extra rows (Simple-Solitaire #134)."""
    log = "d d bf f1 d"
    before = FORTY.to_dict()
    assert verify(FORTY, log).to_dict() == verify(FORTY, log).to_dict()
    assert FORTY.to_dict() == before


def test_rules_version_is_a_number() -> None:
    assert RULES_VERSION >= 1


def test_the_engine_needs_the_standard_library_only() -> None:
    """Rule 1 of the style: no Django, clock, logging, files or randomness. -S hides all that is installed."""
    code = (
        "import sys; before = set(sys.modules); import games.engine; "
        "top = {name.split('.')[0] for name in set(sys.modules) - before} - {'games'}; "
        "print(sorted(top - sys.stdlib_module_names), sorted(top & {'logging', 'random', 'time', 'datetime'}))"
    )
    root = pathlib.Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-S", "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[] []"
