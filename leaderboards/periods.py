"""Weeks, months and all time, by UTC dates: which of them a date falls into."""

from __future__ import annotations

import datetime

from django.db import models

_DAY = datetime.timedelta(days=1)


class Period(models.TextChoices):
    """What a mode's boards run over."""

    WEEK = "week", "a week, Monday to Sunday"
    MONTH = "month", "a month"
    ALL = "all", "all time"


#: Where all time begins, so that its boards have a first day as the others have.
BEGINNING = datetime.date(1970, 1, 1)

#: The first days of the three periods of a daily in SQL, as a table ``period (period, starts_on)``.
PERIODS_OF_DAILY = f"""(VALUES
    ('{Period.WEEK.value}', challenge.date - extract(isodow FROM challenge.date)::integer + 1),
    ('{Period.MONTH.value}', challenge.date - extract(day FROM challenge.date)::integer + 1),
    ('{Period.ALL.value}', DATE '{BEGINNING}')
) AS period (period, starts_on)"""


def first_day(period: str, date: datetime.date) -> datetime.date:
    """The first day of the period that the date falls into.

    >>> first_day("week", datetime.date(2026, 3, 1))
    datetime.date(2026, 2, 23)
    """
    match Period(period):
        case Period.WEEK:
            return date - date.weekday() * _DAY
        case Period.MONTH:
            return date.replace(day=1)
        case Period.ALL:
            return BEGINNING


def last_day(period: str, starts_on: datetime.date) -> datetime.date | None:
    """The last day of the period that begins on a first day; None for all time.

    >>> last_day("month", datetime.date(2028, 2, 1))
    datetime.date(2028, 2, 29)
    """
    match Period(period):
        case Period.WEEK:
            return datetime.date.fromordinal(min(starts_on.toordinal() + 6, datetime.date.max.toordinal()))
        case Period.MONTH:
            # The 28th and four days is always in the next month; there is none after December 9999.
            if (starts_on.year, starts_on.month) == (datetime.date.max.year, datetime.date.max.month):
                return datetime.date.max
            return (starts_on.replace(day=28) + 4 * _DAY).replace(day=1) - _DAY
        case Period.ALL:
            return None
