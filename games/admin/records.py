"""Players, attempts, submissions: verdicts and logs are shown, never edited."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin
from django.http import HttpRequest
from unfold.admin import ModelAdmin

from games.models import Attempt, Player, Submission


class ReadOnlyAdmin(ModelAdmin):  # type: ignore[misc]
    """Shows rows that only the server itself writes."""

    def has_add_permission(self, request: HttpRequest, *_: Any) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Player)
class PlayerAdmin(ReadOnlyAdmin):
    """Players."""

    list_display = ("name", "is_guest", "is_staff", "is_active", "joined_at")
    list_filter = ("is_guest", "is_staff", "is_active")
    search_fields = ("name",)
    exclude = ("password",)


@admin.register(Attempt)
class AttemptAdmin(ReadOnlyAdmin):
    """Attempts."""

    list_display = ("id", "challenge", "player", "number", "started_at", "ended_at")
    list_select_related = ("challenge", "player")
    exclude = ("draft",)


@admin.register(Submission)
class SubmissionAdmin(ReadOnlyAdmin):
    """Submissions; those on which the engine broke carry its traceback."""

    list_display = ("id", "challenge", "player", "state", "ranked_score", "claimed_score", "moves", "received_at")
    list_filter = ("state", "ranked", "won")
    list_select_related = ("challenge", "player")
    search_fields = ("player__name",)
    readonly_fields: ClassVar = ["log_text"]

    @admin.display(description="log")
    def log_text(self, submission: Submission) -> str:
        """The log as it was received."""
        return str(submission.log.text)
