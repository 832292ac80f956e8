"""The queue of what moderators are asked to look at."""

from __future__ import annotations

import datetime
from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.html import format_html

from games.models import Player, ReviewFlag, Submission
from games.services import review

from .acting import ActingAdmin, ban_end, unknown
from .replays import replay_of, replay_of_submission

Game = dict[str, Any]


@admin.register(ReviewFlag)
class ReviewFlagAdmin(ActingAdmin):
    """Flags and reports: each with the games beside each other, and what can be decided."""

    list_display = ("kind_shown", "player", "challenge_shown", "submission", "facts", "found_at", "state_shown")
    list_display_links = ("kind_shown",)
    list_filter = ("state", "kind", "outcome")
    list_select_related = ("player", "submission__challenge", "settled_by")
    search_fields = ("player__name",)
    ordering = ("state", "id")
    change_form_template = "admin/games/reviewflag/change_form.html"

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).defer("submission__challenge__winning_log")

    @admin.display(description="what", ordering="kind")
    def kind_shown(self, flag: ReviewFlag) -> str:
        return flag.get_kind_display()

    @admin.display(description="challenge")
    def challenge_shown(self, flag: ReviewFlag) -> str:
        return "" if flag.submission is None else str(flag.submission.challenge)

    @admin.display(description="state", ordering="state")
    def state_shown(self, flag: ReviewFlag) -> str:
        if flag.is_open:
            return "open"
        return format_html("{} by {}", flag.get_outcome_display().lower(), flag.settled_by)

    @admin.display(description="details")
    def facts(self, flag: ReviewFlag) -> str:
        return facts_of(flag)

    def page(self, row: ReviewFlag, now: datetime.datetime) -> dict[str, Any]:
        next_open = ReviewFlag.objects.filter(state="open", pk__gt=row.pk).order_by("id").first()
        return {
            "facts": facts_of(row),
            "games": _games(row),
            "others": row.player.flags.exclude(pk=row.pk).select_related("submission").order_by("state", "-id")[:20],
            "acts": row.player.acts.select_related("by", "submission").order_by("-id")[:20],
            "next_open": next_open or ReviewFlag.objects.filter(state="open").exclude(pk=row.pk).order_by("id").first(),
        }

    def do(self, what: str, row: ReviewFlag, fields: dict[str, str], now: datetime.datetime, by: Player) -> str:
        who: dict[str, Any] = {"flag_id": row.pk, "now": now, "by": by}
        reason = fields.get("reason", "")
        match what:
            case "dismiss":
                review.dismiss(**who)
                return "Dismissed: nothing was done."
            case "disqualify":
                review.disqualify(reason=reason, **who)
                return "The submission is disqualified and stands on no board."
            case "ban":
                review.ban(reason=reason, until=ban_end(fields, now), **who)
                return f"{row.player} is banned and stands on no board."
            case "reopen":
                review.reopen(**who)
                return "Undone: the flag is open again."
        raise unknown(what)


def facts_of(flag: ReviewFlag) -> str:
    """What was found, in words."""
    details = flag.details
    match flag.kind:
        case ReviewFlag.Kind.TOO_FAST:
            each = 1000 * details["seconds"] / details["actions"]
            return f"{details['actions']} actions in {details['seconds']} s, {each:.0f} ms each"
        case ReviewFlag.Kind.OTHER_SCORE:
            return f"claimed {details['claimed']}, the verdict gives {details['score']}"
        case ReviewFlag.Kind.SAME_ADDRESS:
            return f"{details['accounts']} accounts began attempts from one address"
        case ReviewFlag.Kind.SAME_LOG:
            return f"the log of submission {flag.other_id} as well"
        case ReviewFlag.Kind.REPORTED:
            return str(details["reason"])
        case ReviewFlag.Kind.DISPUTED:
            return str(details["message"])
    return "action for action, while nobody could have seen it"


def _games(flag: ReviewFlag) -> list[Game]:
    """The game that is flagged, and the one that it is like."""
    submission = flag.submission
    if submission is None:
        return []
    games = [_game(submission, 1)]
    if flag.other is not None:
        games.append(_game(flag.other, 2))
    elif flag.kind == ReviewFlag.Kind.WINNING_LOG and (log := submission.challenge.winning_log) is not None:
        games.append({"title": "The stored winning log", "replay": replay_of(submission.challenge, log, number=2)})
    return games


def _game(submission: Submission, number: int) -> Game:
    return {
        "title": f"Submission {submission.pk} of {submission.player}",
        "submission": submission,
        "seconds": submission.elapsed / 10,
        "replay": replay_of_submission(submission, number=number),
    }
