"""Forty Thieves, "Quarante Voleurs" (rules.md, Forty Thieves)."""

from __future__ import annotations

from typing import ClassVar

from .cards import PACK, card_name
from .errors import IllegalAction
from .table import EMPTY, Table


class FortyThieves(Table):
    """Two packs, ten columns, one card at a time, in suit, one pass through the stock."""

    name = "Forty Thieves"
    packs = 2
    column_sizes = (4,) * 10
    foundation_count = 8
    shuffle_sequence = 104
    hosts: ClassVar = {card: (card + 1, EMPTY) for card in PACK}
    # A card taken back costs more than it earns when it is placed again, so it may earn again: both scores are equal.
    take_back_points = -15

    __slots__ = ()

    def _misfit(self, card: int, column: list[int]) -> IllegalAction:
        place = f"{card_name(card)} can't go on {card_name(column[-1])}"
        if column[-1] & 15 != (card & 15) + 1:
            return IllegalAction("wrong_rank", f"{place}: in a column a card goes on one exactly one rank higher.")
        return IllegalAction("wrong_suit", f"{place}: in a column a card goes on one of the same suit.")
