"""`manage.py rebuild_boards`: make the boards in Redis anew from PostgreSQL."""

from __future__ import annotations

import argparse
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import track

from games.models import Challenge
from games.redis_client import RedisAway
from leaderboards.addresses import Address, challenge_boards
from leaderboards.services.standings import period_boards, rebuild_board


class Command(BaseCommand):
    help = "Make the boards in Redis anew from PostgreSQL. Safe at any time; players see the old board or the new one."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--challenge", type=int, help="only the boards of this challenge")

    def handle(self, *args: Any, challenge: int | None, **_: Any) -> None:
        challenges = Challenge.objects.order_by("id")
        if challenge is not None:
            challenges = challenges.filter(pk=challenge)
        ids = list(challenges.values_list("id", flat=True))
        if challenge is not None and not ids:
            raise CommandError(f"There is no challenge {challenge}.")
        periods = period_boards() if challenge is None else []
        boards: list[Address] = [board for pk in ids for board in challenge_boards(pk).boards.values()]
        boards += periods
        lines = 0
        try:
            for board in track(boards, "boards", console=Console(stderr=True), transient=True):
                lines += rebuild_board(board=board)
        except RedisAway as error:
            raise CommandError(f"Redis is away ({error}): boards are served from PostgreSQL meanwhile.") from error
        self.stdout.write(f"rebuilt the boards of {len(ids)} challenges and {len(periods)} periods, {lines} lines")
