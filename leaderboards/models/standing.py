"""Standings: which submission gives a player the place on a board."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q


class Board(models.TextChoices):
    """The boards of a challenge."""

    BEST = "best", "the best submission of each player"
    FIRST = "first", "first attempts, without guests"


class StandingManager(models.Manager["Standing"]):
    """Only rows that give a place."""

    def get_queryset(self) -> models.QuerySet[Standing]:
        """Without those that have lost theirs."""
        return super().get_queryset().filter(submission__isnull=False)


class Standing(models.Model):
    """A player's place-giving submission on one board of a challenge.

    ``key`` is the whole order packed into one number, low is better (`leaderboards.ranking`). PostgreSQL is the truth
    and Redis a projection: ``is_pushed`` says whether Redis has heard of the row as it is now, ``pushed_submission_id``
    which member it was told last, ``superseded`` which ones it may have been told since by somebody who died before
    that was noted. A row whose player has no submission any more that counts has neither submission nor
    key: it waits until Redis has heard that, and then goes. `objects` leaves such rows out, `rows` has them.
    """

    # Both are the submission's, which the database keeps. Rows of players who had one are never deleted.
    challenge = models.ForeignKey(
        "games.Challenge", on_delete=models.PROTECT, related_name="standings", db_index=False, db_constraint=False
    )
    board = models.CharField(max_length=5, choices=Board.choices)
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="standings", db_constraint=False
    )
    submission = models.ForeignKey(
        "games.Submission", on_delete=models.PROTECT, related_name="standings", null=True, db_index=False
    )
    key = models.BigIntegerField(null=True)
    is_pushed = models.BooleanField(db_default=False)
    pushed_submission_id = models.BigIntegerField(null=True, blank=True)
    superseded = ArrayField(models.BigIntegerField(), null=True, blank=True)

    objects = StandingManager()
    rows = models.Manager["Standing"]()

    class Meta:
        base_manager_name = "rows"
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(submission__isnull=True, key__isnull=True) | Q(submission__isnull=False, key__isnull=False),
                name="standing_key_and_submission_together",
            ),
            models.UniqueConstraint(fields=["challenge", "board", "player"], name="standing_one_a_player"),
            models.UniqueConstraint(
                fields=["submission", "board"], include=["player"], name="standing_one_a_submission"
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["challenge", "board", "key", "submission"], name="standing_order"),
            models.Index(
                fields=["challenge", "board", "player"], condition=Q(is_pushed=False), name="standing_unpushed"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.board} of challenge {self.challenge_id}: player {self.player_id}"
