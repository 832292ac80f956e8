"""The calendar: a month of a mode's dailies with one's own results and medals."""

from __future__ import annotations

import calendar
import datetime
import re

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.dates import WEEKDAYS, WEEKDAYS_ABBR
from django.utils.formats import get_format
from django.views.decorators.http import require_safe

from games.engine import MODES
from games.pages.views import page
from leaderboards.periods import BEGINNING
from leaderboards.services.months import read_month
from leaderboards.streaks import BADGE_DAYS

_MONTH = re.compile(r"([0-9]{4})-([0-9]{2})")


@require_safe
def first_mode(request: HttpRequest) -> HttpResponse:
    """The calendar of the first mode."""
    return redirect("calendar", mode=settings.DAILY_MODES[0])


@page
def month(request: HttpRequest, mode: str) -> HttpResponse:
    """The month of ``?month=2026-11``, else this one. There are none to come, nor any that no server has seen."""
    now = timezone.now()
    today = now.astimezone(datetime.UTC).date()
    first = _first_day(request.GET.get("month"), today)
    if mode not in MODES or first is None or not BEGINNING <= first <= today:
        raise Http404
    shown = read_month(mode=mode, first=first, player_id=request.user.pk, now=now)
    before, after = _beside(first, -1), _beside(first, 1)
    weeks = calendar.Calendar(_first_weekday()).monthdatescalendar(first.year, first.month)
    context = {
        "mode": mode,
        "modes": [*settings.DAILY_MODES, *([mode] if mode not in settings.DAILY_MODES else [])],
        "month": shown,
        "today": today,
        "weekdays": [(WEEKDAYS[day.weekday()], WEEKDAYS_ABBR[day.weekday()]) for day in weeks[0]],
        "weeks": [[(day, shown.days.get(day) if day.month == first.month else None) for day in week] for week in weeks],
        "listed": sorted(shown.days.values(), key=lambda day: day.challenge.opens_at, reverse=True),
        "before": before if before >= shown.earliest else None,
        "after": after if after <= today else None,
        "badges": [*BADGE_DAYS, calendar.monthrange(first.year, first.month)[1]],
    }
    return render(request, "leaderboards/month.html", context)


def _first_day(text: str | None, today: datetime.date) -> datetime.date | None:
    """The first day of a month like 2026-11, or of this one without a text; None for no month."""
    if text is None:
        return today.replace(day=1)
    match = _MONTH.fullmatch(text)
    try:
        return datetime.date(int(match[1]), int(match[2]), 1) if match else None
    except ValueError:
        return None


def _beside(first: datetime.date, step: int) -> datetime.date:
    """The first day of the month before or after."""
    month = first.year * 12 + first.month - 1 + step
    return datetime.date(month // 12, month % 12 + 1, 1)


def _first_weekday() -> int:
    """With which day the language begins a week, Monday 0. Django counts from Sunday."""
    return (int(get_format("FIRST_DAY_OF_WEEK")) - 1) % 7
