"""What a player may be called, and which names pass for one another.

Confusable characters are those of Unicode's security tables (UTS 39), as the package confusable-homoglyphs brings them.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from itertools import pairwise

from confusable_homoglyphs.confusables import confusables_data
from django.utils.translation import gettext as _

NAME_MIN_LENGTH, NAME_MAX_LENGTH = 3, 20

#: Words that pass for the server's own: no name has one of them as a word.
RESERVED_WORDS = frozenset(
    {
        *("admin", "administrator", "mod", "moderator", "official", "qvserver"),
        *("staff", "superuser", "support", "sysadmin", "sysop", "webmaster"),
    }
)

#: Nor is a name one of these, which are said of no one player, or which addresses of the API need.
RESERVED_NAMES = frozenset(
    {
        *("anonymous", "deletedplayer", "deleteduser", "deletedaccount", "everybody", "guest", "nobody"),
        *("none", "null", "root", "server", "system", "undefined", "unknown"),
    }
)

#: Alphabets whose letters look alike: a name takes its letters from one of them.
LOOK_ALIKE = frozenset({"LATIN", "CYRILLIC", "GREEK"})

_JOINERS = " -_."


class BadName(ValueError):
    """A name that nobody can have; the message says why."""


def clean_name(text: str) -> str:
    """The name as it is stored: compatible characters made one, spaces single. Raises `BadName`.

    >>> clean_name("  Ａlice   B ")
    'Alice B'
    """
    name = " ".join(unicodedata.normalize("NFKC", text).split())
    if not NAME_MIN_LENGTH <= len(name) <= NAME_MAX_LENGTH:
        raise BadName(_("A name has {least} to {most} characters.").format(least=NAME_MIN_LENGTH, most=NAME_MAX_LENGTH))
    if not all(character in _JOINERS or _is_letter(character) for character in name):
        raise BadName(
            _("A name is made of letters and digits, with spaces, hyphens, dots or underscores between them.")
        )
    if name[0] in _JOINERS or name[-1] in _JOINERS or any(a in _JOINERS and b in _JOINERS for a, b in pairwise(name)):
        raise BadName(_("A name begins and ends with a letter or digit, and has one sign at a time between them."))
    letters = [character for character in name if character.isalpha()]
    if not letters:
        raise BadName(_("A name has at least one letter."))
    if len(LOOK_ALIKE & {unicodedata.name(letter, "").partition(" ")[0] for letter in letters}) > 1:
        raise BadName(_("A name takes its letters from one alphabet: others look alike."))
    if _is_reserved(name):
        raise BadName(_("That name would pass for the server's own."))
    return name


def _is_letter(character: str) -> bool:
    # Marks belong to letters in many scripts.
    return character.isalnum() or unicodedata.category(character) in ("Mn", "Mc")


def _is_reserved(name: str) -> bool:
    words = "".join(" " if character in _JOINERS else character for character in name).split()
    looks = {skeleton(word) for word in words}
    whole = skeleton("".join(words))
    return bool(looks & _reserved(RESERVED_WORDS)) or whole in _reserved(RESERVED_NAMES | RESERVED_WORDS)


@cache
def _reserved(words: frozenset[str]) -> frozenset[str]:
    return frozenset(skeleton(word) for word in words)


def skeleton(name: str) -> str:
    """What a name looks like: names with equal skeletons pass for one another. Joining signs don't count.

    >>> skeleton("ALICE") == skeleton("A1ice") == skeleton("alice") == skeleton("Al_ice")
    True
    """
    table = _prototypes()
    looks = unicodedata.normalize("NFKC", name).translate(table).casefold().translate(table)
    # Capital I and l are alike, and capital and small i are the same letter.
    return "".join(c for c in looks.replace("i", "l") if c not in _JOINERS and not c.isspace())


@cache
def _prototypes() -> dict[int, str]:
    """What each character is taken for. The tables lead from the many to the one in the middle, and back."""
    table: dict[int, str] = {}
    for character, alike in confusables_data.items():
        if len(character) == 1 and not character.isspace():
            taken_for = min((clean for other in alike if (clean := _visible(other["c"]))), key=_plainness, default="")
            if taken_for and _plainness(taken_for) < _plainness(character):
                table[ord(character)] = taken_for
    return table


def _visible(text: str) -> str:
    """The tables put marks of direction around letters that are written to the left."""
    return "".join(character for character in text if unicodedata.category(character) != "Cf")


def _plainness(text: str) -> tuple[bool, bool, int, str]:
    """Plain Latin letters first: m is rn, 1 is l, and 0 is O."""
    is_letters = text.isascii() and text.isalpha()
    # The middle ones of the plain letters' own: everything is taken for l and O, and m for rn.
    return (not is_letters, text in ("m", "I"), -len(text) if is_letters else len(text), text)
