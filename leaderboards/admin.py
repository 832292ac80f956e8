"""The challenge page of the admin, with its board; and clubs."""

from __future__ import annotations

import datetime
from typing import Any

from django.contrib import admin

from games.admin import ActingAdmin, ChallengeAdmin
from games.models import Challenge, Player
from games.services.moderation import ModerationError

from .addresses import ChallengeBoard
from .models import Club
from .models.standing import Board
from .services import clubs
from .services.reading import read_page

LINES = 10


@admin.register(Challenge)
class RankedChallengeAdmin(ChallengeAdmin):
    """Challenges with the first lines of their board."""

    def board_of(self, challenge: Challenge) -> list[dict[str, Any]]:
        page = read_page(board=ChallengeBoard(challenge.pk, Board.BEST), own=None, after=None, limit=LINES)
        return [
            {
                "rank": line.rank,
                "player": line.player,
                "is_guest": line.is_guest,
                "score": line.result.ranked_score,
                "won": line.result.won,
                "moves": line.result.moves,
                "time": datetime.timedelta(seconds=line.result.elapsed // 10),
            }
            for line in page.lines
        ]


@admin.register(Club)
class ClubAdmin(ActingAdmin):
    """Clubs, whose names moderators can take away and give back."""

    list_display = ("name", "owner", "created_at")
    list_select_related = ("owner",)
    search_fields = ("name", "owner__name")
    change_form_template = "admin/leaderboards/club/change_form.html"

    def page(self, row: Club, now: datetime.datetime) -> dict[str, Any]:
        return {
            "members": row.memberships.select_related("player").order_by("joined_at", "id"),
            "renamings": row.renamings.select_related("moderator").order_by("-id"),
        }

    def do(self, what: str, row: Club, fields: dict[str, str], now: datetime.datetime, by: Player) -> str:
        match what:
            case "rename":
                if not (reason := fields.get("reason", "").strip()):
                    raise ModerationError("Give a reason: it is kept.")
                done = clubs.moderate_name(
                    club_id=row.pk, name=fields.get("name", ""), reason=reason[:200], moderator_id=by.pk, now=now
                )
                return f"{done.old_name} is now named {done.new_name}."
            case "undo":
                number = fields.get("renaming", "")
                if not number.isdecimal() or not row.renamings.filter(pk=int(number)).exists():
                    raise ModerationError("There is no such renaming of this club.")
                club = clubs.undo_renaming(renaming_id=int(number), now=now)
                return f"The club is named {club.name}."
        raise ModerationError(f"{what!r} is nothing that can be done here.")
