"""A deal as text for templates: its columns, and the stock."""

from __future__ import annotations

from typing import Any


def columns_of(deal: dict[str, Any]) -> list[tuple[str, list[str]]]:
    """The columns of a deal, each with its letter and the cards that lie face up; face-down cards are blank."""
    shown = []
    for letter, column, down in zip("abcdefghij", deal["columns"], deal["face_down"], strict=False):
        shown.append((letter, [""] * down + [symbols(card) for card in column[down:]]))
    return shown


def symbols(card: str) -> str:
    """A card as rank and suit symbol.

    >>> symbols("TD")
    '10♦'
    """
    return card[0].replace("T", "10") + dict(zip("SHDC", "♠♥♦♣", strict=True))[card[1]]
