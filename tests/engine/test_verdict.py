"""games.engine.verdict"""

import json

import pytest

from games.engine import Deal, verify

KEYS = """
    code valid error won score ranked_score moves draws undos recycles foundation_cards waste_to_column taken_back
"""


def test_the_shape_of_a_verdict() -> None:
    verdict = verify(Deal.parse("FT1-N-AAAAAAV"), "d d u")
    assert verdict.to_dict() == {
        "code": "FT1-N-AAAAAAV",
        "valid": True,
        "error": None,
        "won": False,
        "score": 0,
        "ranked_score": 0,
        "moves": 2,
        "draws": 1,
        "undos": 1,
        "recycles": 0,
        "foundation_cards": 0,
        "waste_to_column": 0,
        "taken_back": 0,
    }
    assert list(verdict.to_dict()) == KEYS.split()
    assert json.loads(json.dumps(verdict.to_dict())) == verdict.to_dict()


def test_the_error_names_the_first_illegal_action() -> None:
    verdict = verify(Deal.parse("FT1-N-AAAAAAV"), "d ab r")
    error = verdict.to_dict()["error"]
    assert not verdict.valid
    assert list(error) == ["index", "action", "reason", "message"]
    assert (error["index"], error["action"], error["reason"]) == (1, "ab", "wrong_rank")


def test_code_is_null_for_a_deal_given_by_its_cards() -> None:
    seen = Deal.parse("KL1-D1N-AAAAAAG").to_dict()
    deal = Deal.of("kl-d1n", columns=seen["columns"], stock=seen["stock"])
    assert verify(deal, "d").to_dict()["code"] is None


def test_a_verdict_does_not_change() -> None:
    verdict = verify(Deal.parse("KL1-D1N-AAAAAAG"), "")
    with pytest.raises(AttributeError):
        verdict.score = 1000  # type: ignore[misc]
