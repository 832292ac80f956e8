"""games.engine.cards"""

import pytest

from games.engine.cards import PACK, RANKS, SUITS, card_name, card_text, is_red, parse_card, suit_name


def test_parse_and_text_are_inverse_for_all_52_cards() -> None:
    texts = [rank + suit for suit in SUITS for rank in RANKS]
    assert [card_text(parse_card(text)) for text in texts] == texts
    assert [parse_card(card_text(card)) for card in PACK] == list(PACK)


def test_pack_is_spades_hearts_diamonds_clubs_each_ace_to_king() -> None:
    assert [card_text(card) for card in PACK][:14] == [*(rank + "S" for rank in "A23456789TJQK"), "AH"]
    assert [card_text(card) for card in PACK][26:40:13] == ["AD", "AC"]
    assert len(set(PACK)) == 52


def test_next_card_of_a_suit_is_one_more() -> None:
    assert parse_card("7S") + 1 == parse_card("8S")
    assert parse_card("KS") + 1 not in PACK
    assert parse_card("AH") - 1 not in PACK


@pytest.mark.parametrize(
    "text", ["", "A", "AS ", "as", "1S", "10S", "ZS", "AX", "SA", "0H", "\ud800S", None, 17, ["A", "S"]]
)
def test_no_card(text: object) -> None:
    with pytest.raises(ValueError, match="is no card"):
        parse_card(text)  # type: ignore[arg-type]


def test_names_and_colours() -> None:
    named = {text: card_name(parse_card(text)) for text in ("AS", "7H", "TD", "KC")}
    assert named == {"AS": "ace of spades", "7H": "7 of hearts", "TD": "10 of diamonds", "KC": "king of clubs"}
    assert [is_red(parse_card("A" + suit)) for suit in SUITS] == [False, True, True, False]
    assert [suit_name(parse_card("A" + suit)) for suit in SUITS] == ["spades", "hearts", "diamonds", "clubs"]
