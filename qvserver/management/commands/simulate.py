"""`manage.py simulate`: let bots play today's dailies over HTTP."""

from __future__ import annotations

import argparse
import statistics
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
from rich.table import Table

from qvserver.simulation import CallFailed, Totals, simulate

_SHOWN = 20


class Command(BaseCommand):
    help = (
        "Let bots play today's dailies over HTTP, each a new guest, and compare every verdict with the engine's."
        " Exit status 1 where a verdict contradicts it or a game got none."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--players", type=_positive, default=100, help="new guests (100)")
        parser.add_argument("--games", type=_positive, default=1, help="games that each plays (1)")
        parser.add_argument("--url", default="http://127.0.0.1:8000")
        parser.add_argument("--threads", type=_positive, default=8, help="players at once (8)")
        parser.add_argument("--seed", type=int, help="play the same games again")
        parser.add_argument("--rate", type=_positive, help="games begun a second, at most (as many as can be)")
        parser.add_argument("--prepared", action="store_true", help="play all games first, then time the submissions")

    def handle(self, *args: Any, players: int, games: int, url: str, **options: Any) -> None:
        console = Console(stderr=True)
        columns = ("{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
            task = progress.add_task("games", total=players * games)
            try:
                totals = simulate(
                    url,
                    players=players,
                    games=games,
                    threads=options["threads"],
                    seed=options["seed"],
                    prepared=options["prepared"],
                    rate=options["rate"],
                    progress=lambda: progress.advance(task),
                )
            except CallFailed as error:
                raise CommandError(str(error)) from error
        self._report(totals)
        if wrong := [*totals.contradictions, *totals.failures]:
            counts = f"{len(totals.contradictions)} contradictions, {len(totals.failures)} games without a verdict:"
            raise CommandError("\n".join([counts, *wrong[:_SHOWN]]))

    def _report(self, totals: Totals) -> None:
        table = Table("mode", "submitted", "verified", "rejected", "won", "ranked")
        for mode in sorted(totals.submitted):
            counts = (totals.submitted, totals.verified, totals.rejected, totals.won, totals.ranked)
            table.add_row(mode, *(str(count[mode]) for count in counts))
        Console(file=self.stdout, width=80).print(table)  # type: ignore[arg-type]
        self.stdout.write(
            f"{totals.players} players in {totals.seconds:.1f} s, {totals.games_per_second:.0f} games ranked per"
            f" second, median log {statistics.median(totals.actions or [0]):.0f} actions"
        )
        self.stdout.write(
            f"submit to verdict: p50 {totals.latency(50) * 1000:.0f} ms, p99 {totals.latency(99) * 1000:.0f} ms"
        )
        if totals.retries:
            answers = ", ".join(f"{what} {count}" for what, count in totals.retries.most_common())
            self.stdout.write(f"calls repeated: {answers}")


def _positive(text: str) -> int:
    if (number := int(text)) < 1:
        raise argparse.ArgumentTypeError("1 is the least")
    return number
