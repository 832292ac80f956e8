"""games.engine.klondike (rules.md, Klondike): four modes"""

import itertools

import pytest

from games.engine import Deal, card_text, parse_card, verify
from games.engine.klondike import Klondike, _hosts
from games.engine.table import EMPTY
from tests.engine.tables import deal_of, deal_with, refusal, shown, snapshot, table_of, won_vectors

MODES = ("kl-d1n", "kl-d3n", "kl-d1v", "kl-d3v")
WON = won_vectors("kl-d1n", "kl-d3n")
SPADES = " ".join(rank + "S" for rank in "A23456789TJQK")
HEARTS = SPADES.replace("S", "H")


def reason_and_message(deal: Deal, log: str) -> tuple[str, str]:
    error = verify(deal, log).to_dict()["error"]
    assert error["index"] == len(log.split()) - 1
    return error["reason"], error["message"]


def waste(deal: Deal, log: str) -> str:
    return " ".join(map(card_text, table_of(deal, log).waste))


# Layout and stock.


@pytest.mark.parametrize("mode", MODES)
def test_the_layout(mode: str) -> None:
    table = table_of(deal_with(mode))
    assert [len(column) for column in table.columns] == [1, 2, 3, 4, 5, 6, 7]
    assert sum(table.face_down) == 21
    assert (len(table.stock), table.waste) == (24, [])
    assert table.score == table.ranked_score == (-52 if mode.endswith("v") else 0)


def test_draw_1_turns_one_card_and_draw_3_three_one_after_the_other() -> None:
    assert waste(deal_with("kl-d1n", stock="AS 2S 3S 4S"), "d d") == "AS 2S"
    assert waste(deal_with("kl-d3n", stock="AS 2S 3S 4S"), "d") == "AS 2S 3S"
    assert table_of(deal_with("kl-d3v", stock="AS 2S 3S 4S"), "d").draws == 1


def test_draw_3_turns_fewer_if_fewer_are_left() -> None:
    """23 cards after one was played: seven draws of three, then one of two."""
    deal = deal_with("kl-d3n", "a: 4H", "AS 2S 3S")
    table = table_of(deal, "d wa " + "d " * 7 + "r " + "d " * 7)
    assert (len(table.stock), len(table.waste)) == (2, 21)
    assert refusal(table, "d") is None
    assert (len(table.stock), len(table.waste)) == (0, 23)
    before = snapshot(table)
    assert refusal(table, "d") == "stock_empty"
    assert snapshot(table) == before
    assert refusal(table, "u") is None
    assert (len(table.stock), len(table.waste)) == (2, 21)


@pytest.mark.parametrize("mode", ["kl-d1n", "kl-d3n"])
def test_normal_turns_the_waste_over_without_limit(mode: str) -> None:
    deal = deal_with(mode)
    draws = "d " * (24 if mode == "kl-d1n" else 8)
    fresh = table_of(deal)
    for rounds in (1, 2, 30):
        table = table_of(deal, (draws + "r ") * rounds)
        assert (table.stock, table.waste, table.recycles) == (fresh.stock, [], rounds)


@pytest.mark.parametrize("mode", ["kl-d1v", "kl-d3v"])
def test_vegas_has_one_pass(mode: str) -> None:
    draws = "d " * (24 if mode == "kl-d1v" else 8)
    assert reason_and_message(deal_with(mode), draws + "r")[0] == "no_recycle"
    assert reason_and_message(deal_with(mode), "r")[0] == "no_recycle"
    assert reason_and_message(deal_with(mode), draws + "d")[0] == "stock_empty"


def test_a_redeal_needs_an_empty_stock_and_a_waste() -> None:
    assert reason_and_message(deal_with("kl-d1n"), "r")[0] == "stock_not_empty"
    assert reason_and_message(deal_with("kl-d1n"), "d r")[0] == "stock_not_empty"
    deal = deal_with("kl-d1n", stock=f"{SPADES} {HEARTS.removesuffix(' KH').removesuffix(' QH')}")
    reason, message = reason_and_message(deal, "d w1 " * 13 + "d w2 " * 11 + "r")
    assert reason == "waste_empty"
    assert "nothing to turn over" in message


# Columns.


