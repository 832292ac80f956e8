"""What services refuse, in words of the page's language. For clients the API says the same in English."""

from __future__ import annotations

from django.conf import settings
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.services.intake import Banned, IntakeError
from games.services.review import REPORT_MAX_LENGTH
from leaderboards.models.club import NAME_MAX_LENGTH, NAME_MIN_LENGTH


def words_of(error: IntakeError) -> str:
    """A sentence for the person whose form was refused."""
    if isinstance(error, Banned):
        return _ban(error)
    size, clubs = settings.QV_CLUB_SIZE, settings.QV_CLUBS_A_PLAYER
    known = {
        "bad_name": _(
            "That name can't be used: a club's name has {least} to {most} characters, letters or digits among them, of"
            " one alphabet, and doesn't pass for the server's own."
        ).format(least=NAME_MIN_LENGTH, most=NAME_MAX_LENGTH),
        "name_taken": _("Another club has that name already."),
        "club_full": ngettext(
            "The club is full: it takes {count} player.", "The club is full: it takes {count} players.", size
        ).format(count=size),
        "too_many_clubs": ngettext(
            "A player can be in {count} club: leave one first.",
            "A player can be in {count} clubs: leave one first.",
            clubs,
        ).format(count=clubs),
        "owner_stays": _("The club is yours: hand it over before you leave, or dissolve it."),
        "not_confirmed": _("That isn't the club's name: nothing was done."),
        "bad_reason": _("Say in at most {count} characters what is wrong.").format(count=REPORT_MAX_LENGTH),
        "own_report": _("That is you."),
        "not_found": _("There is nobody of that name here."),
    }
    return known.get(error.code, str(error))


def _ban(error: Banned) -> str:
    if error.until is None:
        return _("You are banned for good: {reason}").format(reason=error.reason)
    until = date_format(error.until, "SHORT_DATETIME_FORMAT")
    return _("You are banned until {until} UTC: {reason}").format(until=until, reason=error.reason)
