"""Days in a row, and months, out of the UTC dates on which somebody played.

Dates are those of the dailies, as they are stored: no clock and no zone comes into it. Nothing is kept, so a streak is
right whenever it is asked for, and absence breaks it without anybody logging in.
"""

from __future__ import annotations

import calendar
import datetime
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

#: The days of a month that give a badge; all of its days give another.
BADGE_DAYS = (10, 20)


class Streak(NamedTuple):
    """Days in a row: those that still run, and the most there ever were."""

    current: int
    longest: int


class Month(NamedTuple):
    """A month in which somebody played: ``badge`` is 10, 20, or all its days where they were all; 0 without one."""

    first_day: datetime.date
    days_played: int
    badge: int


def streak(days: Iterable[datetime.date], *, today: datetime.date) -> Streak:
    """The streak of these dates. The current one runs to today, or to yesterday while today has none.

    >>> streak([datetime.date(2026, 3, 28), datetime.date(2026, 3, 29)], today=datetime.date(2026, 3, 30))
    Streak(current=2, longest=2)
    >>> streak([datetime.date(2026, 3, 28)], today=datetime.date(2026, 3, 30))
    Streak(current=0, longest=1)
    """
    current = longest = run = 0
    last = None
    for day in sorted({day.toordinal() for day in days}):
        run = run + 1 if last == day - 1 else 1
        longest = max(longest, run)
        if day in (today.toordinal() - 1, today.toordinal()):
            current = run
        last = day
    return Streak(current, longest)


def months(days: Iterable[datetime.date]) -> list[Month]:
    """The months of these dates, the latest first."""
    played = Counter(day.replace(day=1) for day in set(days))
    return [Month(month, played[month], _badge(month, played[month])) for month in sorted(played, reverse=True)]


def _badge(month: datetime.date, played: int) -> int:
    days = calendar.monthrange(month.year, month.month)[1]
    return max((enough for enough in (*BADGE_DAYS, days) if played >= enough), default=0)
