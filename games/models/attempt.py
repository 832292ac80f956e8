"""Attempts: a player's tries at a challenge."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q


class Attempt(models.Model):
    """One player's try, numbered 1, 2, ...; it starts when the deal is handed out and ends by its submission."""

    challenge = models.ForeignKey("games.Challenge", on_delete=models.PROTECT, related_name="attempts", db_index=False)
    player = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="attempts")
    number = models.IntegerField()
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    # A log kept for going on elsewhere; nothing is ever computed from it.
    draft = models.TextField(blank=True, db_default="")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["challenge", "player", "number"], name="attempt_number_unique"),
            models.UniqueConstraint(
                fields=["challenge", "player"], condition=Q(ended_at=None), name="attempt_one_open_a_player"
            ),
        ]

    def __str__(self) -> str:
        return f"attempt {self.number} of player {self.player_id} at challenge {self.challenge_id}"
