"""From verdicts to standings, in the transaction that writes the verdicts; to Redis after its commit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db import transaction
from django.dispatch import receiver

from games.signals import (
    Ruling,
    challenge_counted_anew,
    export_asked,
    guest_merged,
    player_deleted,
    players_counted_anew,
    verdicts_given,
)

from .models import FinalRank, Membership, PeriodStanding, Standing
from .services.clubs import leave_all_clubs, move_memberships
from .services.placing import recompute_challenge, recompute_players, record_standings
from .services.standings import push_standings


@receiver(verdicts_given)
def rank(sender: Any, rulings: list[Ruling], **_: Any) -> None:
    """Give the verified submissions their places, and have the boards told once that is certain."""
    if challenges := record_standings(rulings=rulings):
        transaction.on_commit(lambda: push_standings(challenge_ids=challenges), robust=True)


@receiver(challenge_counted_anew)
def rank_challenge_anew(sender: Any, challenge_id: int, **_: Any) -> None:
    """A challenge was cancelled or brought back: its boards and all sums follow."""
    recompute_challenge(challenge_id=challenge_id)


@receiver(players_counted_anew)
def rank_players_anew(sender: Any, player_ids: list[int], **_: Any) -> None:
    """Other submissions of these players count now: their places and sums follow."""
    recompute_players(player_ids=player_ids)


@receiver(guest_merged)
def take_clubs_over(sender: Any, guest_id: int, player_id: int, **_: Any) -> None:
    """An account is in its guest's clubs from now on."""
    move_memberships(from_player_id=guest_id, to_player_id=player_id)


@receiver(player_deleted)
def leave_clubs(sender: Any, player_id: int, **_: Any) -> None:
    """A deleted player is in no club."""
    leave_all_clubs(player_id=player_id)


@receiver(export_asked)
def export(sender: Any, player_id: int, **_: Any) -> dict[str, Iterable[Any]]:
    """What is held of a player here."""
    return {
        "standings": Standing.objects.filter(player_id=player_id)
        .order_by("id")
        .values("challenge", "board", "submission"),
        "period_standings": PeriodStanding.objects.filter(player_id=player_id, played__gt=0)
        .order_by("mode", "period", "starts_on")
        .values("mode", "period", "starts_on", "score", "played", "won", "moves"),
        "final_ranks": FinalRank.objects.filter(player_id=player_id).order_by("challenge").values("challenge", "rank"),
        "clubs": Membership.objects.filter(player_id=player_id)
        .order_by("id")
        .values("club", "club__name", "joined_at"),
    }
