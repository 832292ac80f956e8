"""Move logs: text to actions and back (notation.md, Move log).

>>> [str(action) for action in parse_log(" d\\twa  ab3 1a ")]
['d', 'wa', 'ab3', '1a']
>>> format_log(parse_log(" d\\twa  ab3 1a "))
'd wa ab3 1a'
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum

from .errors import BadNotation, LogTooLarge, TooManyActions

MAX_BYTES = 64 * 1024
MAX_ACTIONS = 10_000

COLUMNS = "abcdefghij"
FOUNDATIONS = "12345678"

_SEPARATORS = re.compile(r"[ \t\r\n]+")
_PLAIN = re.compile(r"[a-z0-9 \t\r\n]*")


class Kind(IntEnum):
    """What an action does. The numbers index `Table`'s handlers."""

    DRAW = 0
    REDEAL = 1
    UNDO = 2
    WASTE_TO_COLUMN = 3
    WASTE_TO_FOUNDATION = 4
    COLUMN_TO_COLUMN = 5
    COLUMN_TO_FOUNDATION = 6
    FOUNDATION_TO_COLUMN = 7


@dataclass(frozen=True, slots=True)
class Action:
    """One action of a log. ``source`` and ``target`` count columns or foundations from 0, left to right.

    They are 0 where the kind has none (the waste is one pile); ``count`` is the number of cards that move. ``str``
    gives the text, `parse_action` reads it.
    """

    text: str
    kind: Kind
    source: int = 0
    target: int = 0
    count: int = 1

    def __str__(self) -> str:
        return self.text


def _all_actions() -> Iterator[Action]:
    yield Action("d", Kind.DRAW)
    yield Action("r", Kind.REDEAL)
    yield Action("u", Kind.UNDO)
    for f, foundation in enumerate(FOUNDATIONS):
        yield Action(f"w{foundation}", Kind.WASTE_TO_FOUNDATION, 0, f)
    for c, column in enumerate(COLUMNS):
        yield Action(f"w{column}", Kind.WASTE_TO_COLUMN, 0, c)
        for f, foundation in enumerate(FOUNDATIONS):
            yield Action(column + foundation, Kind.COLUMN_TO_FOUNDATION, c, f)
            yield Action(foundation + column, Kind.FOUNDATION_TO_COLUMN, f, c)
        for t, other in enumerate(COLUMNS):
            yield Action(column + other, Kind.COLUMN_TO_COLUMN, c, t)
            for count in range(2, 100):
                yield Action(f"{column}{other}{count}", Kind.COLUMN_TO_COLUMN, c, t, count)


# The notation names some ten thousand actions in all: reading one is a look-up, and no action is ever made twice.
_ACTIONS = {action.text: action for action in _all_actions()}


def parse_action(text: str) -> Action:
    """The action that a text names. Raises `BadNotation` (``index`` 0) where it names none."""
    try:
        return _ACTIONS[text]
    except KeyError:
        raise _bad_notation(0, text) from None


def parse_log(text: str) -> list[Action]:
    """The actions of a whole log, before any is played.

    Limits: 64 KiB of UTF-8, looked at first, then 10,000 actions. Raises `LogTooLarge`, `TooManyActions` or, for the
    first action that the notation doesn't name, `BadNotation`.
    """
    # A character has at most four bytes, so most logs needn't be encoded to know that they are short.
    if len(text) * 4 > MAX_BYTES and (size := len(text.encode("utf-8", "surrogatepass"))) > MAX_BYTES:
        raise LogTooLarge("log_too_large", f"The log has {size:,} bytes; at most {MAX_BYTES:,} are taken.")
    words = _split(text)
    if len(words) > MAX_ACTIONS:
        raise TooManyActions(
            "too_many_actions", f"The log has {len(words):,} actions; at most {MAX_ACTIONS:,} are taken."
        )
    try:
        return [_ACTIONS[word] for word in words]
    except KeyError:
        index = next(i for i, word in enumerate(words) if word not in _ACTIONS)
        raise _bad_notation(index, words[index]) from None


def format_log(actions: Iterable[Action]) -> str:
    """The canonical text of a log: one space between actions. The inverse of `parse_log`."""
    return " ".join([action.text for action in actions])


def _split(text: str) -> list[str]:
    """The words between spaces, tabs, CR and LF. ``str.split()`` knows more blanks, so it gets only plain text."""
    if _PLAIN.fullmatch(text):
        return text.split()
    return [word for word in _SEPARATORS.split(text) if word]


def _bad_notation(index: int, text: str) -> BadNotation:
    shown = text if len(text) <= 20 else text[:20] + "..."
    return BadNotation(
        "bad_notation",
        f"Action {index} is {shown!r}, which is no action: write d, r, u, or a move from pile to pile"
        " like wa, ab, ab3, w1, a1 or 1a, in lower case.",
        index=index,
        action=text,
    )
