"""What a player is told, word for word: one line for each reason"""

from __future__ import annotations

import pytest

from games.engine import BadCode, BadDeal, Code, Deal, NotWon, verify, winning_moves
from tests.engine.tables import deal_with, read_vectors

SPADES = "AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS"
HEARTS = "AH 2H 3H 4H 5H 6H 7H 8H 9H TH JH"
WAYS = "which is no action: write d, r, u, or a move from pile to pile like wa, ab, ab3, w1, a1 or 1a, in lower case."
PILES = "names a pile that isn't there: Klondike has the columns a to g and the foundations 1 to 4."
RANKS = "in a column a card goes on one exactly one rank higher."
ONE_PASS = "The waste can't be turned over: this game has one pass through the stock."
FORTY, KLONDIKE = ("ft-n", "", ""), ("kl-d1n", "", "")


@pytest.mark.parametrize(
    ("deal", "log", "message"),
    [
        (FORTY, "abc", f"Action 0 is 'abc', {WAYS}"),
        (FORTY, "d " + "x" * 20, f"Action 1 is {'x' * 20!r}, {WAYS}"),
        (FORTY, "x" * 21, f"Action 0 is {'x' * 20 + '...'!r}, {WAYS}"),
        (FORTY, "d" * 65_537, "The log has 65,537 bytes; at most 65,536 are taken."),
        (FORTY, "d " * 10_001, "The log has 10,001 actions; at most 10,000 are taken."),
        (FORTY, "u", "There is nothing to take back: only the last 100 actions that stand are remembered."),
        (FORTY, "d " * 65, "The stock is empty: there is no card to draw."),
        (FORTY, "r", ONE_PASS),
        (KLONDIKE, "d d r", "22 cards are left in the stock: draw them first."),
        (
            ("kl-d1n", "", f"{SPADES} {HEARTS}"),
            "d w1 " * 13 + "d w2 " * 11 + "r",
            "The waste is empty: there is nothing to turn over.",
        ),
        (KLONDIKE, "wh", f"wh {PILES}"),
        (KLONDIKE, "w5", f"w5 {PILES}"),
        (KLONDIKE, "ha", f"ha {PILES}"),
        (KLONDIKE, "ah", f"ah {PILES}"),
        (KLONDIKE, "a5", f"a5 {PILES}"),
        (KLONDIKE, "h1", f"h1 {PILES}"),
        (KLONDIKE, "5a", f"5a {PILES}"),
        (KLONDIKE, "1h", f"1h {PILES}"),
        (FORTY, "jj", "Column j is both source and target."),
        (FORTY, "ab2", "2 cards can't move together: one card moves at a time."),
        (FORTY, "wa", "The waste is empty: there is no card to play."),
        (FORTY, "w1", "The waste is empty: there is no card to play."),
        (FORTY, "8a", "Foundation 8 is empty: there is no card to take back."),
        (("kl-d1n", "a: 7S, b: 8H", ""), "ab ac", "Column a is empty: there is no card to move."),
        (("kl-d1n", "a: 7S, b: 8H", ""), "ab a1", "Column a is empty: there is no card to move."),
        (KLONDIKE, "gb3", "Column g has 1 cards face up, not 3."),
        (("ft-n", "a: AS", ""), "a2", "ace of spades can't go on foundation 2: it takes only hearts."),
        (("ft-n", "a: 2S", ""), "a1", "2 of spades can't go on foundation 1: it takes the ace of spades next."),
        (
            ("ft-n", "a: QS", SPADES),
            "d w1 " * 12 + "a1",
            "queen of spades can't go on foundation 1: it takes the king of spades next.",
        ),
        (("ft-n", "a: KS", SPADES), "d w1 " * 13 + "a1", "king of spades can't go on foundation 1: it is complete."),
        (
            ("kl-d1n", "a: 7S, b: 8H, c: 6H", ""),
            "ab ca",
            "6 of hearts can't go on an empty column: only a king can, with the cards on it.",
        ),
        (("kl-d1n", "a: 7S, b: 9H", ""), "ab", f"7 of spades can't go on 9 of hearts: {RANKS}"),
        (
            ("kl-d1n", "a: 7S, b: 8C", ""),
            "ab",
            "7 of spades can't go on 8 of clubs: in a column a card goes on one of the other colour.",
        ),
        (("ft-n", "a: 7S, b: 9S", ""), "ab", f"7 of spades can't go on 9 of spades: {RANKS}"),
        (
            ("ft-n", "a: 7S, b: 8C", ""),
            "ab",
            "7 of spades can't go on 8 of clubs: in a column a card goes on one of the same suit.",
        ),
    ],
)
def test_why_a_log_is_refused(deal: tuple[str, str, str], log: str, message: str) -> None:
    error = verify(deal_with(*deal), log).error
    assert error is not None and error.message == message


