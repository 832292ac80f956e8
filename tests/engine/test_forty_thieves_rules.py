"""games.engine.forty_thieves (rules.md, Forty Thieves)"""

import pytest

from games.engine import Deal, verify
from tests.engine.tables import deal_of, deal_with, refusal, shown, table_of, won_vectors

WON = won_vectors("ft-n")


def reason_and_message(deal: Deal, log: str) -> tuple[str, str]:
    error = verify(deal, log).to_dict()["error"]
    assert error["index"] == len(log.split()) - 1
    return error["reason"], error["message"]


def test_the_layout() -> None:
    table = table_of(Deal.parse("FT1-N-AAAAAAV"))
    assert [len(column) for column in table.columns] == [4] * 10
    assert (len(table.stock), table.waste, table.face_down) == (64, [], [0] * 10)
    assert table.score == table.ranked_score == table.foundation_cards == 0


def test_a_card_goes_on_the_same_suit_one_rank_higher_only() -> None:
    deal = deal_with("ft-n", "a: 7S, b: 8S, c: 8H, d: 8C, e: 9S, f: 6S, g: AS, h: KH, i: 7S")
    assert refusal(table_of(deal), "ab") is None
    same_colour = reason_and_message(deal, "ad")
    assert same_colour[0] == "wrong_suit"
    assert "7 of spades can't go on 8 of clubs" in same_colour[1] and "same suit" in same_colour[1]
    assert reason_and_message(deal, "ac")[0] == "wrong_suit"
    for target in "efgh":
        assert reason_and_message(deal, f"a{target}")[0] == "wrong_rank"
    # Its twin isn't one rank higher.
    assert reason_and_message(deal, "ai")[0] == "wrong_rank"


def test_nothing_goes_on_an_ace() -> None:
    deal = deal_with("ft-n", "a: AS, b: 2S, c: AS, d: KS", "KS")
    table = table_of(deal, "d")
    assert [refusal(table, text) for text in ("ba", "ca", "da", "wa")] == ["wrong_rank"] * 4


def emptied(a: str = "2H 3H 4H 5H", stock: str = "KC QC") -> Deal:
    """Column a is empty after ``ab ac ad ae``."""
    return deal_with("ft-n", f"a: {a}, b: 6H, c: 5H, d: 4H, e: 3H, f: 9S, g: AC, h: 2C", stock)


@pytest.mark.parametrize("text", ["fa", "wa", "ha"])
def test_an_empty_column_takes_any_card(text: str) -> None:
    table = table_of(emptied(), "d ab ac ad ae")
    assert table.columns[0] == []
    assert refusal(table, text) is None
    assert len(table.columns[0]) == 1


def test_an_empty_column_takes_a_card_back_from_a_foundation() -> None:
    table = table_of(emptied(), "ab ac ad ae g4 4a")
    assert table.taken_back == 1
    assert len(table.columns[0]) == 1


def test_an_empty_column_has_no_card_to_move() -> None:
    for text in ("ab", "a4"):
        reason, message = reason_and_message(emptied(), f"ab ac ad ae {text}")
        assert reason == "pile_empty"
        assert "Column a is empty" in message


def test_cards_in_sequence_never_move_together() -> None:
    deal = deal_with("ft-n", "a: 8S 7S, b: 9S")
    assert reason_and_message(deal, "ab2")[0] == "one_card_at_a_time"
    # Looked at after the piles themselves, before what lies in them.
    assert reason_and_message(deal, "aa2")[0] == "same_pile"
    assert reason_and_message(emptied(), "ab ac ad ae ab2")[0] == "one_card_at_a_time"


def test_foundations_have_fixed_suits_s_h_d_c_twice() -> None:
    for suit, own in (("S", "15"), ("H", "26"), ("D", "37"), ("C", "48")):
        deal = deal_with("ft-n", f"a: A{suit}")
        for foundation in "12345678":
            expected = None if foundation in own else "wrong_foundation"
            assert refusal(table_of(deal), f"a{foundation}") == expected


