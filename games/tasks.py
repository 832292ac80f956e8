"""Celery's side of `games`: shells that call one service each and are safe to repeat."""

from __future__ import annotations

import time

from celery import shared_task
from django.utils import timezone

from .wakeups import wake, woken

#: Under load a worker gathers what comes in within this time, and needs no message for it; after so long it reads its
#: messages again.
GATHER_SECONDS = 0.1
STAY_SECONDS = 1.0


@shared_task(name="games.verify", expires=60)
def verify() -> None:
    """Verify whatever is pending, and what comes in right after it."""
    from .services.verification import verify_pending

    woken(verify.name)
    until = time.monotonic() + STAY_SECONDS
    while verify_pending(clock=timezone.now) and time.monotonic() < until:
        time.sleep(GATHER_SECONDS)


@shared_task(name="games.prove", expires=600)
def prove() -> None:
    """Search one deal for what is most urgent, and come again while there is something to do."""
    from .services.proving import prove_next

    woken(prove.name)
    if prove_next(clock=timezone.now) is not None:
        wake(prove.name)


@shared_task(name="games.end_bans", expires=60)
def end_bans() -> None:
    """Let the players in again whose ban has come to its end."""
    from .services.moderation import end_bans

    end_bans(now=timezone.now())


@shared_task(name="games.review", expires=60)
def review() -> None:
    """Look at what was verified."""
    from .services.review import review_submissions

    woken(review.name)
    review_submissions(now=timezone.now())


@shared_task(name="games.forget_addresses", expires=3600)
def forget_addresses() -> None:
    """Delete the traces of addresses that are older than they may be."""
    from .services.sightings import forget_addresses

    forget_addresses(now=timezone.now())


@shared_task(name="games.expire", expires=3600)
def expire() -> None:
    """Let guests go who haven't played for long, a few at a time: verdicts mustn't wait."""
    from .services.deletion import EXPIRED_AT_ONCE, clear_expired, expire_guests
    from .services.merging import finish_merges

    woken(expire.name)
    now = timezone.now()
    finish_merges(now=now)
    clear_expired(now=now)
    if expire_guests(now=now) == EXPIRED_AT_ONCE:
        wake(expire.name)
