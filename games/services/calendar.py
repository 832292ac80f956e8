"""What is published, and what is missing."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.db.models import Prefetch

from games.models import Challenge, Search

#: So many days, today's the first, are kept filled.
DAYS_AHEAD = 14


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in the calendar: a mode's daily of a UTC date."""

    date: datetime.date
    mode: str

    def __str__(self) -> str:
        return f"{self.mode} of {self.date}"


def missing_dailies(*, today: datetime.date, days: int = DAYS_AHEAD) -> list[Slot]:
    """The places without a daily from today on, the earliest first."""
    dates = list(_dates(today, days))
    taken = set(Challenge.objects.filter(date__in=dates).values_list("date", "mode"))
    return [Slot(date, mode) for date in dates for mode in settings.DAILY_MODES if (date, mode) not in taken]


@dataclass(frozen=True, slots=True)
class Day:
    """A UTC date with its dailies and the events that are open on it; ``missing`` are modes without a daily."""

    date: datetime.date
    challenges: Sequence[Challenge]
    missing: Sequence[str]


def read_days(*, first: datetime.date, days: int, today: datetime.date) -> list[Day]:
    """Days in a row, for the admin's calendar. Nothing is missing of days that are past or further than is planned."""
    last = first + datetime.timedelta(days=days - 1)
    searches = Search.objects.order_by("-id")
    found = list(
        Challenge.objects.filter(opens_at__date__lte=last, closes_at__date__gte=first)
        .defer("winning_log")
        .prefetch_related(Prefetch("searches", searches))
        .order_by("date", "opens_at", "id")
    )
    gaps = missing_dailies(today=today)
    order = {mode: i for i, mode in enumerate(settings.DAILY_MODES)}
    return [
        Day(
            date,
            sorted((c for c in found if _is_on(c, date)), key=lambda c: (c.date is None, order.get(c.mode, 99))),
            [slot.mode for slot in gaps if slot.date == date],
        )
        for date in _dates(first, days)
    ]


def _is_on(challenge: Challenge, date: datetime.date) -> bool:
    if challenge.date is not None:
        return challenge.date == date
    return challenge.opens_at.date() <= date <= challenge.closes_at.date()


def _dates(first: datetime.date, days: int) -> Iterator[datetime.date]:
    return (first + datetime.timedelta(days=n) for n in range(days))
