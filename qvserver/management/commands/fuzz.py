"""`manage.py fuzz`: rubbish for the engine and for a server of its own."""

from __future__ import annotations

import argparse
import importlib
import secrets
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any

from django.core.management.base import BaseCommand
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

_CHUNK = 1000


class Command(BaseCommand):
    help = (
        "Give mutated logs to the engine, and mutated calls to a server of its own. Ends with an error where a log gets"
        " no verdict or one that can't be true, or a call no answer, a 5xx, or another verdict than the engine's."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--logs", type=int, default=1_000_000, help="for the engine (1,000,000)")
        parser.add_argument("--calls", type=int, default=20_000, help="for a server (20,000)")
        parser.add_argument("--processes", type=int, default=2, help="that give logs to the engine (2)")
        parser.add_argument("--seed", type=int, help="of all mutations (a new one, which is printed)")

    def handle(self, *args: Any, logs: int, calls: int, processes: int, seed: int | None, **_: Any) -> None:
        seed = secrets.randbelow(10**6) if seed is None else seed
        self.stdout.write(f"seed {seed}")
        if logs:
            self._show(f"{logs} logs", self._feed_engine(logs, processes, seed))
        if calls:
            module = importlib.import_module("tests.qvserver.fuzzing")
            with _bar("calls", calls) as advance:
                self._show(f"{calls} calls", module.feed_server(calls, seed=seed, progress=advance))

    def _feed_engine(self, logs: int, processes: int, seed: int) -> Counter[str]:
        judge_many = importlib.import_module("tests.engine.fuzzing").judge_many
        counts = [min(_CHUNK, logs - start) for start in range(0, logs, _CHUNK)]
        seeds = range(seed * 10**6, seed * 10**6 + len(counts))
        reasons: Counter[str] = Counter()
        with ProcessPoolExecutor(processes) as pool, _bar("logs", logs) as advance:
            for found, count in zip(pool.map(judge_many, seeds, counts), counts, strict=True):
                reasons.update(found)
                advance(count)
        return reasons

    def _show(self, title: str, found: Counter[str]) -> None:
        table = Table(title, "count")
        for what, count in found.most_common():
            table.add_row(what, str(count))
        Console(file=self.stdout, width=80).print(table)  # type: ignore[arg-type]


@contextmanager
def _bar(name: str, total: int) -> Iterator[Any]:
    console = Console(stderr=True)
    columns = ("{task.description}", BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task(name, total=total)
        yield lambda count=1: progress.advance(task, count)
