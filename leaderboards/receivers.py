"""From verdicts to standings, in the transaction that writes the verdicts; to Redis after its commit."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.dispatch import receiver

from games.signals import Ruling, challenge_counted_anew, players_counted_anew, verdicts_given

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
