"""Recomputations of challenges with many players that go on after the commit of what they are for."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now


class PendingRecount(models.Model):
    """A challenge that is being recomputed: done up to the player numbered ``after``, last at ``worked_at``."""

    challenge = models.OneToOneField("games.Challenge", on_delete=models.PROTECT, primary_key=True, related_name="+")
    after = models.BigIntegerField()
    worked_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"challenge {self.challenge_id}, recomputed up to player {self.after}"
