"""A deal as text for templates: its columns, and the stock."""

from __future__ import annotations

from typing import Any

from django.utils.translation import get_language

#: Languages whose cards have letters of their own for jack, queen and king.
LOCAL_LETTERS = {"fr": {"J": "V", "Q": "D", "K": "R"}}


def columns_of(deal: dict[str, Any]) -> list[tuple[str, list[str]]]:
    """The columns of a deal, each with its letter and the cards that lie face up; face-down cards are blank."""
    shown = []
    for letter, column, down in zip("abcdefghij", deal["columns"], deal["face_down"], strict=False):
        shown.append((letter, [""] * down + [symbols(card) for card in column[down:]]))
    return shown


def symbols(card: str) -> str:
    """A card as rank and suit symbol, in the letters of the page's language.

    >>> symbols("TD")
    '10♦'
    """
    rank = local_letters().get(card[0], card[0])
    return rank.replace("T", "10") + dict(zip("SHDC", "♠♥♦♣", strict=True))[card[1]]


def local_letters() -> dict[str, str]:
    """The letters of jack, queen and king where the page's language has its own."""
    return LOCAL_LETTERS.get(get_language() or "", {})
