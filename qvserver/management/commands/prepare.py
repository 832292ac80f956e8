"""`manage.py prepare`: what has to be there before the server serves."""

from __future__ import annotations

import time
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.db import OperationalError, connection
from psycopg.errors import DeadlockDetected, LockNotAvailable

#: So often, and so many seconds apart, for a table that somebody else is using.
TRIES, PAUSE_SECONDS = 60, 1.0
#: Who waits for a table holds up everybody behind. Well below the second after which PostgreSQL looks for deadlocks.
LOCK_TIMEOUT = "200ms"


class Command(BaseCommand):
    help = "Migrate the database, collect the static files. Safe to repeat, and beside a server that runs."

    def handle(self, *args: Any, **options: Any) -> None:
        self._migrate()
        call_command("collectstatic", interactive=False, verbosity=0, stdout=self.stdout)

    def _migrate(self) -> None:
        """Migrate; a migration that gave up waiting for a lock is begun again."""
        for left in range(TRIES - 1, -1, -1):
            try:
                with connection.cursor() as cursor:
                    cursor.execute(f"SET lock_timeout = '{LOCK_TIMEOUT}'")
                call_command("migrate", verbosity=0, stdout=self.stdout)
                return
            except OperationalError as error:
                if not left or not isinstance(error.__cause__, LockNotAvailable | DeadlockDetected):
                    raise
                self.stdout.write(f"a table is in use, trying again ({left} times more): {error}".rstrip())
                self.stdout.flush()
                time.sleep(PAUSE_SECONDS)
