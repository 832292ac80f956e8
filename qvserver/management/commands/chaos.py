"""`manage.py chaos`: prove that nothing is lost and nothing doubled, whatever breaks."""

from __future__ import annotations

import argparse
import secrets
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from qvserver.chaos import Plan, Proof, Violated, run_chaos
from qvserver.faults import HOWS, PARTS

_SHOWN = 50
_PROOFS = settings.BASE_DIR / "tests" / "vectors" / "proofs.jsonl"


class Command(BaseCommand):
    help = (
        "Start a server of its own in a throwaway folder, let bots submit games to it while its processes are killed"
        " and frozen at random, and prove that each submission got one verdict, the engine's, and that boards, sums,"
        " streaks and statistics follow from them. Exit status 1 where anything doesn't."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--submissions", type=int, default=10_000, help="games to submit, at least (10,000)")
        parser.add_argument("--seed", type=int, help="of games and faults (a new one, which is printed)")
        parser.add_argument("--threads", type=int, default=32, help="players at once (32)")
        parser.add_argument("--pause", type=float, default=8.0, help="seconds between faults, on average (8)")
        parser.add_argument("--rate", type=float, help="games a second, at most (as many as can be)")
        parser.add_argument("--recovery", type=float, default=60.0, help="seconds allowed after the last fault (60)")
        parser.add_argument("--proofs", type=Path, default=_PROOFS, help="deals to play, as of solve_sample --out")

    def handle(self, *args: Any, submissions: int, seed: int | None, **options: Any) -> None:
        seed = secrets.randbelow(10**6) if seed is None else seed
        self.stdout.write(f"seed {seed}")
        console = Console(stderr=True)
        columns = ("{task.description}", BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
        with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
            task = progress.add_task("games", total=submissions)
            try:
                plan = Plan(submissions, seed, *(options[name] for name in ("threads", "pause", "rate", "recovery")))
                proof = run_chaos(plan, proofs=options["proofs"], progress=lambda: progress.advance(task))
            except Violated as error:
                self._report(error.proof)
                raise CommandError("\n".join([str(error), *error.proof.violations[:_SHOWN]])) from error
        self._report(proof)
        self.stdout.write("no violation")

    def _report(self, proof: Proof) -> None:
        console, totals = Console(file=self.stdout, width=100), proof.totals  # type: ignore[arg-type]
        faults = Table("faults", *HOWS)
        for part in PARTS:
            faults.add_row(part, *(str(proof.faults[part, how]) for how in HOWS))
        console.print(faults)
        table = Table("checked", "count", "against")
        table.add_row("logs answered", str(len(totals.answered)), "PostgreSQL: each stored once, nothing else stored")
        table.add_row("submissions", str(proof.rows), "the engine's replay in the players' process: all figures")
        table.add_row("  verified", str(totals.verified.total()), "as the API showed them")
        table.add_row("  rejected", str(totals.rejected.total()), "as the API showed them")
        table.add_row("players", str(proof.players), "statistics and streaks, from their games alone")
        console.print(table)
        self.stdout.write(proof.audit)
        recovery = "not in time" if proof.recovery is None else f"{proof.recovery:.1f} s"
        self.stdout.write(
            f"{totals.seconds:.0f} s, {proof.faults.total()} faults; when all parts were killed at once {proof.waiting}"
            f" submissions waited: whole again after {recovery}"
        )
        self.stdout.write(
            f"submit to verdict: p50 {totals.latency(50):.2f} s, p99 {totals.latency(99):.2f} s,"
            f" longest {max(totals.latencies, default=0):.1f} s"
        )
        answers = ", ".join(f"{what} {count}" for what, count in totals.retries.most_common(12))
        self.stdout.write(f"calls repeated: {answers or 'none'}")