def test_which_cards_a_card_goes_on() -> None:
    for rank, suit in itertools.product("A23456789TJQK", "SHDC"):
        higher = "A23456789TJQK"["A23456789TJQK".index(rank) + 1 :][:1]
        others = "HD" if suit in "SC" else "SC"
        expected = {parse_card(higher + other) for other in others} if higher else {EMPTY}
        card = parse_card(rank + suit)
        assert set(_hosts(card)) == set(Klondike.hosts[card]) == expected
        assert len(_hosts(card)) == len(expected)


def test_a_card_goes_on_the_other_colour_one_rank_higher_only() -> None:
    deal = deal_with("kl-d1n", "a: 7S, b: 8H, c: 8D, d: 8C, e: 9H, f: 6H, g: 8S")
    assert refusal(table_of(deal), "ab") is None
    assert refusal(table_of(deal), "ac") is None
    reason, message = reason_and_message(deal, "ad")
    assert reason == "wrong_colour"
    assert "7 of spades can't go on 8 of clubs" in message and "other colour" in message
    assert reason_and_message(deal, "ag")[0] == "wrong_colour"
    assert reason_and_message(deal, "ae")[0] == "wrong_rank"
    assert reason_and_message(deal, "af")[0] == "wrong_rank"


@pytest.mark.parametrize("mode", MODES)
def test_an_empty_column_takes_only_a_king(mode: str) -> None:
    deal = deal_with(mode, "a: 7S, b: 8H, c: KS, d: QS, e: KD", "QH 2C KH")
    reason, message = reason_and_message(deal, "ab da")
    assert reason == "not_a_king"
    assert "queen of spades" in message and "only a king" in message
    assert refusal(table_of(deal, "ab"), "ca") is None
    draws = "d d d " if mode.startswith("kl-d1") else "d "
    assert refusal(table_of(deal, draws + "ab"), "wa") is None
    assert reason_and_message(deal, "ab ac")[0] == "pile_empty"


def test_a_king_moves_to_an_empty_column_with_the_cards_on_it() -> None:
    deal = deal_with("kl-d1n", "a: 7S, b: 8H, c: KS, d: QH, e: JS, f: TH")
    log = "dc ec fc ab"
    assert refusal(table_of(deal, log), "ca4") is None
    assert reason_and_message(deal, log + " ca3")[0] == "not_a_king"
    assert refusal(table_of(deal, log), "ca5") == "not_enough_cards"


def test_a_face_up_card_moves_with_every_card_on_it_and_only_the_first_has_to_fit() -> None:
    deal = deal_with("kl-d1n", "a: 9H, b: 8S, c: 7H, d: TC, e: 6C")
    table = table_of(deal, "ba ca ea")
    assert refusal(table, "ad3") == "wrong_rank"
    assert refusal(table, "ad2") == "wrong_rank"
    assert refusal(table, "ad4") is None
    assert [card_text(card) for card in table.columns[3][-5:]] == ["TC", "9H", "8S", "7H", "6C"]
    assert table.columns[0] == []


def test_no_more_than_are_face_up() -> None:
    reason, message = reason_and_message(deal_with("kl-d1n", "f: 8H"), "gf2")
    assert reason == "not_enough_cards"
    assert "Column g has 1 cards face up, not 2" in message
    assert reason_and_message(deal_with("kl-d1n"), "gf99")[0] == "not_enough_cards"
    assert reason_and_message(deal_with("kl-d1n"), "ab2")[0] == "not_enough_cards"


@pytest.mark.parametrize("text", ["ha", "ah", "wh", "a5", "5a", "w5", "jj", "8j", "hh2", "hh"])
def test_piles_that_klondike_does_not_have(text: str) -> None:
    assert reason_and_message(deal_with("kl-d1n"), text)[0] == "no_such_pile"


def test_a_pile_that_is_not_there_comes_before_all_else_and_same_pile_next() -> None:
    deal = deal_with("kl-d1n")
    assert reason_and_message(deal, "jj9")[0] == "no_such_pile"
    assert reason_and_message(deal, "cc9")[0] == "same_pile"
    assert reason_and_message(deal, "w8")[0] == "no_such_pile"


def test_a_face_down_card_that_is_laid_bare_turns_up_by_itself() -> None:
    deal = deal_with("kl-d1n", "a: 9H, b: 8S, c: AS")
    table = table_of(deal, "ba")
    assert (table.face_down[1], table.score) == (0, 5)
    assert refusal(table, "c1") is None
    assert (table.face_down[2], table.score) == (1, 20)
    assert [refusal(table, "u"), refusal(table, "u")] == [None, None]
    assert (table.face_down, table.score) == ([0, 1, 2, 3, 4, 5, 6], 0)


