"""What became of a daily: its final ranks, once it is over."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models

#: A medal goes to the top so many per cent of a daily, the best of these: rank at most the share, rounded up.
MEDAL_SHARES = (1, 3, 10)


class ClosedDaily(models.Model):
    """A daily that has or will have final ranks. ``players`` is how many stood on its `best` board.

    ``is_current`` is false from a change of that board until it is ranked anew.
    """

    challenge = models.OneToOneField(
        "games.Challenge", on_delete=models.PROTECT, primary_key=True, related_name="closing"
    )
    players = models.IntegerField()
    is_current = models.BooleanField(default=False)

    def __str__(self) -> str:
        return f"challenge {self.challenge_id}, closed with {self.players} players"


class FinalRank(models.Model):
    """A player's rank on the `best` board of a closed daily. Ranked anew whenever that board changes afterwards."""

    pk = models.CompositePrimaryKey("player_id", "challenge_id")
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="final_ranks", db_index=False
    )
    challenge = models.ForeignKey("games.Challenge", on_delete=models.PROTECT, related_name="final_ranks")
    rank = models.IntegerField()

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=models.Q(rank__gt=0), name="final_rank_from_1"),
        ]

    def __str__(self) -> str:
        return f"player {self.player_id}: {self.rank} at challenge {self.challenge_id}"


def medal(rank: int, players: int) -> int | None:
    """The share (1, 3 or 10 per cent) that a rank is in, None outside of them.

    >>> [medal(rank, 250) for rank in (1, 3, 4, 8, 9, 25, 26)]
    [1, 1, 3, 3, 10, 10, None]
    """
    return next((share for share in MEDAL_SHARES if rank <= -(-players * share // 100)), None)


def percentile(rank: int, players: int) -> float:
    """Of 100 other players so many don't stand above; 100 for the first.

    >>> percentile(2, 4)
    66.7
    """
    return round(100 * (1.0 if players <= 1 else (players - rank) / (players - 1)), 1)
