"""Challenges: deals put up for competition."""

from __future__ import annotations

import datetime
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from games.engine import MODES, Code


class ChallengeQuerySet(models.QuerySet["Challenge"]):
    """Which challenges there are, seen at a moment."""

    def visible(self, now: datetime.datetime) -> ChallengeQuerySet:
        """Those that players may know of: opened, and not cancelled."""
        return self.filter(opens_at__lte=now, cancelled_at=None)

    def secret(self, now: datetime.datetime) -> ChallengeQuerySet:
        """Those whose deal nobody may see outside an attempt: open, in their grace period, or still to come."""
        return self.filter(closes_at__gt=now - settings.QV_GRACE, cancelled_at=None)

    def with_layout(self, code: Code) -> ChallengeQuerySet:
        """Those with the cards of that code. All Klondike modes deal the same cards for the same number."""
        return self.filter(family=MODES[code.mode].family, number=code.number)


class Challenge(models.Model):
    """A deal with a window ``[opens_at, closes_at)``. A daily has a UTC date, an event has none.

    It is over when the grace period has passed as well: spoilers, medals and final ranks wait for that.
    """

    MODE_CHOICES: ClassVar = [(key, mode.prefix) for key, mode in MODES.items()]

    mode = models.CharField(max_length=6, choices=MODE_CHOICES)
    # The layout is (family, number): the same number is the same cards in all modes of a family.
    family = models.CharField(max_length=3)
    number = models.BigIntegerField()
    date = models.DateField(null=True, blank=True)
    title = models.CharField(max_length=80, blank=True)
    opens_at = models.DateTimeField()
    closes_at = models.DateTimeField()
    cancelled_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(db_default=Now())

    objects = ChallengeQuerySet.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["mode", "date"], name="challenge_one_daily_a_mode_and_date"),
            models.UniqueConstraint(fields=["family", "number"], name="challenge_layout_used_once"),
            models.CheckConstraint(condition=Q(opens_at__lt=F("closes_at")), name="challenge_opens_before_it_closes"),
        ]
        indexes: ClassVar = [models.Index(fields=["closes_at"]), models.Index(fields=["date"])]

    def __str__(self) -> str:
        return f"{self.mode} {self.date or self.title}"

    @property
    def code(self) -> Code:
        """The deal's code."""
        return Code(self.mode, self.number)

    def is_open(self, now: datetime.datetime) -> bool:
        """Whether an attempt may start."""
        return self.cancelled_at is None and self.opens_at <= now < self.closes_at

    def is_over(self, now: datetime.datetime) -> bool:
        """Whether the window and the grace period have passed."""
        return now >= self.closes_at + settings.QV_GRACE
