"""Submissions: move logs, and the verdicts on them."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from .player import REASON_MAX_LENGTH

#: How many rejected logs an attempt may have; each of them is kept.
MAX_REJECTED = 5


class Submission(models.Model):
    """The log of one attempt. A pending row is the job: no message has to arrive for it to be verified.

    A rejected log may be corrected, so an attempt can have several submissions, of which one at most isn't rejected.
    Challenge, player and attempt number are repeated here because the worker and the boards ask for nothing else.
    """

    class State(models.TextChoices):
        """Where the submission stands; `failed` means that the engine itself broke."""

        PENDING = "pending"
        VERIFIED = "verified"
        REJECTED = "rejected"
        FAILED = "failed"

    attempt = models.ForeignKey("games.Attempt", on_delete=models.PROTECT, related_name="submissions", db_index=False)
    # Its attempt's, which the database keeps: asking for both again would lock their rows with each game.
    challenge = models.ForeignKey(
        "games.Challenge", on_delete=models.PROTECT, related_name="submissions", db_index=False, db_constraint=False
    )
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="submissions",
        db_index=False,
        db_constraint=False,
    )
    # Plain numbers: each check that a number is positive would be read and compiled anew for every game.
    attempt_number = models.IntegerField()
    state = models.CharField(max_length=8, choices=State.choices, default=State.PENDING)
    # Whether it counts for boards: the attempt started in the window and the log was received before it was over.
    ranked = models.BooleanField()
    # A moderator's flag beside the state, and the reason that the player is told. It can be taken back.
    is_disqualified = models.BooleanField(default=False, db_default=False)
    disqualification = models.CharField(max_length=REASON_MAX_LENGTH, blank=True, db_default="")
    claimed_score = models.IntegerField(null=True, blank=True)
    client = models.CharField(max_length=64, blank=True)
    received_at = models.DateTimeField()
    # Tenths of a second on the server's clock, from the attempt's start to the receipt.
    elapsed = models.BigIntegerField()

    # How often a worker took it up, when last, and what went wrong if the engine broke.
    tries = models.SmallIntegerField(db_default=0)
    claimed_at = models.DateTimeField(null=True, blank=True)
    traceback = models.TextField(blank=True, db_default="")

    # The verdict (notation.md), empty while pending. `rejection` is its `error`.
    verified_at = models.DateTimeField(null=True, blank=True)
    rules_version = models.SmallIntegerField(null=True, blank=True)
    rejection = models.JSONField(null=True, blank=True)
    won = models.BooleanField(null=True, blank=True)
    score = models.IntegerField(null=True, blank=True)
    ranked_score = models.IntegerField(null=True, blank=True)
    moves = models.IntegerField(null=True, blank=True)
    draws = models.IntegerField(null=True, blank=True)
    undos = models.IntegerField(null=True, blank=True)
    recycles = models.IntegerField(null=True, blank=True)
    foundation_cards = models.IntegerField(null=True, blank=True)
    waste_to_column = models.IntegerField(null=True, blank=True)
    taken_back = models.IntegerField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["attempt"], condition=~Q(state="rejected"), name="submission_one_that_stands_an_attempt"
            ),
            models.CheckConstraint(
                condition=Q(state__in=["pending", "failed"]) | Q(verified_at__isnull=False, ranked_score__isnull=False),
                name="submission_has_its_verdict",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["id"], condition=Q(state="pending"), name="submission_pending"),
            models.Index(fields=["player", "-id"], name="submission_history"),
            models.Index(fields=["attempt", "-id"], name="submission_of_attempt"),
            models.Index(fields=["challenge", "player"], name="submission_of_challenge"),
        ]

    def __str__(self) -> str:
        return f"submission {self.pk} ({self.state})"


class SubmissionLog(models.Model):
    """The log of a submission, in a table beside it: the rows that boards and workers read stay small."""

    submission = models.OneToOneField(Submission, on_delete=models.CASCADE, primary_key=True, related_name="log")
    text = models.TextField()
    # Milliseconds since the start, one for each action; empty where the client sent none.
    times = ArrayField(models.IntegerField(), db_default=[])

    def __str__(self) -> str:
        return f"log of submission {self.submission_id}"
