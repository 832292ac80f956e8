"""Klondike in its four modes: draw 1 or 3, Normal or Vegas scoring (rules.md, Klondike)."""

from __future__ import annotations

from typing import ClassVar

from .cards import KING, PACK, card_name, is_red
from .errors import IllegalAction
from .table import EMPTY, Table


def _hosts(card: int) -> tuple[int, ...]:
    """The cards of the other colour, one rank higher; for a king the empty column."""
    if card & 15 == KING:
        return (EMPTY,)
    return tuple(host for host in PACK if host & 15 == (card & 15) + 1 and is_red(host) != is_red(card))


class Klondike(Table):
    """Draw 1, Normal scoring. The other modes differ only in the constants."""

    name = "Klondike"
    packs = 1
    column_sizes = (1, 2, 3, 4, 5, 6, 7)
    foundation_count = 4
    shuffle_sequence = 52
    hides_cards = True
    moves_runs = True
    can_redeal = True
    hosts: ClassVar = {card: _hosts(card) for card in PACK}
    turn_up_points = 5
    #: Decided for draw 1 and draw 3 alike: the table in the sources is lost, their text says "less than 100" where
    #: the floor stopped the score at 0.
    redeal_points = -100
    # Taking back is free, so placing the card again must not earn again.
    earns_home_points_once = True

    __slots__ = ()

    def _misfit(self, card: int, column: list[int]) -> IllegalAction:
        if not column:
            return IllegalAction(
                "not_a_king", f"{card_name(card)} can't go on an empty column: only a king can, with the cards on it."
            )
        place = f"{card_name(card)} can't go on {card_name(column[-1])}"
        if column[-1] & 15 != (card & 15) + 1:
            return IllegalAction("wrong_rank", f"{place}: in a column a card goes on one exactly one rank higher.")
        return IllegalAction("wrong_colour", f"{place}: in a column a card goes on one of the other colour.")


class KlondikeDraw3(Klondike):
    """Draw 3, Normal scoring."""

    draw_size = 3
    __slots__ = ()


class KlondikeVegas(Klondike):
    """Draw 1, Vegas scoring: $52 for the pack, $5 back for each card home, one pass."""

    can_redeal = False
    start_score = -52
    home_points = 5
    waste_to_column_points = 0
    turn_up_points = 0
    redeal_points = 0
    __slots__ = ()


class KlondikeDraw3Vegas(KlondikeVegas):
    """Draw 3, Vegas scoring."""

    draw_size = 3
    __slots__ = ()
