"""`manage.py reverify`: replay stored logs again, and put verdicts and boards right."""

from __future__ import annotations

import argparse
import datetime
import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from games.models import Challenge, Reverification
from games.services.reverification import begin_run, count_remaining, find_unfinished, go_on


def _moment(text: str) -> datetime.datetime:
    try:
        moment = datetime.datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no date like 2026-01-31 or 2026-01-31T12:00") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 2**15):
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 on")
    return int(text)


class Command(BaseCommand):
    help = (
        "Replay verified and rejected submissions with the present rules, and put verdicts, pars, boards, sums and"
        " final ranks right, of closed days too. Safe at any time and to repeat; a killed run goes on with --resume."
    )

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--challenge", type=int, help="only the submissions to this challenge")
        parser.add_argument("--since", type=_moment, help="only those received then or later (UTC)")
        parser.add_argument("--until", type=_moment, help="only those received before that (UTC)")
        parser.add_argument("--rules-below", type=_positive, help="only those judged by rules older than this version")
        parser.add_argument("--resume", action="store_true", help="go on with the last run that didn't come to its end")
        parser.add_argument("--processes", type=_positive, default=1, help="replay in so many processes (1)")

    def handle(self, *args: Any, processes: int, **options: Any) -> None:
        run = self._run(**options)
        started, replayed, written = time.monotonic(), 0, 0
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
            bar = progress.add_task("submissions", total=count_remaining(run))
            for outcome in go_on(run, processes=processes, clock=timezone.now):
                for change in outcome.changes:
                    self.stdout.write(change)
                replayed += outcome.replayed
                written += outcome.written
                progress.advance(bar, outcome.replayed)
        seconds = max(time.monotonic() - started, 1e-9)
        self.stdout.write(
            f"replayed {replayed} submissions in {seconds:.1f} s ({replayed / seconds:.0f} a second),"
            f" {written} verdicts written"
        )
        self._report(run)

    def _run(
        self,
        challenge: int | None,
        since: datetime.datetime | None,
        until: datetime.datetime | None,
        rules_below: int | None,
        resume: bool,
        **_: Any,
    ) -> Reverification:
        if resume:
            if any(given is not None for given in (challenge, since, until, rules_below)):
                raise CommandError("--resume goes on with what the run was begun with: leave the other choices out.")
            if (run := find_unfinished()) is None:
                raise CommandError("No run is unfinished.")
            self.stdout.write(f"going on with {run}, {run.replayed} submissions were replayed")
            return run
        if challenge is not None and not Challenge.objects.filter(pk=challenge).exists():
            raise CommandError(f"There is no challenge {challenge}.")
        return begin_run(challenge_id=challenge, since=since, until=until, rules_below=rules_below, now=timezone.now())

    def _report(self, run: Reverification) -> None:
        self.stdout.write(f"{run.changed} verdicts changed")
        for submission in run.left:
            self.stdout.write(f"submission {submission} would be valid now, but another log of its attempt stands")
        for submission, error in run.broken:
            self.stdout.write(f"the engine broke on submission {submission}, whose verdict stays: {error}")
        if run.broken:
            raise CommandError(f"The engine broke on {len(run.broken)} submissions, listed above.")
