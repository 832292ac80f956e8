"""`manage.py audit`: prove verdicts and boards right."""

from __future__ import annotations

import argparse
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
from rich.table import Table

from games.models import Challenge, Submission
from qvserver.audit import Report, audit

_SHOWN = 50


class Command(BaseCommand):
    help = (
        "Recompute all verdicts and boards from the stored logs with the engine alone, and compare. Exit status 1 where"
        " anything differs."
    )

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--challenge", type=int, help="only this challenge")

    def handle(self, *args: Any, challenge: int | None, **_: Any) -> None:
        submissions = Submission.objects.all()
        if challenge is not None:
            if not Challenge.objects.filter(pk=challenge).exists():
                raise CommandError(f"there is no challenge {challenge}")
            submissions = submissions.filter(challenge_id=challenge)
        console = Console(stderr=True)
        columns = ("{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
            task = progress.add_task("submissions", total=submissions.count())
            report = audit(challenge_id=challenge, progress=lambda count: progress.advance(task, count))
        self._report(report)
        if report.differences:
            raise CommandError("\n".join([f"{len(report.differences)} differences:", *report.differences[:_SHOWN]]))
        self.stdout.write("no difference")

    def _report(self, report: Report) -> None:
        table = Table("checked", "count", "against")
        table.add_row("submissions", str(report.submissions), "the engine's replay of the stored log")
        table.add_row("  verified", str(report.verified), "all figures")
        table.add_row("  rejected", str(report.rejected), "all figures and the error")
        table.add_row("  waiting", str(report.waiting), "no verdict yet, received a moment ago")
        table.add_row("boards", str(report.boards), f"recomputed, of {report.challenges} challenges")
        table.add_row("", str(report.periods), "recomputed, of weeks, months and all time")
        table.add_row("  lines", str(report.lines), "standings, PostgreSQL's and Redis' pages")
        table.add_row("  not in Redis", str(report.unmade), "PostgreSQL alone: it answers until they are made")
        Console(file=self.stdout, width=80).print(table)  # type: ignore[arg-type]
