"""The admin's entry: a link that lets the person who started the server in, once; and the first page."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import login
from django.contrib.auth.tokens import default_token_generator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from games.models import Challenge, Player, ReviewFlag, Search, Submission
from games.services.calendar import DAYS_AHEAD, missing_dailies

ADMIN_NAME = "admin"


def make_link(origin: str) -> str:
    """A link into the admin, for the superuser ``admin``, who is made if there is none yet.

    The token is a hash over the last login, so the login that uses it up ends it (Django's password reset token).
    """
    player = Player.objects.filter(name__iexact=ADMIN_NAME).first() or Player.objects.create_superuser(ADMIN_NAME)
    token = default_token_generator.make_token(player)
    return origin.rstrip("/") + reverse("admin-enter", args=[player.pk, token])


@require_GET
@never_cache
def enter(request: HttpRequest, player: str, token: str) -> HttpResponse:
    """Log in with a link of `make_link`, or explain why it doesn't work any more."""
    found = Player.objects.filter(pk=player, is_superuser=True, is_active=True).first() if player.isdigit() else None
    if found is None or not default_token_generator.check_token(found, token):
        return HttpResponse(
            "This link has been used or is too old: 'manage.py admin_link' prints a new one.",
            status=403,
            content_type="text/plain",
        )
    login(request, found)
    return redirect("admin:index")


def dashboard(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """What the first page of the admin says before all else: what is missing, and what waits."""
    now = timezone.now()
    context.update(
        missing=missing_dailies(today=now.date()),
        days_ahead=DAYS_AHEAD,
        searches=Search.objects.filter(state=Search.State.PROVING).count(),
        pending=Submission.objects.filter(state=Submission.State.PENDING).count(),
        flags=ReviewFlag.objects.filter(state=ReviewFlag.State.OPEN).count(),
        failed=Submission.objects.filter(state=Submission.State.FAILED).count(),
        today=Challenge.objects.visible(now).filter(closes_at__gt=now).defer("winning_log").order_by("mode"),
    )
    return context
