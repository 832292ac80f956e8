"""``manage.py verify CODE [LOGFILE]``: what a log is worth."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from games.engine import BadCode, Deal, verify


class Command(BaseCommand):
    help = "Replay a move log and print the verdict as JSON. Exit 0: valid, 1: not valid, 2: bad code or file."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("code", metavar="CODE", help="like FT1-N-AAAAAAV or KL1-D1N-AAAAAAG")
        parser.add_argument("log", metavar="LOGFILE", nargs="?", default="-", help="- or nothing: standard input")

    def handle(self, *args: Any, **options: Any) -> None:
        place = "Standard input" if options["log"] == "-" else options["log"]
        try:
            deal = Deal.parse(options["code"])
            log = read_log(options["log"])
        except BadCode as error:
            raise CommandError(error.message, returncode=2) from None
        except OSError as error:
            raise CommandError(f"{place} can't be read: {error.strerror}.", returncode=2) from None
        except ValueError as error:
            raise CommandError(f"{place} holds no log: {error}.", returncode=2) from None
        verdict = verify(deal, log)
        self.stdout.write(json.dumps(verdict.to_dict()))
        if not verdict.valid:
            sys.exit(1)


def read_log(path: str) -> str:
    """The text of a file, or of standard input for ``-``, as it is: without a look at its line ends.

    Raises `OSError`, and `ValueError` where it isn't UTF-8 or the path is no path.
    """
    data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    return data.decode()
