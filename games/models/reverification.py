"""How far a re-verification has come."""

from __future__ import annotations

from django.db import models


class Reverification(models.Model):
    """A run of `manage.py reverify`: what it was asked to replay, and up to where it has; a killed one goes on there.

    Submissions are replayed in the order of their numbers, from ``upto_id`` on up to ``last_id``, the last that there
    was when the run began: later ones have the present rules anyway.
    """

    challenge = models.ForeignKey("games.Challenge", on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    # Received in [since, until).
    since = models.DateTimeField(null=True, blank=True)
    until = models.DateTimeField(null=True, blank=True)
    rules_below = models.PositiveSmallIntegerField(null=True, blank=True)

    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    upto_id = models.BigIntegerField(default=0)
    last_id = models.BigIntegerField()
    replayed = models.BigIntegerField(default=0)
    changed = models.BigIntegerField(default=0)
    # Submissions, with what went wrong: the engine broke on them, or another log of the attempt stands.
    broken = models.JSONField(default=list)
    left = models.JSONField(default=list)

    def __str__(self) -> str:
        return f"re-verification {self.pk}, begun {self.started_at:%Y-%m-%d %H:%M}"
