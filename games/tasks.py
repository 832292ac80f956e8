"""Celery's side of `games`: shells that call one service each and are safe to repeat."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from .wakeups import woken


@shared_task(name="games.verify", expires=60)
def verify() -> None:
    """Verify whatever is pending."""
    from .services.verification import verify_pending

    woken(verify.name)
    verify_pending(clock=timezone.now)


@shared_task(name="games.publish", expires=3600)
def publish() -> None:
    """Have the dailies of today and tomorrow there."""
    from .services.publishing import publish_dailies

    publish_dailies(today=timezone.now().date())
