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

    def handle(self, *args: Any, name: str, **_: Any) -> None:
        importlib.import_module(f"tests.benchmarks.{name}").main()
