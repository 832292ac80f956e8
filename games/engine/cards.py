"""Cards as small numbers: ``suit * 16 + rank``, ace = 1 to king = 13, suits S H D C = 0 to 3.

So ``card + 1`` is the next higher card of the same suit, ``card & 15`` the rank and ``card >> 4`` the suit. Ranks 0
and 14 belong to no card: nothing is one lower than an ace or one higher than a king.
"""

from __future__ import annotations

SUITS = "SHDC"
RANKS = "A23456789TJQK"
KING = 13
RED_SUITS = frozenset((1, 2))

#: One pack in the order that the shuffle starts from: spades, hearts, diamonds, clubs, each ace to king.
PACK = tuple(suit * 16 + rank for suit in range(4) for rank in range(1, 14))

_TEXT = {card: RANKS[(card & 15) - 1] + SUITS[card >> 4] for card in PACK}
_CARD = {text: card for card, text in _TEXT.items()}
_SUIT_NAMES = ("spades", "hearts", "diamonds", "clubs")
_RANK_NAMES = ("ace", "2", "3", "4", "5", "6", "7", "8", "9", "10", "jack", "queen", "king")


def parse_card(text: str) -> int:
    """The card that a text of two characters names.

    >>> parse_card("TD") == 2 * 16 + 10
    True

    Raises `ValueError` where the text names none.
    """
    try:
        return _CARD[text]
    except (KeyError, TypeError):
        raise ValueError(f"{text!r} is no card: a rank of {RANKS} and a suit of {SUITS}, like TD") from None


def card_text(card: int) -> str:
    """The text of a card, the inverse of `parse_card`.

    >>> card_text(parse_card("KH"))
    'KH'
    """
    return _TEXT[card]


def card_name(card: int) -> str:
    """The card in words.

    >>> card_name(parse_card("7S")), card_name(parse_card("TD"))
    ('7 of spades', '10 of diamonds')
    """
    return f"{_RANK_NAMES[(card & 15) - 1]} of {suit_name(card)}"


def suit_name(card: int) -> str:
    """The suit of a card in words, as a plural.

    >>> suit_name(parse_card("AC"))
    'clubs'
    """
    return _SUIT_NAMES[card >> 4]


def is_red(card: int) -> bool:
    """Whether the card is a heart or a diamond."""
    return card >> 4 in RED_SUITS
