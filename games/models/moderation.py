"""What moderators did: who, what, when and why."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models

from games.names import NAME_MAX_LENGTH

from .player import REASON_MAX_LENGTH


class ModerationAct(models.Model):
    """One thing done to a player or a submission. Acts are only added: what undoes one is an act of its own.

    ``by`` is None where the server did it itself, as when a ban ends.
    """

    class Kind(models.TextChoices):
        """What was done."""

        BAN = "ban", "banned"
        LIFT = "lift", "ban lifted"
        END = "end", "ban ended by itself"
        DISQUALIFY = "disqualify", "disqualified"
        RESTORE = "restore", "restored"
        RENAME = "rename", "renamed"
        NAME_BACK = "name_back", "name given back"

    kind = models.CharField(max_length=10, choices=Kind.choices)
    player = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="acts", db_index=False)
    submission = models.ForeignKey(
        "games.Submission", on_delete=models.PROTECT, null=True, blank=True, related_name="acts"
    )
    reason = models.CharField(max_length=REASON_MAX_LENGTH, blank=True)
    # Until when a ban lasts; None for good.
    until = models.DateTimeField(null=True, blank=True)
    old_name = models.CharField(max_length=NAME_MAX_LENGTH, blank=True)
    new_name = models.CharField(max_length=NAME_MAX_LENGTH, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    at = models.DateTimeField()

    class Meta:
        indexes: ClassVar = [models.Index(fields=["player", "-id"], name="act_history")]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: player {self.player_id}"
