"""`manage.py bench`: the benchmarks, each of which prints ratios measured in one run."""

from __future__ import annotations

import argparse
import importlib
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

_FOLDER = settings.BASE_DIR / "tests" / "benchmarks"


class Command(BaseCommand):
    help = "Run a benchmark of tests/benchmarks and print its figures."
    requires_system_checks = ()

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        names = sorted(path.stem for path in _FOLDER.glob("*.py") if path.stem != "__init__")
        parser.add_argument("name", choices=names)
        parser.add_argument("--rows", type=int, help="for growth: so many submissions")

    def handle(self, *args: Any, name: str, rows: int | None, **_: Any) -> None:
        options = {} if rows is None else {"rows": rows}
        importlib.import_module(f"tests.benchmarks.{name}").main(**options)
