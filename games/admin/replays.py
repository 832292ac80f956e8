"""A game for the template `admin/games/replay.html`."""

from __future__ import annotations

from typing import Any

from games.engine import Deal
from games.models import Challenge, Submission
from games.services.frames import DOWN, frames
from games.services.watching import legal_log

COLUMNS = "abcdefghij"
_SUITS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}


def replay_of(challenge: Challenge, log: str, *, number: int = 1) -> dict[str, Any]:
    """A legal log as a replay, the ``number``-th on its page."""
    shown = frames(Deal.parse(challenge.code), log)
    piles = shown[0]["piles"]
    return {
        "id": "replay-frames" if number == 1 else f"replay-frames-{number}",
        "frames": shown,
        "moves": len(shown) - 1,
        "columns": [(name, [_face(card) for card in cards]) for name, cards in piles.items() if name in COLUMNS],
        "foundations": [name for name in piles if name.isdigit()],
        "stock": [_face(card.removeprefix(DOWN)) for card in reversed(piles["stock"])],
    }


def replay_of_submission(submission: Submission, *, number: int = 1) -> dict[str, Any] | None:
    """A submitted game, of a rejected one what was legal of it. None before its verdict."""
    if submission.state not in (Submission.State.VERIFIED, Submission.State.REJECTED):
        return None
    return replay_of(submission.challenge, legal_log(submission), number=number)


def _face(card: str) -> dict[str, str]:
    """A card for the template: its text, and whether it is red, black or lies face down."""
    if card.startswith(DOWN):
        return {"kind": "back", "text": card.removeprefix(DOWN)}
    return {"kind": "red" if card[1] in "HD" else "black", "text": card.replace("T", "10")[:-1] + _SUITS[card[-1]]}
