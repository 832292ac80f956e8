"""`manage.py audit`: prove verdicts and boards right."""

from __future__ import annotations

import argparse
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import Progress

from games.models import Submission
from qvserver.audit import audit


class Command(BaseCommand):
    help = "Recompute all verdicts and boards from the stored logs with the engine alone, and compare."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--challenge", type=int, help="only this challenge")

    def handle(self, *args: Any, challenge: int | None, **_: Any) -> None:
        console = Console(stderr=True)
        with Progress(console=console, disable=not console.is_terminal) as progress:
            task = progress.add_task("submissions", total=Submission.objects.count())
            report = audit(challenge_id=challenge, progress=lambda count: progress.advance(task, count))
        self.stdout.write(
            f"{report.submissions} submissions replayed, {report.boards} boards with {report.lines} lines compared"
            " in standings, Redis and PostgreSQL"
        )
        if report.differences:
            raise CommandError(
                f"{len(report.differences)} differences:\n" + "\n".join(report.differences[:50]), returncode=1
            )
        self.stdout.write("no difference")
