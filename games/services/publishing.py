"""Putting deals up for competition."""

from __future__ import annotations

import datetime
import secrets

from django.conf import settings
from django.db import IntegrityError, transaction

from games.engine import MODES, Code
from games.engine.deals import DEALS_PER_GAME
from games.models import Challenge

_DRAWS = 10


class PublishingError(ValueError):
    """A challenge can't be published; the message says why."""


def publish_daily(*, mode: str, date: datetime.date, code: Code | None = None) -> tuple[Challenge, bool]:
    """The daily of a mode and a UTC date, and whether it is new. A given code must never have been used before.

    Raises `PublishingError`.
    """
    if mode not in MODES:
        raise PublishingError(f"{mode!r} is no mode: {', '.join(MODES)} are.")
    if code is not None and code.mode != mode:
        raise PublishingError(f"{code} is a deal of {code.mode}, not of {mode}.")
    if existing := Challenge.objects.filter(mode=mode, date=date).first():
        if code is not None and existing.code != code:
            raise PublishingError(f"{mode} of {date} is already published, with another deal.")
        return existing, False
    for _ in range(_DRAWS):
        challenge = _daily(mode, date, code or Code(mode, secrets.randbelow(DEALS_PER_GAME)))
        try:
            with transaction.atomic():
                challenge.save(force_insert=True)
        except IntegrityError:
            if existing := Challenge.objects.filter(mode=mode, date=date).first():
                return existing, False
            if code is not None:
                raise PublishingError(f"{code} was already used: a deal is put up once.") from None
        else:
            return challenge, True
    raise PublishingError(f"no unused deal of {mode} was found in {_DRAWS} draws")


def publish_dailies(*, today: datetime.date, days: int = 2) -> list[Challenge]:
    """The dailies of every mode of ``DAILY_MODES`` for today and the days after it; returns the new ones."""
    dates = [today + datetime.timedelta(days=n) for n in range(days)]
    published = [publish_daily(mode=mode, date=date) for date in dates for mode in settings.DAILY_MODES]
    return [challenge for challenge, is_new in published if is_new]


def _daily(mode: str, date: datetime.date, code: Code) -> Challenge:
    return Challenge(
        mode=mode,
        family=MODES[mode].family,
        number=code.number,
        date=date,
        opens_at=_midnight(date),
        # The next date's midnight, which needn't be 24 hours away in every calendar; in UTC it is.
        closes_at=_midnight(date + datetime.timedelta(days=1)),
    )


def _midnight(date: datetime.date) -> datetime.datetime:
    return datetime.datetime.combine(date, datetime.time(), datetime.UTC)
