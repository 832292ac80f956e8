"""Players: guests and people with credentials are the same rows."""

from __future__ import annotations

import datetime
from typing import Any, ClassVar

from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.db import models
from django.db.models import Lookup, Q, QuerySet
from django.db.models.functions import Lower, Now

from games.names import NAME_MAX_LENGTH, skeleton

#: Of the reasons that moderators give.
REASON_MAX_LENGTH = 300


class NameField(models.CharField):  # type: ignore[type-arg]
    """A name, compared without regard to case in the way that its index knows."""


@NameField.register_lookup
class SameName(Lookup):
    """``iexact`` by lower case: Django would ask for upper case, and search the whole table."""

    lookup_name = "iexact"

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, Any]:
        left, left_parameters = self.process_lhs(compiler, connection)
        right, right_parameters = self.process_rhs(compiler, connection)
        return f"LOWER({left}) = LOWER({right})", [*left_parameters, *right_parameters]


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
        return self.get(name__iexact=username, tombstone=0)

    def named(self, name: str) -> QuerySet[Player]:
        """The active player of that name, case aside, or none; whatever the text holds."""
        if "\x00" in name:
            return self.none()
        return self.filter(name__iexact=name, tombstone=0, is_active=True)


class Player(AbstractBaseUser, PermissionsMixin):
    """Somebody who plays. A guest has a made-up name and a token, and becomes a full player on the same row.

    A deleted player keeps the row, so that what was verified keeps its place, and nothing else: no name, no way in.
    """

    #: What boards call a deleted player.
    DELETED_NAME = "deleted player"

    name = NameField(max_length=NAME_MAX_LENGTH)
    # What the name looks like (`games.names`): no two players have names that pass for each other's.
    skeleton = models.TextField(null=True, editable=False)
    email = models.EmailField(blank=True, db_default="")
    is_guest = models.BooleanField(default=False)
    is_staff = models.BooleanField(default=False)
    is_active = models.BooleanField(default=True)
    joined_at = models.DateTimeField(db_default=Now())
    # What a client keeps for its player: the look of the board.
    settings = models.JSONField(blank=True, db_default={})
    deleted_at = models.DateTimeField(null=True, blank=True, editable=False)
    # 0, or the player's own number once deleted: deleted players share a name.
    tombstone = models.BigIntegerField(db_default=0, editable=False)
    # The account that took over what a guest had.
    merged_into = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="+", editable=False
    )

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
            models.UniqueConstraint(
                Lower("name"), "tombstone", name="player_name_unique", violation_error_message="taken"
            ),
            # With a condition, so that renaming locks no row against those who only refer to it.
            models.UniqueConstraint(
                fields=["skeleton"],
                condition=Q(skeleton__isnull=False),
                name="player_skeleton_unique",
                violation_error_message="taken",
            ),
            models.CheckConstraint(
                condition=Q(is_banned=True, banned_at__isnull=False)
                | Q(is_banned=False, banned_at=None, banned_until=None, ban_reason=""),
                name="player_ban_is_whole",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["banned_until"], condition=Q(is_banned=True), name="player_ban_end"),
            models.Index(fields=["email"], condition=~Q(email=""), name="player_email"),
        ]

    def __str__(self) -> str:
        return str(self.name)

    def is_banned_at(self, now: datetime.datetime) -> bool:
        """Whether a ban keeps the player from playing: one that has ended doesn't, though its flag still stands."""
        return self.is_banned and (self.banned_until is None or self.banned_until > now)

    def save(self, *arguments: Any, **options: Any) -> None:
        """Store the row, with the skeleton of its name."""
        self.skeleton = None if self.deleted_at else skeleton(self.name)
        if (fields := options.get("update_fields")) is not None and "name" in fields:
            options["update_fields"] = {*fields, "skeleton"}
        super().save(*arguments, **options)


class TokenLabel(models.Model):
    """What its player calls a token. Tokens of guests have none."""

    token = models.OneToOneField("knox.AuthToken", on_delete=models.CASCADE, primary_key=True, related_name="label")
    name = models.CharField(max_length=64)

    def __str__(self) -> str:
        return str(self.name)
