"""``manage.py solve CODE``: a log that wins."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, ArgumentTypeError
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from games.engine import BadCode, Deal


class Command(BaseCommand):
    help = "Search for a win and print its log. Exit 0: won, 1: impossible or unknown, 2: bad code."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("code", metavar="CODE", help="like FT1-N-AAAAAAV or KL1-D1N-AAAAAAG")
        parser.add_argument(
            "--seconds", type=positive, default=10.0, metavar="N", help="how long to search (%(default)g)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            deal = Deal.parse(options["code"])
        except BadCode as error:
            raise CommandError(error.message, returncode=2) from None
        self.stderr.write("Loading the solver; the first time it is compiled, which takes a while.")
        # Not before it is needed: it brings numba.
        from games.solver import solve

        result = solve(deal, seconds=options["seconds"])
        if result.log is not None:
            self.stdout.write(result.log)
        self.stderr.write(f"{deal.code}: {result.outcome}, {result.nodes:,} positions in {result.seconds:.2f} s.")
        if result.outcome != "won":
            sys.exit(1)


def positive(text: str) -> float:
    """A number of seconds above 0."""
    seconds = float(text)
    if not 0 < seconds < float("inf"):
        raise ArgumentTypeError(f"{text} is no number of seconds")
    return seconds
