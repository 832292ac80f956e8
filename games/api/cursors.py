"""Cursors: where a page ended, as an opaque word in the query string."""

from __future__ import annotations

import base64
import binascii
import datetime

from django.http import HttpRequest

from .errors import ApiError

_NUMBERS = 2
_MAX = 2**63


def pack_cursor(first: int, second: int) -> str:
    """Two whole numbers as a word.

    >>> pack_cursor(5, 7)
    'NS43'
    """
    return base64.urlsafe_b64encode(f"{first}.{second}".encode()).decode().rstrip("=")


def read_cursor(request: HttpRequest, *, name: str = "cursor", below: int = _MAX) -> tuple[int, int] | None:
    """The numbers of the parameter of that name, None without it. Raises the 400 for a word that no page gave.

    ``below`` is a limit of the first number.
    """
    word = request.GET.get(name)
    if not word:
        return None
    try:
        text = base64.urlsafe_b64decode(word.encode("ascii") + b"=" * (-len(word) % 4)).decode("ascii")
        parts = text.split(".")
        if len(parts) == _NUMBERS and all(part.isdigit() for part in parts):
            first, second = map(int, parts)
            if first < below and second < _MAX:
                return first, second
    except (binascii.Error, UnicodeError, ValueError):
        pass
    raise ApiError(400, "bad_cursor", f"{name} must be a word that an earlier page gave.", parameter=name)


def microseconds(moment: datetime.datetime) -> int:
    """A moment as a number for a cursor."""
    return (moment - datetime.datetime.fromtimestamp(0, datetime.UTC)) // datetime.timedelta(microseconds=1)


def from_microseconds(count: int) -> datetime.datetime:
    """The moment of a cursor's number. Raises the 400 where there is none."""
    try:
        return datetime.datetime.fromtimestamp(0, datetime.UTC) + datetime.timedelta(microseconds=count)
    except OverflowError:
        raise ApiError(
            400, "bad_cursor", "cursor must be a word that an earlier page gave.", parameter="cursor"
        ) from None
