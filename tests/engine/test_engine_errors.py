"""games.engine.errors: one tree; each error carries a reason, a message, and where one is to blame an action"""

import inspect
import json
import re

import pytest

from games.engine import (
    BadCode,
    BadDeal,
    BadLog,
    BadNotation,
    Deal,
    EngineError,
    IllegalAction,
    LogTooLarge,
    TooManyActions,
    errors,
    parse_log,
    verify,
)
from tests.engine.tables import refusal, snapshot, table_of

FORTY = Deal.parse("FT1-N-AAAAAAV")
KLONDIKE = Deal.parse("KL1-D1N-AAAAAAG")


def test_the_tree_is_the_one_drawn_in_the_docstring() -> None:
    drawn = re.findall(r"^ +(?:\|   )?\+-- (\w+) ", errors.__doc__ or "", re.MULTILINE)
    there = [
        name
        for name, kind in inspect.getmembers(errors, inspect.isclass)
        if issubclass(kind, EngineError) and kind is not EngineError
    ]
    assert sorted(drawn) == sorted(there)
    assert issubclass(EngineError, ValueError)
    assert all(issubclass(kind, BadLog) for kind in (LogTooLarge, TooManyActions, BadNotation))
    assert not issubclass(IllegalAction, BadLog)


@pytest.mark.parametrize(
    ("kind", "reason", "index", "action", "raising"),
    [
        (BadCode, "bad_code", None, None, lambda: Deal.parse("FT1-N-1")),
        (BadDeal, "bad_deal", None, None, lambda: Deal.of("ft-n", columns=[], stock=[])),
        (LogTooLarge, "log_too_large", None, None, lambda: parse_log("d" * 65_537)),
        (TooManyActions, "too_many_actions", None, None, lambda: parse_log("d " * 10_001)),
        (BadNotation, "bad_notation", 2, "12", lambda: parse_log("d d 12 d")),
    ],
)
def test_what_each_error_carries(kind: type[EngineError], reason: str, index: int, action: str, raising) -> None:
    with pytest.raises(EngineError) as caught:
        raising()
    error = caught.value
    assert type(error) is kind
    assert (error.reason, error.index, error.action) == (reason, index, action)
    assert str(error) == error.message
    assert error.to_dict() == {"index": index, "action": action, "reason": reason, "message": error.message}
    assert reason in repr(error) and type(error).__name__ in repr(error)


@pytest.mark.parametrize(
    ("reason", "deal", "log", "says"),
    [
        ("nothing_to_undo", FORTY, "u", "100 actions"),
        ("stock_empty", FORTY, "d " * 65, "stock is empty"),
        ("no_recycle", FORTY, "r", "one pass"),
        ("stock_not_empty", KLONDIKE, "d d r", "22 cards"),
        ("no_such_pile", KLONDIKE, "h1", "a to g"),
        ("no_such_pile", KLONDIKE, "5a", "foundations 1 to 4"),
        ("same_pile", FORTY, "cc", "Column c"),
        ("one_card_at_a_time", FORTY, "ab2", "one card moves at a time"),
        ("pile_empty", FORTY, "wa", "waste is empty"),
        ("pile_empty", FORTY, "w1", "waste is empty"),
        ("pile_empty", FORTY, "1a", "Foundation 1 is empty"),
        ("not_enough_cards", KLONDIKE, "gf2", "1 cards face up, not 2"),
        ("wrong_foundation", FORTY, "f2", "ace of spades can't go on foundation 2: it takes only hearts"),
        ("wrong_rank", FORTY, "a4", "king of clubs can't go on foundation 4: it takes the ace of clubs next"),
        ("wrong_rank", FORTY, "ab", "king of clubs can't go on 7 of diamonds"),
        ("wrong_rank", KLONDIKE, "ab", "7 of clubs can't go on 9 of diamonds"),
    ],
)
def test_a_message_names_the_cards_and_the_rule(reason: str, deal: Deal, log: str, says: str) -> None:
    error = verify(deal, log).to_dict()["error"]
    assert error["reason"] == reason
    assert says in error["message"]
    assert error["index"] == len(log.split()) - 1
    assert error["action"] == log.split()[-1]


HOSTILE = {
    "nothing": "",
    "NUL": "\x00",
    "NUL inside": "d\x00d",
    "lone surrogate": "\ud800",
    "lone surrogates": "d \udfff\ud800 d",
    "surrogates over the limit": "\ud800" * 30_000,
    "controls": "".join(map(chr, range(32))),
    "right to left": "\u202ed u",
    "astral": "😀" * 10,
    "exactly 64 KiB": "é" * 32_768,
    "64 KiB and a byte": "é" * 32_768 + "d",
    "64 KiB of blanks": " " * 65_536,
    "one word": "a" * 65_536,
    "10,000 actions": "d u " * 5_000,
    "10,001 actions": "d u " * 5_000 + "d",
    "megabytes": "d " * 2_000_000,
    "JSON": '["d", "u"]',
    "format": "{0} %s {} ${x}",
    "many digits": "ab" + "9" * 5_000,
    "digits of another script": "ab\u0663",
}


@pytest.mark.parametrize("deal", [FORTY, KLONDIKE], ids=["ft-n", "kl-d1n"])
@pytest.mark.parametrize("log", HOSTILE.values(), ids=HOSTILE.keys())
def test_verify_never_raises_whatever_the_log_holds(deal: Deal, log: str) -> None:
    verdict = verify(deal, log).to_dict()
    assert verdict["valid"] == (verdict["error"] is None)
    assert json.loads(json.dumps(verdict)) == verdict
    if verdict["error"]:
        verdict["error"]["message"].encode()
        assert len(verdict["error"]["message"]) < 300
        assert (verdict["moves"], verdict["score"]) == (0, 0)


def test_limits_end_where_they_say() -> None:
    reasons = {name: (verify(FORTY, HOSTILE[name]).to_dict()["error"] or {}).get("reason") for name in HOSTILE}
    assert reasons["exactly 64 KiB"] == "bad_notation"
    assert reasons["64 KiB and a byte"] == "log_too_large"
    assert reasons["64 KiB of blanks"] is None
    assert reasons["10,000 actions"] is None
    assert reasons["10,001 actions"] == "too_many_actions"
    assert reasons["megabytes"] == "log_too_large"


def test_a_refusal_changes_nothing_and_the_game_goes_on() -> None:
    table = table_of(FORTY, "d d")
    before = snapshot(table)
    for text in ("r", "ab2", "cc", "1a", "ab", "f2"):
        assert refusal(table, text)
        assert snapshot(table) == before
    assert refusal(table, "f1") is None
