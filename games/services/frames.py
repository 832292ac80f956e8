"""A game as pictures: what lies where after each action, for replays."""

from __future__ import annotations

from typing import Any

from games.engine import MODES, Deal, Table, card_text, parse_log

Piles = dict[str, list[str]]

#: Stands before a card that lies face down.
DOWN = "?"


def piles_of(table: Table) -> Piles:
    """The cards of each pile, the top card last, by its name in the notation: a, 1, w (waste); and ``stock``."""
    piles = {"stock": _face_down(table.stock), "w": [card_text(card) for card in table.waste]}
    for i, (column, hidden) in enumerate(zip(table.columns, table.face_down, strict=True)):
        piles[chr(ord("a") + i)] = _face_down(column[:hidden]) + [card_text(card) for card in column[hidden:]]
    for i, wanted in enumerate(table.wanted):
        # A foundation holds its suit from the ace up to the card below the one that it wants next.
        piles[str(i + 1)] = [card_text(card) for card in range(wanted & ~15 | 1, wanted)]
    return piles


def _face_down(cards: list[int]) -> list[str]:
    return [DOWN + card_text(card) for card in cards]


def frames(deal: Deal, log: str) -> list[dict[str, Any]]:
    """The deal and then what each action of a legal log changed: ``action``, ``score``, ``piles`` that are others now.

    Raises a `BadLog` or `IllegalAction`.
    """
    table = MODES[deal.mode].game(deal)
    before = piles_of(table)
    shown: list[dict[str, Any]] = [{"action": None, "score": table.score, "piles": before}]
    for action in parse_log(log):
        table.play(action)
        piles = piles_of(table)
        changed = {name: cards for name, cards in piles.items() if cards != before[name]}
        shown.append({"action": str(action), "score": table.score, "piles": changed})
        before = piles
    return shown
