"""Tickets: short-lived words that stand for a player in an address, where a token must never be."""

from __future__ import annotations

from django.core import signing

#: Seconds.
TICKET_LIFE = 60

_SALT = "games.live.ticket"


def make_ticket(*, player_id: int) -> str:
    """A ticket of the player's, good for `TICKET_LIFE`. It is signed and stored nowhere."""
    return signing.dumps(player_id, salt=_SALT)


def read_ticket(ticket: str) -> int | None:
    """Whose ticket it is; None for one that is too old or not of our making."""
    try:
        player_id: int = signing.loads(ticket, salt=_SALT, max_age=TICKET_LIFE)
    except signing.BadSignature:
        return None
    return player_id
