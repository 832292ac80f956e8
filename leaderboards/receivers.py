"""From verdicts to standings, in the transaction that writes the verdicts; to Redis after its commit."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.dispatch import receiver

from games.signals import Ruling, verdicts_given

from .services.placing import record_standings
from .services.standings import push_standings


@receiver(verdicts_given)
def rank(sender: Any, rulings: list[Ruling], **_: Any) -> None:
    """Give the verified submissions their places, and have the boards told once that is certain."""
    if challenges := record_standings(rulings=rulings):
        transaction.on_commit(lambda: push_standings(challenge_ids=challenges), robust=True)
