"""What a club may be called."""

from __future__ import annotations

import unicodedata

from django.utils.translation import gettext as _

from games.names import LOOK_ALIKE

from .models.club import NAME_MAX_LENGTH, NAME_MIN_LENGTH

#: Names that would pass for the server's own.
RESERVED = frozenset({"admin", "administrator", "moderator", "official", "qvserver", "server", "staff", "support"})


class BadName(ValueError):
    """A name that no club can have; the message says why."""


def clean_name(text: str) -> str:
    """The name as it is stored: compatible characters made one, spaces single. Raises `BadName`.

    >>> clean_name("  The   Ｋings ")
    'The Kings'
    """
    name = " ".join(unicodedata.normalize("NFKC", text).split())
    if not NAME_MIN_LENGTH <= len(name) <= NAME_MAX_LENGTH:
        raise BadName(
            _("A club's name has {least} to {most} characters.").format(least=NAME_MIN_LENGTH, most=NAME_MAX_LENGTH)
        )
    if not name.isprintable():
        raise BadName(_("A club's name is made of characters that can be seen."))
    letters = [character for character in name if character.isalnum()]
    if len(letters) < 2:
        raise BadName(_("A club's name has at least two letters or digits."))
    if len(LOOK_ALIKE & {unicodedata.name(letter, "").partition(" ")[0] for letter in letters}) > 1:
        raise BadName(_("A club's name takes its letters from one alphabet: others look alike."))
    if not RESERVED.isdisjoint(name.casefold().replace("-", " ").replace("_", " ").split()):
        raise BadName(_("That name would pass for the server's own."))
    return name
