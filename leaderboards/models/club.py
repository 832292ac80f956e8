"""Clubs: private boards of players who know each other."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models.functions import Lower, Now

NAME_MIN_LENGTH, NAME_MAX_LENGTH = 3, 40


class Club(models.Model):
    """A club. Whoever knows its ``code`` can join; the ``owner`` is one of its members."""

    name = models.CharField(max_length=NAME_MAX_LENGTH)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="owned_clubs")
    code = models.CharField(max_length=12, unique=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(Lower("name"), name="club_name_unique", violation_error_message="taken"),
        ]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A player in a club."""

    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="memberships", db_index=False)
    player = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="memberships")
    joined_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["club", "player"], name="membership_once"),
        ]

    def __str__(self) -> str:
        return f"player {self.player_id} in club {self.club_id}"


class ClubRenaming(models.Model):
    """A name that a moderator took away from a club, and why; ``undone_at`` once it was given back."""

    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="renamings")
    old_name = models.CharField(max_length=NAME_MAX_LENGTH)
    new_name = models.CharField(max_length=NAME_MAX_LENGTH)
    reason = models.CharField(max_length=200)
    moderator = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    renamed_at = models.DateTimeField()
    undone_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.old_name} became {self.new_name}: {self.reason}"
