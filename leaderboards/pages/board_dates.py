"""Days, weeks and months of boards: what they are called, and the way from one to the next."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from games.models import Challenge
from leaderboards.periods import Period, first_day, last_day

#: What pages add to the periods: the board of one day.
DAY = "day"

_A_DAY = datetime.timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Stretch:
    """A day or a period: its first and last UTC date, its name, and dates of those before and behind it, if any."""

    first: datetime.date
    last: datetime.date
    name: str
    previous: datetime.date | None
    next: datetime.date | None


def stretch(*, kind: str, date: datetime.date, earliest: datetime.date, today: datetime.date) -> Stretch:
    """The day or period of ``kind`` that a date falls into; dailies are from ``earliest`` to today."""
    if kind == Period.ALL:
        return Stretch(earliest, today, _("All time"), None, None)
    first = date if kind == DAY else first_day(kind, date)
    last = date if kind == DAY else last_day(kind, first) or date
    return Stretch(
        first,
        last,
        _name(kind, first),
        first - _A_DAY if first > earliest else None,
        last + _A_DAY if last < today else None,
    )


def _name(kind: str, first: datetime.date) -> str:
    match kind:
        case Period.WEEK:
            return _("Week of {date}").format(date=date_format(first))
        case Period.MONTH:
            return date_format(first, "YEAR_MONTH_FORMAT")
        case _:
            return date_format(first)


def earliest_daily(*, mode: str, now: datetime.datetime) -> datetime.date | None:
    """The date of the first daily of a mode that players may know of."""
    dailies = Challenge.objects.visible(now).filter(mode=mode, date__isnull=False)
    return dailies.order_by("date").values_list("date", flat=True).first()
