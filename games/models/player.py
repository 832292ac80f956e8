"""Players: guests and people with credentials are the same rows."""

from __future__ import annotations

import datetime
from typing import Any, ClassVar

from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.db import models
from django.db.models import Q, QuerySet, Value
from django.db.models.functions import Lower, Now

NAME_MIN_LENGTH, NAME_MAX_LENGTH = 3, 20
#: Of the reasons that moderators give.
REASON_MAX_LENGTH = 300


class PlayerManager(BaseUserManager["Player"]):
    """Makes players from the command line; guests come from `games.services.players.create_guest`."""

    def create_user(self, name: str, password: str | None = None, **fields: Any) -> Player:
        """A player with a name and a password."""
        player = self.model(name=name, is_guest=False, **fields)
        player.set_password(password)
        player.save(using=self._db)
        return player

    def create_superuser(self, name: str, password: str | None = None, **fields: Any) -> Player:
        """A player who may do everything in the admin."""
        return self.create_user(name, password, is_staff=True, is_superuser=True, **fields)

    def get_by_natural_key(self, username: str | None) -> Player:
        """The player of that name, case aside."""
        return self.get(name__iexact=username)

    def named(self, name: str) -> QuerySet[Player]:
        """The active player of that name, case aside, or none; whatever the text holds."""
        if "\x00" in name:
            return self.none()
        return self.alias(lowered=Lower("name")).filter(lowered=Lower(Value(name)), is_active=True)


class Player(AbstractBaseUser, PermissionsMixin):
    """Somebody who plays. A guest has a made-up name and a token, and becomes a full player on the same row."""

    name = models.CharField(max_length=NAME_MAX_LENGTH)
    email = models.EmailField(blank=True, db_default="")
    is_guest = models.BooleanField(default=False)
    is_staff = models.BooleanField(default=False)
    is_active = models.BooleanField(default=True)
    joined_at = models.DateTimeField(db_default=Now())

    # A ban. What counts and who is seen asks the flag alone, so that rows and Redis agree at every moment: whoever
    # turns it (`games.services.moderation`) has the boards recomputed. ``banned_until`` None is for good.
    is_banned = models.BooleanField(default=False, db_default=False)
    banned_at = models.DateTimeField(null=True, blank=True)
    banned_until = models.DateTimeField(null=True, blank=True)
    ban_reason = models.CharField(max_length=REASON_MAX_LENGTH, blank=True, db_default="")

    USERNAME_FIELD = "name"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    objects = PlayerManager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(Lower("name"), name="player_name_unique", violation_error_message="taken"),
            models.CheckConstraint(
                condition=Q(is_banned=True, banned_at__isnull=False)
                | Q(is_banned=False, banned_at=None, banned_until=None, ban_reason=""),
                name="player_ban_is_whole",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["banned_until"], condition=Q(is_banned=True), name="player_ban_end"),
        ]

    def __str__(self) -> str:
        return self.name

    def is_banned_at(self, now: datetime.datetime) -> bool:
        """Whether a ban keeps the player from playing: one that has ended doesn't, though its flag still stands."""
        return self.is_banned and (self.banned_until is None or self.banned_until > now)
