"""Sentences that several pages say."""

from __future__ import annotations

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from games.engine import MODES
from games.models import Challenge, Submission
from games.templatetags.play import number
from leaderboards.services.places import Place


def challenge_name(challenge: Challenge) -> str:
    """The date of a daily, the title of an event."""
    if challenge.date is None:
        return challenge.title or _("Event")
    return date_format(challenge.date, "DATE_FORMAT")


def place_text(place: Place) -> str:
    """A place in words."""
    return _("Rank {rank} of {total}").format(rank=number(place.rank), total=number(place.total))


def tenths_home(submission: Submission) -> int:
    """How much of the pack came home, in tenths: 10 only for all of it.

    It tells how a game went and nothing of its cards.
    """
    cards = 52 * MODES[submission.challenge.mode].game.packs
    return 10 * (submission.foundation_cards or 0) // cards
