"""What moderators are asked to look at, and what is kept to find it. Nothing here punishes anybody."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q


class ReviewJob(models.Model):
    """A verified submission that hasn't been looked at. The row is the job: no message has to arrive for it."""

    # Without a constraint in the database, which every verdict would pay for.
    submission = models.OneToOneField(
        "games.Submission", on_delete=models.CASCADE, primary_key=True, db_constraint=False, related_name="+"
    )

    def __str__(self) -> str:
        return f"review of submission {self.submission_id}"


class ReviewedLog(models.Model):
    """The digest of a log that has been looked at, by which the same log of somebody else is found."""

    submission = models.OneToOneField("games.Submission", on_delete=models.CASCADE, primary_key=True, related_name="+")
    # Its submission's, which the database keeps.
    challenge = models.ForeignKey(
        "games.Challenge", on_delete=models.CASCADE, db_index=False, db_constraint=False, related_name="+"
    )
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, db_index=False, db_constraint=False, related_name="+"
    )
    digest = models.UUIDField()

    class Meta:
        indexes: ClassVar = [models.Index(fields=["challenge", "digest", "submission"], name="reviewed_log_digest")]

    def __str__(self) -> str:
        return f"log of submission {self.submission_id}"


class AddressSighting(models.Model):
    """That a player began an attempt from an address, of which a keyed hash is kept for `QV_ADDRESS_DAYS`."""

    # The attempt's, in whose statement it is written.
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, db_constraint=False, related_name="+"
    )
    digest = models.UUIDField()
    seen_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["digest", "player"], name="sighting_once")]

    def __str__(self) -> str:
        return f"player {self.player_id}, seen {self.seen_at:%Y-%m-%d}"


class ReviewFlag(models.Model):
    """A reason to look at a player, mostly at one submission of theirs."""

    class Kind(models.TextChoices):
        """What was found."""

        TOO_FAST = "too_fast", "faster than a hand can move"
        SAME_LOG = "same_log", "the same log as another player's"
        WINNING_LOG = "winning_log", "the stored winning log"
        SAME_ADDRESS = "same_address", "many accounts on one address"
        OTHER_SCORE = "other_score", "another score claimed"
        REPORTED = "reported", "reported by a player"
        DISPUTED = "disputed", "a rejection that its player doubts"

    class State(models.TextChoices):
        """Whether somebody has decided on it."""

        OPEN = "open"
        SETTLED = "settled"

    class Outcome(models.TextChoices):
        """What was decided."""

        DISMISSED = "dismissed"
        DISQUALIFIED = "disqualified"
        BANNED = "banned"

    kind = models.CharField(max_length=12, choices=Kind.choices)
    player = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="flags")
    submission = models.ForeignKey(
        "games.Submission", on_delete=models.CASCADE, null=True, blank=True, related_name="flags", db_index=False
    )
    # The submission that this one is like.
    other = models.ForeignKey("games.Submission", on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    reporter = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    details = models.JSONField(default=dict)
    found_at = models.DateTimeField()

    state = models.CharField(max_length=7, choices=State.choices, default=State.OPEN)
    outcome = models.CharField(max_length=12, choices=Outcome.choices, blank=True)
    # What was done to the player or the submission, for undoing it.
    act = models.ForeignKey("games.ModerationAct", on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    settled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    settled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["submission", "kind"], name="flag_once_a_submission"),
            models.UniqueConstraint(
                fields=["player"], condition=Q(kind="same_address"), name="flag_one_address_a_player"
            ),
            models.UniqueConstraint(
                fields=["reporter", "player"],
                condition=Q(kind="reported", state="open"),
                name="flag_one_open_report_a_reporter",
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["-id"], condition=Q(state="open"), name="flag_open")]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.player}"

    @property
    def is_open(self) -> bool:
        """Whether nobody has decided on it."""
        return self.state == self.State.OPEN
