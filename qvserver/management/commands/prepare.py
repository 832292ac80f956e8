"""`manage.py prepare`: what has to be there before the server serves."""

from __future__ import annotations

from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand


class Command(BaseCommand):
    help = "Migrate the database, collect the static files. Safe to repeat."

    def handle(self, *args: Any, **options: Any) -> None:
        call_command("migrate", verbosity=0, stdout=self.stdout)
        call_command("collectstatic", interactive=False, verbosity=0, stdout=self.stdout)