def test_a_won_game_is_over() -> None:
    entry = next(entry for entry in read_vectors("codes") if entry["verdict"]["won"])
    error = verify(Deal.parse(entry["code"]), entry["log"] + " u").error
    assert error is not None
    assert error.message == "The game is won: nothing can be played or taken back any more."


@pytest.mark.parametrize(
    ("mode", "number", "message"),
    [
        ("ft-x", 1, "'ft-x' is no mode: ft-n, kl-d1n, kl-d3n, kl-d1v, kl-d3v are."),
        ("ft-n", -1, "-1 is no deal number: they go from 0 to 34359738367."),
        ("ft-n", 2**35, "34359738368 is no deal number: they go from 0 to 34359738367."),
    ],
)
def test_why_there_is_no_such_code(mode: str, number: int, message: str) -> None:
    with pytest.raises(BadCode) as caught:
        Code(mode, number)
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("FT1-N-ÀAAAAAA", "A deal code has only the letters A to Z, digits and hyphens, like FT1-N-AAAAAAV."),
        (
            "FT2-N-AAAAAAV",
            "A deal code begins with FT1-N, KL1-D1N, KL1-D3N, KL1-D1V, KL1-D3V and a hyphen, like FT1-N-AAAAAAV.",
        ),
        ("FT1-N-AAAAAA", "A deal code ends in 7 characters after the hyphen; this one has 6."),
        ("FT1-N-AAAAAA9", "'9' can't stand in a deal code: its last 7 are of A to Z and 2 to 7."),
    ],
)
def test_why_a_text_is_no_code(text: str, message: str) -> None:
    with pytest.raises(BadCode) as caught:
        Code.parse(text)
    assert caught.value.message == message


def test_why_cards_are_no_deal() -> None:
    cards = deal_with("kl-d1n").to_dict()
    columns, stock = cards["columns"], cards["stock"]
    doubled = [[columns[1][0]], *columns[1:]]
    for mode, given, message in (
        ("kl", columns, "'kl' is no mode: ft-n, kl-d1n, kl-d3n, kl-d1v, kl-d3v are."),
        ("kl-d1n", [["1S"], *columns[1:]], "'1S' is no card: a rank of A23456789TJQK and a suit of SHDC, like TD"),
        ("kl-d1n", columns[1:], "Klondike has columns of (1, 2, 3, 4, 5, 6, 7) cards, not (2, 3, 4, 5, 6, 7)."),
        ("kl-d1n", doubled, "must be there 1 times, but is"),
    ):
        with pytest.raises(BadDeal) as caught:
            Deal.of(mode, columns=given, stock=stock)
        assert message in caught.value.message if given is doubled else caught.value.message == message


def test_a_log_that_was_to_win_says_why_it_does_not() -> None:
    entry = next(entry for entry in read_vectors("codes") if entry["verdict"]["won"])
    deal = Deal.parse(entry["code"])
    assert winning_moves(deal, entry["log"]) == entry["verdict"]["moves"]
    for of, log, message in (
        (deal, "", f"the log doesn't win {entry['code']}: 0 cards are home"),
        (deal, "r", f"the log doesn't win {entry['code']}: {verify(deal, 'r').error.message}"),  # type: ignore[union-attr]
        (deal_with("ft-n"), "d", "the log doesn't win the deal: 0 cards are home"),
        (deal_with("ft-n"), "r", f"the log doesn't win the deal: {ONE_PASS}"),
    ):
        with pytest.raises(NotWon) as caught:
            winning_moves(of, log)
        assert (caught.value.message, caught.value.reason) == (message, "not_won")
        assert (caught.value.index, caught.value.action) == (None, None)
