"""What a player can choose for the board and the pages; the names are those that the board's scripts keep."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from games.pages.layouts import local_letters

#: Of each choice what it can be, the default first; True and False are a box to tick.
CHOICES: dict[str, tuple[Any, ...]] = {
    "doubleTap": (True, False),
    "automaticPlacement": (False, True),
    "placementHelp": (True, False),
    "interactiveRules": (True, False),
    "fourColours": (False, True),
    "largeCards": (False, True),
    "leftHanded": (False, True),
    "cardBack": ("blue", "red", "green"),
    "animation": ("normal", "off", "fast", "slow"),
    "theme": ("auto", "light", "dark"),
    "rankLetters": ("local", "international"),
}

_GROUPS: dict[Any, tuple[str, ...]] = {
    gettext_lazy("Playing"): ("doubleTap", "automaticPlacement", "placementHelp", "interactiveRules"),
    gettext_lazy("Cards"): ("fourColours", "largeCards", "leftHanded", "rankLetters", "cardBack", "animation"),
    gettext_lazy("Pages"): ("theme",),
}


class Choice(NamedTuple):
    """One choice as the page shows it; ``options`` of a box to tick are empty."""

    name: str
    label: str
    value: Any
    options: list[tuple[str, str]]


def chosen(kept: Mapping[str, Any]) -> list[tuple[Any, list[Choice]]]:
    """All choices by group, as they are kept or by default."""
    labels = _labels()
    shown = {group: [name for name in names if _makes_a_difference(name)] for group, names in _GROUPS.items()}
    return [(group, [_choice(name, labels[name], kept) for name in names]) for group, names in shown.items()]


def _makes_a_difference(name: str) -> bool:
    return name != "rankLetters" or bool(local_letters())


def _choice(name: str, label: str, kept: Mapping[str, Any]) -> Choice:
    values = CHOICES[name]
    value = kept.get(name)
    if value not in values or isinstance(value, bool) != isinstance(values[0], bool):
        value = values[0]
    words = _words()
    options = [] if isinstance(values[0], bool) else [(option, words[option]) for option in values]
    return Choice(name, label, value, options)


def clean_choices(form: Mapping[str, str]) -> dict[str, Any]:
    """What a form chose. A box that isn't ticked isn't sent; what can't be chosen becomes the default.

    What the form didn't ask for stays as it is.
    """
    found: dict[str, Any] = {}
    for name, values in CHOICES.items():
        sent = form.get(name)
        if isinstance(values[0], bool):
            found[name] = sent is not None
        elif sent is not None:
            found[name] = sent if sent in values else values[0]
    return found


def _labels() -> dict[str, str]:
    return {
        "doubleTap": _("Double click or tap moves a card to its best place"),
        "automaticPlacement": _("A dropped card goes to the best place that takes it"),
        "placementHelp": _("Places that take a held card light up"),
        "interactiveRules": _("Say which rule refused a move"),
        "fourColours": _("Four colours"),
        "largeCards": _("Large cards"),
        "leftHanded": _("Left-handed: stock on the left"),
        "cardBack": _("Card back"),
        "animation": _("Animation"),
        "theme": _("Appearance"),
        "rankLetters": _("Letters on cards"),
    }


def _words() -> dict[str, str]:
    return {
        "local": pgettext("letters", "Of the language"),
        "international": "J Q K",
        "blue": _("Blue"),
        "red": _("Red"),
        "green": _("Green"),
        "off": _("Off"),
        "fast": _("Fast"),
        "normal": _("Normal"),
        "slow": _("Slow"),
        "auto": _("As the system"),
        "light": _("Light"),
        "dark": _("Dark"),
    }
