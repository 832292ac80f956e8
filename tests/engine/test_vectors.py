"""The engine against verdicts that something else gave (tests/vectors/README.md)"""

import json
import pathlib
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from games.engine import MODES, Deal, verify
from tests.engine.plain_rules import plain_verdict
from tests.engine.tables import SHARED_DATA, deal_of, read_vectors

NAMES = ("hand", "codes", "replays")
ENTRIES = {name: read_vectors(name) for name in NAMES}
REASONS = """
    bad_notation game_over nothing_to_undo stock_empty no_recycle stock_not_empty waste_empty no_such_pile same_pile
    one_card_at_a_time pile_empty not_enough_cards wrong_foundation wrong_rank not_a_king wrong_suit wrong_colour
"""


def verdict_on(deal: Deal, log: str) -> dict[str, Any]:
    """The verdict as the vectors have it: without code and message."""
    verdict = verify(deal, log).to_dict()
    del verdict["code"]
    if verdict["error"]:
        assert verdict["error"].pop("message")
    return verdict


@pytest.mark.parametrize("name", NAMES)
def test_every_vector_gets_its_verdict(name: str) -> None:
    for entry in ENTRIES[name]:
        assert verdict_on(deal_of(entry), entry["log"]) == entry["verdict"], entry["note"]


@pytest.mark.parametrize("name", NAMES)
def test_the_plain_rules_agree_with_every_vector(name: str) -> None:
    for entry in ENTRIES[name]:
        deal = entry["deal"]
        plain = plain_verdict(deal["mode"], deal["columns"], deal["stock"], entry["log"])
        assert plain == entry["verdict"], entry["note"]


@pytest.mark.parametrize("entry", ENTRIES["codes"], ids=lambda entry: entry["code"])
def test_a_code_deals_exactly_these_cards(entry: dict[str, Any]) -> None:
    deal = Deal.parse(entry["code"])
    seen = deal.to_dict()
    assert {key: seen[key] for key in ("mode", "columns", "stock")} == entry["deal"]
    verdict = verify(deal, entry["log"]).to_dict()
    assert verdict["code"] == entry["code"]
    assert {key: value for key, value in verdict.items() if key not in ("code", "error")} == {
        key: value for key, value in entry["verdict"].items() if key != "error"
    }


def test_the_vectors_hold_something_of_everything() -> None:
    entries = [entry for name in NAMES for entry in ENTRIES[name]]
    verdicts = [entry["verdict"] for entry in entries]
    assert {entry["deal"]["mode"] for entry in entries} == set(MODES)
    assert {verdict["error"]["reason"] for verdict in verdicts if verdict["error"]} == set(REASONS.split())
    assert sum(verdict["won"] for verdict in verdicts) > 40
    assert Counter(verdict["undos"] > 100 for verdict in verdicts)[True] > 5
    assert any(verdict["score"] > verdict["ranked_score"] for verdict in verdicts)
    assert all(set(entry) - {"code"} == {"deal", "log", "verdict", "note"} for entry in entries)


@pytest.mark.skipif(not SHARED_DATA, reason="QV_SHARED_DATA names no folder with the full data")
@pytest.mark.parametrize("name", NAMES)
def test_the_full_data(name: str) -> None:
    for number, line in enumerate(_shared(name), 1):
        deal = Deal.of(_mode(line), columns=line["columns"], stock=line["stock"])
        assert verdict_on(deal, line["log"]) == line["verdict"], f"{name}.jsonl, line {number}"
        if "code" in line:
            assert Deal.parse(line["code"]).to_dict()["columns"] == line["columns"]


def _shared(name: str) -> Iterator[dict[str, Any]]:
    with (pathlib.Path(SHARED_DATA or "") / f"{name}.jsonl").open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def _mode(line: dict[str, Any]) -> str:
    return line["mode"] if "mode" in line else Deal.parse(line["code"]).mode