def test_an_ace_has_the_choice_of_two_foundations() -> None:
    """KPat, 2020: a solver that tried only the leftmost of two called winnable deals unwinnable."""
    deal = deal_with("ft-n", "a: AS, b: AS, c: 2S, d: 2S, e: 3S")
    assert shown(table_of(deal, "a5 b1 c5 e5 d1"))["foundation_cards"] == 5
    assert reason_and_message(deal, "a5 c1")[0] == "wrong_rank"


def test_a_foundation_goes_up_one_by_one() -> None:
    deal = deal_with("ft-n", "a: AS, b: 2S, c: 3S, d: AS")
    assert reason_and_message(deal, "b1")[1].endswith("it takes the ace of spades next.")
    assert reason_and_message(deal, "a1 c1")[0] == "wrong_rank"
    assert reason_and_message(deal, "a1 d1")[0] == "wrong_rank"
    assert refusal(table_of(deal, "a1 b1"), "c1") is None


def test_a_complete_foundation_takes_nothing_more() -> None:
    deal = deal_with("ft-n", "a: KS", " ".join(rank + "S" for rank in "A23456789TJQK"))
    reason, message = reason_and_message(deal, "d w1 " * 13 + "a1")
    assert reason == "wrong_rank"
    assert "it is complete" in message


def test_one_pass_through_the_stock() -> None:
    deal = Deal.parse("FT1-N-AAAAAAV")
    assert table_of(deal, "d " * 64).stock == []
    assert reason_and_message(deal, "d " * 65)[0] == "stock_empty"
    assert reason_and_message(deal, "d " * 64 + "r")[0] == "no_recycle"


@pytest.mark.parametrize(
    ("log", "score"),
    [
        ("d", 0),
        ("ab", 0),
        ("g4", 10),
        ("d wa", 0),
        ("ab ac ad ae d wa", 5),
        ("ab ac ad ae g4 h4", 20),
        ("ab ac ad ae g4 h4 4a", 5),
        ("ab ac ad ae g4 4a", 0),
        ("ab ac ad ae g4 4a a4", 10),
        ("ab ac ad ae g4 4a u", 10),
    ],
)
def test_what_each_action_scores(log: str, score: int) -> None:
    verdict = verify(emptied(), log)
    assert (verdict.score, verdict.ranked_score) == (score, score)
    assert verdict.valid == (log != "d wa")


def test_taking_back_costs_more_than_it_earns_but_never_below_0() -> None:
    """-15 and +10 again: below 10 points the floor makes it free, but never profitable."""
    deal = deal_with("ft-n", "a: 2S, b: AS, c: AH, d: AD, e: AC")
    table = table_of(deal, "b1")
    for _ in range(50):
        assert refusal(table, "1a") is None
        assert table.score == table.ranked_score == 0
        assert refusal(table, "a1") is None
        assert table.score == table.ranked_score == 10
    more = table_of(deal, "b1 c2 d3 e4")
    assert [more.score, refusal(more, "1a"), more.score, refusal(more, "a1"), more.score] == [40, None, 25, None, 35]


def test_waste_to_column_to_foundation_scores_more_than_waste_to_foundation() -> None:
    """Simple-Solitaire #169. It does here too."""
    deal = deal_with("ft-n", "a: 2S", "AS")
    assert verify(deal, "d w1").score == 10
    assert verify(deal, "d wa a1").score == 15


@pytest.mark.parametrize("entry", WON, ids=lambda entry: entry["note"])
def test_a_won_game_scores_1040_and_5_for_each_waste_card_placed_on_a_column(entry: dict) -> None:
    verdict = verify(deal_of(entry), entry["log"])
    assert verdict.won and verdict.foundation_cards == 104
    on_columns = sum(word[0] == "w" and word[1].isalpha() for word in entry["log"].split())
    assert verdict.waste_to_column == on_columns
    assert verdict.score == verdict.ranked_score == 1040 + 5 * on_columns


def test_the_worked_example_of_the_seeds() -> None:
    """29 cards from the waste to a column: 1185 points."""
    game = table_of(Deal.parse("FT1-N-AAAAAAV"))
    assert 104 * game.home_points + 29 * game.waste_to_column_points == 1185
