"""How pages write scores, times and modes, in the language of the page: ``{% load play %}``."""

from __future__ import annotations

from django import template
from django.utils.formats import get_format, number_format
from django.utils.translation import gettext as _

from games.pages import words
from games.pages.game_words import score_text

register = template.Library()


@register.filter
def score(points: int, mode: str) -> str:
    """Points of a mode; Vegas in dollars.

    >>> score(1230, "ft-n"), score(208, "kl-d1v"), score(0, "kl-d1v"), score(-52, "kl-d3v")
    ('1,230', '+$208', '$0', '-$52')
    """
    return score_text(points, mode)


@register.filter
def duration(tenths: int) -> str:
    """A time in tenths of a second, as minutes with tenths, or from an hour on as hours without.

    >>> duration(1995), duration(59), duration(36_605)
    ('3:19.5', '0:05.9', '1:01:00')
    """
    seconds, tenth = divmod(tenths, 10)
    if seconds >= 3600:
        return countdown(seconds)
    return f"{seconds // 60}:{seconds % 60:02}{get_format('DECIMAL_SEPARATOR')}{tenth}"


@register.filter
def countdown(seconds: float) -> str:
    """Whole seconds as hours, minutes and seconds: what `leaderboards/static/leaderboards/countdown.js` counts on from.

    >>> countdown(19_390), countdown(59.9)
    ('5:23:10', '0:00:59')
    """
    whole = max(0, int(seconds))
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


@register.filter
def mode_name(mode: str) -> str:
    """A mode in words."""
    return words.mode_name(mode)


@register.filter
def difficulty_name(difficulty: str) -> str:
    """How hard a deal is, in words."""
    return {"easy": _("Easy deal"), "medium": _("Medium deal"), "hard": _("Hard deal")}[difficulty]


def number(value: int) -> str:
    """A whole number with the separators of the language."""
    return number_format(value, use_l10n=True, force_grouping=True)
