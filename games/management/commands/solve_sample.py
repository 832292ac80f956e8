"""`manage.py solve_sample`: how many deals the solver wins."""

from __future__ import annotations

import argparse
import json
import math
import statistics
from pathlib import Path
from random import Random
from typing import Any

from django.core.management.base import BaseCommand
from rich.console import Console
from rich.progress import track

from games.engine import MODES, Code, Deal
from games.engine.deals import DEALS_PER_GAME


class Command(BaseCommand):
    help = "Solve random deals and print how many are won, impossible and unknown, how long it took, and the par."
    requires_system_checks = ()

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--mode", choices=list(MODES), required=True)
        parser.add_argument("--count", type=int, default=100, help="deals (100)")
        parser.add_argument("--seconds", type=float, default=10.0, help="for each deal (10)")
        parser.add_argument("--seed", type=int, default=1, help="which deals (1)")
        parser.add_argument("--shorten", action="store_true", help="use the rest of the time to shorten each win")
        parser.add_argument("--out", type=Path, help="write the proof of each win here, for publish_daily --proofs")

    def handle(self, *args: Any, **options: Any) -> None:
        from games.solver import solve, warm_up

        mode, count = options["mode"], options["count"]
        console = Console(stderr=True)
        console.print("Loading the solver; the first time it is compiled, which takes a minute or two.")
        warm_up()
        random = Random(f"{mode} {options['seed']}")
        codes = [Code(mode, random.randrange(DEALS_PER_GAME)) for _ in range(count)]
        solutions = []
        for code in track(codes, mode, console=console, transient=True, disable=not console.is_terminal):
            shortening = None if options["shorten"] else 0
            found = solve(Deal.parse(code), options["seconds"], shortening_seconds=shortening)
            solutions.append((code, found))
        if options["out"]:
            lines = [certificate(code, found) for code, found in solutions if found.log]
            options["out"].write_text("".join(line + "\n" for line in lines))
        self.stdout.write(f"{mode}, {count} deals (seed {options['seed']}), up to {options['seconds']:g} s each:")
        for outcome in ("won", "impossible", "unknown"):
            self._share(outcome, sum(found.outcome == outcome for _, found in solutions), count)
        times = sorted(found.seconds for _, found in solutions)
        self.stdout.write(f"  time: median {statistics.median(times):.3f} s, p90 {times[int(0.9 * (count - 1))]:.3f} s")
        if len(pars := [found.par for _, found in solutions if found.par is not None]) > 1:
            self.stdout.write(f"  moves of the wins found: median {statistics.median(pars):.0f}")
            thirds = statistics.quantiles([found.effort for _, found in solutions if found.log], n=3)
            self.stdout.write("  positions until the win: thirds at {:.0f} and {:.0f}".format(*thirds))

    def _share(self, outcome: str, hits: int, count: int) -> None:
        low, high = wilson(hits, count)
        self.stdout.write(
            f"  {outcome:<10} {hits:4}  {100 * hits / count:5.1f} %  (95 %: {100 * low:.1f} to {100 * high:.1f})"
        )


def certificate(code: Code, found: Any) -> str:
    """A line of JSON with the winning log, which `manage.py verify` accepts, and what finding it took."""
    from games.solver import VERSION

    took = {"seconds": round(found.seconds, 3), "effort": found.effort, "solver_version": VERSION}
    return json.dumps({"code": str(code), "log": found.log, **took})


def wilson(hits: int, count: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson 1927)."""
    z = 1.959964
    share, spread = hits / count, z * z / count
    middle = (share + spread / 2) / (1 + spread)
    half = z / (1 + spread) * math.sqrt(share * (1 - share) / count + spread / (4 * count))
    return max(0.0, middle - half), min(1.0, middle + half)
