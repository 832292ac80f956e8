"""Who may see which deal: every deal that leaves the server passes through here.

While a challenge is open its deal appears only inside the caller's own attempt; before, to nobody; once it is over,
to all. The deals of open and coming challenges can't be had as practice either, under any prefix that deals the same
cards.
"""

from __future__ import annotations

import datetime
from functools import lru_cache
from typing import Any

from games.engine import Code, Deal
from games.models import Challenge


def attempt_deal(*, mode: str, number: int) -> dict[str, Any]:
    """What an attempt at the deal may see of it: all of it, for now."""
    return deal_json(mode, number)


def challenge_deal(*, challenge: Challenge, now: datetime.datetime) -> dict[str, Any] | None:
    """The deal of a challenge as everybody may see it: None until the challenge is over."""
    return deal_json(challenge.mode, challenge.number) if challenge.is_over(now) else None


def challenge_par(*, challenge: Challenge, now: datetime.datetime) -> int | None:
    """Par as everybody may see it: while the challenge is open only if the admin shows it."""
    return challenge.par if challenge.shows_par or challenge.is_over(now) else None


def challenge_proof(*, challenge: Challenge, now: datetime.datetime) -> str | None:
    """The stored winning log as everybody may see it: None until the challenge is over."""
    return challenge.winning_log if challenge.is_over(now) else None


def is_secret(*, code: Code, now: datetime.datetime) -> bool:
    """Whether the cards of a code belong to a challenge that is open, in its grace period, or still to come."""
    return Challenge.objects.secret(now).with_layout(code).exists()


@lru_cache(maxsize=512)
def deal_json(mode: str, number: int) -> dict[str, Any]:
    """A deal in JSON form, kept because everybody gets the same. Don't change what you get."""
    return Deal.parse(Code(mode, number)).to_dict()
