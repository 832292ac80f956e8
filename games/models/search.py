"""What admins ask of the solver."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q


class Search(models.Model):
    """A deal to be proven for a challenge. A row in state `proving` is the job: no message has to arrive for it.

    With a ``number`` that deal is searched, once; without, deals are drawn until one is won. The challenge keeps the
    deal and the proof that it has until then.
    """

    class State(models.TextChoices):
        """How it stands."""

        PROVING = "proving", "proving..."
        PROVEN = "proven"
        # Not found in the time given, which isn't a proof of the contrary.
        NOT_PROVEN = "not_proven", "not proven"
        IMPOSSIBLE = "impossible", "has no win"
        # An admin took it back, or the challenge opened first.
        DROPPED = "dropped"

    challenge = models.ForeignKey("games.Challenge", on_delete=models.CASCADE, related_name="searches")
    number = models.BigIntegerField(null=True, blank=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.PROVING)
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    asked_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    # Deals searched so far, and the wall time that took.
    deals = models.PositiveIntegerField(default=0, db_default=0)
    seconds = models.FloatField(default=0.0, db_default=0.0)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["challenge"], condition=Q(state="proving"), name="search_one_at_a_time_a_challenge"
            )
        ]

    def __str__(self) -> str:
        return f"search {self.pk} ({self.state})"
