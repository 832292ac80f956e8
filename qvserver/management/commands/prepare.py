"""`manage.py prepare`: what has to be there before the server serves."""

from __future__ import annotations

import time
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.db import OperationalError
from psycopg.errors import LockNotAvailable

#: So often, and so many seconds apart, for a table that somebody else is using.
TRIES, PAUSE_SECONDS = 60, 1.0


class Command(BaseCommand):
    help = "Migrate the database, collect the static files. Safe to repeat, and beside a server that runs."

    def handle(self, *args: Any, **options: Any) -> None:
        self._migrate()
        call_command("collectstatic", interactive=False, verbosity=0, stdout=self.stdout)

    def _migrate(self) -> None:
        """Migrate; a migration that gave up waiting for a lock has left no trace, and is begun again."""
        for left in range(TRIES - 1, -1, -1):
            try:
                call_command("migrate", verbosity=0, stdout=self.stdout)
                return
            except OperationalError as error:
                if not left or not isinstance(error.__cause__, LockNotAvailable):
                    raise
                self.stdout.write(f"a table is in use, trying again ({left} times more): {error}".rstrip())
                self.stdout.flush()
                time.sleep(PAUSE_SECONDS)
