"""Players, attempts, submissions: verdicts and logs are shown, never edited; moderation goes through its services."""

from __future__ import annotations

import datetime
from typing import Any, ClassVar

from django.contrib import admin

from games.engine import FIGURES
from games.models import Attempt, ModerationAct, Player, Submission
from games.services import moderation

from .acting import ActingAdmin, ReadOnlyAdmin, ban_end, unknown
from .replays import replay_of_submission

#: Submissions and acts that a player's page shows.
SHOWN = 30


@admin.register(Player)
class PlayerAdmin(ActingAdmin):
    """Players, and what moderators do with them."""

    list_display = ("name", "is_guest", "is_banned", "is_staff", "is_active", "joined_at")
    list_filter = ("is_banned", "is_guest", "is_staff", "is_active")
    search_fields = ("name",)
    fields = ("name", "email", "is_guest", "is_staff", "is_superuser", "is_active", "joined_at", "last_login")
    change_form_template = "admin/games/player/change_form.html"

    def page(self, row: Player, now: datetime.datetime) -> dict[str, Any]:
        submissions = row.submissions.select_related("challenge").order_by("-id")
        return {
            "acts": row.acts.select_related("by", "submission").order_by("-id")[:SHOWN],
            "last_renaming": row.acts.filter(new_name=row.name).order_by("-id").first(),
            "submissions": submissions.defer("challenge__winning_log", "traceback")[:SHOWN],
            "flags": row.flags.select_related("submission").order_by("state", "-id")[:SHOWN],
        }

    def do(self, what: str, row: Player, fields: dict[str, str], now: datetime.datetime, by: Player) -> str:
        who: dict[str, Any] = {"reason": fields.get("reason", ""), "now": now, "by": by}
        match what:
            case "ban":
                act = moderation.ban_player(player_id=row.pk, until=ban_end(fields, now), **who)
                end = "for good" if act.until is None else f"until {act.until:%Y-%m-%d %H:%M} UTC"
                return f"{row.name} is banned {end} and stands on no board."
            case "lift":
                moderation.lift_ban(player_id=row.pk, **who)
                return f"The ban of {row.name} is lifted: all results count again."
            case "rename":
                act = moderation.rename_player(player_id=row.pk, name=fields.get("name", ""), **who)
                return f"{act.old_name} is now named {act.new_name}."
            case "name_back":
                number = fields.get("renaming", "")
                act = moderation.undo_renaming(act_id=int(number) if number.isdecimal() else 0, **who)
                return f"{act.old_name} is named {act.new_name} again."
        raise unknown(what)


@admin.register(Attempt)
class AttemptAdmin(ReadOnlyAdmin):
    """Attempts."""

    list_display = ("id", "challenge", "player", "number", "started_at", "ended_at")
    list_select_related = ("challenge", "player")
    exclude = ("draft",)


@admin.register(Submission)
class SubmissionAdmin(ActingAdmin):
    """Submissions, each with its game as a replay; those on which the engine broke carry its traceback."""

    list_display = (
        "id",
        "challenge",
        "player",
        "state",
        "is_disqualified",
        "ranked_score",
        "claimed_score",
        "moves",
        "received_at",
    )
    list_filter = ("state", "is_disqualified", "ranked", "won")
    list_select_related = ("challenge", "player")
    search_fields = ("player__name",)
    readonly_fields: ClassVar = ["log_text"]
    # The rest stands above.
    fields = ("elapsed", "tries", "claimed_at", "verified_at", "rules_version", *FIGURES, "traceback", "log_text")
    change_form_template = "admin/games/submission/change_form.html"

    @admin.display(description="log")
    def log_text(self, submission: Submission) -> str:
        """The log as it was received."""
        return str(submission.log.text)

    def page(self, row: Submission, now: datetime.datetime) -> dict[str, Any]:
        return {
            "replay": replay_of_submission(row),
            "seconds": row.elapsed / 10,
            "acts": row.acts.select_related("by").order_by("-id"),
            "flags": row.flags.order_by("state", "-id"),
        }

    def do(self, what: str, row: Submission, fields: dict[str, str], now: datetime.datetime, by: Player) -> str:
        who: dict[str, Any] = {"submission_id": row.pk, "reason": fields.get("reason", ""), "now": now, "by": by}
        match what:
            case "disqualify":
                moderation.disqualify(**who)
                return "Disqualified: it stands on no board, and the next best one takes its place."
            case "restore":
                moderation.restore(**who)
                return "Restored: it counts again."
        raise unknown(what)


@admin.register(ModerationAct)
class ModerationActAdmin(ReadOnlyAdmin):
    """What moderators did."""

    list_display = ("at", "kind", "player", "submission", "reason", "until", "by")
    list_filter = ("kind",)
    list_select_related = ("player", "submission", "by")
    search_fields = ("player__name", "reason")
    ordering = ("-id",)