# Foundations.


def test_foundations_have_fixed_suits_s_h_d_c() -> None:
    for suit, own in zip("SHDC", "1234", strict=True):
        deal = deal_with("kl-d1n", f"a: A{suit}")
        for foundation in "1234":
            assert refusal(table_of(deal), f"a{foundation}") == (None if foundation == own else "wrong_foundation")


def test_taking_back_follows_the_column_rule() -> None:
    deal = deal_with("kl-d1n", "a: 2H, b: AS, c: 2S, d: 3H, e: 2C")
    assert refusal(table_of(deal, "b1"), "1a") is None
    assert reason_and_message(deal, "b1 1e")[0] == "wrong_colour"
    assert reason_and_message(deal, "b1 1d")[0] == "wrong_rank"
    assert reason_and_message(deal, "2a")[0] == "pile_empty"
    assert reason_and_message(deal, "b1 c1 1a")[0] == "wrong_rank"
    assert refusal(table_of(deal, "b1 c1"), "1d") is None


def test_an_ace_does_not_go_back_to_an_empty_column_but_a_king_does() -> None:
    deal = deal_with("kl-d1n", "a: QH, b: KS", SPADES.removesuffix(" KS"))
    log = "d w1 " * 12 + "b1"
    table = table_of(deal, log)
    assert refusal(table, "1a") == "wrong_rank"
    ace = deal_with("kl-d1n", "a: 7S, b: 8H, c: AS")
    assert reason_and_message(ace, "ab c1 1a")[0] == "not_a_king"
    king = deal_with("kl-d1n", "a: 7H, b: 8S, c: KH", HEARTS.replace(" 7H", "").removesuffix(" KH"))
    # Hearts: ace to 6 from the waste, 7 from its column, the rest; then the king comes back to the empty column a.
    log = "d w2 " * 6 + "a2 " + "d w2 " * 5 + "c2"
    assert refusal(table_of(king, log), "2a") is None


# Scores.


@pytest.mark.parametrize(
    ("log", "normal", "vegas"),
    [
        ("", 0, -52),
        ("d", 0, -52),
        ("b1", 15, -47),
        ("b1 1a", 15, -52 + 5),
        ("ba", 5, -52),
        ("d wf", 5, -52),
        ("d wf f4", 15, -47),
        ("d w4", 10, -47),
        ("b1 u", 0, -52),
        ("d wf f4 u u u", 0, -52),
    ],
)
def test_what_each_action_scores(log: str, normal: int, vegas: int) -> None:
    for mode, score in (("kl-d1n", normal), ("kl-d1v", vegas)):
        verdict = verify(deal_with(mode, "a: 2H, b: AS, f: 2D", "AC"), log)
        assert verdict.valid, verdict
        assert (verdict.score, verdict.ranked_score) == (score, score)


@pytest.mark.parametrize("mode", ["kl-d1n", "kl-d3n"])
def test_a_redeal_costs_100_but_less_where_the_floor_stops_it(mode: str) -> None:
    draws = "d " * (24 if mode == "kl-d1n" else 8)
    deal = deal_with(mode, "a: 2H, b: AS")
    assert verify(deal, f"{draws} r").score == 0
    assert verify(deal, f"b1 {draws} r").score == 0
    assert verify(deal, f"b1 {draws} r u").score == 15


def test_a_redeal_costs_100_in_full_above_that() -> None:
    deal = deal_with("kl-d1n", stock=SPADES)
    log = "d w1 " * 13 + "d " * 11
    assert verify(deal, log).score == 130
    assert verify(deal, log + "r").score == 30
    assert verify(deal, log + "r " + "d " * 11 + "r").score == 0


@pytest.mark.parametrize(("home", "score"), [(0, -52), (10, -2), (11, 3), (12, 8), (13, 13)])
def test_vegas_is_negative_with_10_cards_and_positive_with_the_11th(home: int, score: int) -> None:
    verdict = verify(deal_with("kl-d1v", stock=SPADES), "d w1 " * home)
    assert (verdict.foundation_cards, verdict.score, verdict.ranked_score) == (home, score, score)


