"""`manage.py recount`: make places, sums and final ranks what the submissions say."""

from __future__ import annotations

import argparse
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import track

from games.models import Player
from leaderboards.services.closing import recount_final_ranks
from leaderboards.services.placing import recompute_players

_CHUNK = 200


class Command(BaseCommand):
    help = (
        "Recompute places, sums and final ranks from the submissions, and repair what differs, in Redis too. Streaks,"
        " statistics, medals and months are read from these. Safe at any time, and safe to repeat."
    )

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--player", help="only this player, by name")

    def handle(self, *args: Any, player: str | None, **_: Any) -> None:
        players = Player.objects.order_by("id")
        if player is not None:
            players = players.filter(name__iexact=player)
        ids = list(players.values_list("id", flat=True))
        if player is not None and not ids:
            raise CommandError(f"There is no player {player}.")
        chunks = [ids[n : n + _CHUNK] for n in range(0, len(ids), _CHUNK)]
        progress = track(chunks, "players", console=Console(stderr=True), transient=True)
        changed = sum(recompute_players(player_ids=chunk) for chunk in progress)
        ranks = recount_final_ranks()
        self.stdout.write(f"recounted {len(ids)} players: {changed} places and sums, {ranks} final ranks were wrong")
