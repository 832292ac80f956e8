"""The first page: today's dailies, open events, yesterday's winners."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _

from games.pages.views import page
from leaderboards.services.day import read_today

from .sharing import Share


@page
def today(request: HttpRequest) -> HttpResponse:
    """The day, as far as it has come."""
    now = timezone.now()
    day = read_today(player_id=request.user.pk, now=now)
    context = {
        "day": day,
        "seconds_left": (day.closes_at - now).total_seconds(),
        "grace_minutes": int(settings.QV_GRACE.total_seconds() // 60),
        "is_newcomer": day.visit is None or not day.visit.has_ever_played,
        "share": Share.of(
            request,
            title=_("Today's solitaire: the same deals for everybody"),
            description=_("Play at once, without signing up, and see your rank."),
            picture="today-picture",
        ),
    }
    return render(request, "leaderboards/today.html", context)