@pytest.mark.parametrize("entry", WON, ids=lambda entry: entry["note"])
def test_a_won_game_scores_625_and_5_for_each_waste_card_minus_the_redeals(entry: dict) -> None:
    verdict = verify(deal_of(entry), entry["log"])
    whole = 625 + 5 * verdict.waste_to_column
    assert verdict.won and verdict.foundation_cards == 52
    assert verdict.score == verdict.ranked_score
    if verdict.recycles:
        assert whole - 100 * verdict.recycles <= verdict.score < whole
    else:
        assert verdict.score == whole


def test_a_won_game_of_vegas_ends_at_208_dollars() -> None:
    won_in_one_pass = [entry for entry in WON if not entry["verdict"]["recycles"]]
    assert won_in_one_pass
    for entry in won_in_one_pass:
        deal = deal_of(entry)
        mode = {"kl-d1n": "kl-d1v", "kl-d3n": "kl-d3v"}[deal.mode]
        verdict = verify(Deal(mode, deal.columns, deal.stock), entry["log"])
        assert (verdict.won, verdict.score, verdict.ranked_score) == (True, 208, 208)


# What went wrong elsewhere.


@pytest.mark.parametrize("mode", MODES)
def test_an_ace_moved_from_foundation_to_foundation_scored_for_ever(mode: str) -> None:
    """Simple-Solitaire #63, Vegas. From foundation to foundation is no action at all, nor is there a way round."""
    deal = deal_with(mode, "a: 2H, b: AS")
    assert verify(deal, "b1 12 21 12").to_dict()["error"]["reason"] == "bad_notation"
    assert reason_and_message(deal, "b1 1a a2")[0] == "wrong_foundation"
    once = verify(deal, "b1").ranked_score
    farmed = verify(deal, "b1 " + "1a a1 " * 200)
    assert farmed.valid and farmed.taken_back == 200
    assert farmed.ranked_score == once
    # The score in the app is counted as the sources have it, which is why boards rank by the other.
    assert farmed.score == once + 200 * (5 if mode.endswith("v") else 10)


def test_taking_back_and_placing_again_earns_once_across_an_undo_too() -> None:
    deal = deal_with("kl-d1n", "a: 2H, b: AS")
    table = table_of(deal, "b1")
    for log in ("u b1", "1a u", "1a a1", "1a a1 u a1", "1a a1 u u", "u b1 1a a1"):
        for text in log.split():
            refusal(table, text)
        assert table.ranked_score <= 15
        assert table.foundation_cards == 1
    assert table.ranked_score == 15


def test_an_undone_taking_back_lets_no_card_earn_again() -> None:
    """Two cards are taken back and one of that is undone: the other still has earned its points."""
    deal = deal_with("kl-d1n", "b: 4H, c: 3D", "AS 2S 3S")
    verdict = verify(deal, "d w1 d w1 d w1 1b 1c u b1")
    assert (verdict.valid, verdict.foundation_cards) == (True, 3)
    assert (verdict.ranked_score, verdict.score) == (30, 40)


def test_undo_kept_a_draw_3_score() -> None:
    """Simple-Solitaire #63: undoing a draw of three, or what was played after it, must give the points back."""
    deal = deal_with("kl-d3n", "a: 2H, b: 4H", "5D 2D AS 9C 9D 3S")
    log = ["d", "w1", "d", "wb"]
    states = [shown(table_of(deal, " ".join(log[:n]))) for n in range(len(log) + 1)]
    assert [state["score"] for state in states] == [0, 0, 10, 10, 15]
    table = table_of(deal, " ".join(log))
    for undone, state in enumerate(reversed(states[:-1]), 1):
        assert refusal(table, "u") is None
        assert shown(table) == {**state, "moves": len(log), "undos": undone}
    assert waste(deal, "d w1 d wb u u u u") == ""


def test_waste_to_column_to_foundation_scores_more_than_waste_to_foundation() -> None:
    """Simple-Solitaire #169. It does here too in Normal scoring, not in Vegas."""
    for mode, direct, round_about in (("kl-d1n", 10, 15), ("kl-d1v", -47, -47)):
        deal = deal_with(mode, "a: 2H", "AS")
        assert verify(deal, "d w1").score == direct
        assert verify(deal, "d wa a1").score == round_about


def test_no_card_moves_by_itself() -> None:
    """TripleSolitaire #2: automatic play undid a card just taken back."""
    table = table_of(deal_with("kl-d1n", "a: 2H, b: AS"), "b1 1a d d d u")
    assert table.foundation_cards == 0
