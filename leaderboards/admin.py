"""The challenge page of the admin, with its board."""

from __future__ import annotations

import datetime
from typing import Any

from django.contrib import admin

from games.admin import ChallengeAdmin
from games.models import Challenge

from .addresses import ChallengeBoard
from .models.standing import Board
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
