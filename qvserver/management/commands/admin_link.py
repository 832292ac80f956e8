"""`manage.py admin_link`: a way into the admin without a password."""

from __future__ import annotations

import argparse
from typing import Any

from django.core.management.base import BaseCommand

from qvserver.admin_entry import make_link


class Command(BaseCommand):
    help = "Print a link into the admin. It works once, and for an hour."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--url", default="http://127.0.0.1:8000", help="where the server is reached")

    def handle(self, *args: Any, url: str, **_: Any) -> None:
        self.stdout.write(f"admin, once: {make_link(url)}")
