"""`manage.py publish_daily`: put deals up for competition."""

from __future__ import annotations

import argparse
import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from games.engine import BadCode, Code
from games.services.publishing import PublishingError, publish_dailies, publish_daily


class Command(BaseCommand):
    help = "Publish dailies: today's and tomorrow's of every daily mode, or the one of --date and --mode."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--date", type=datetime.date.fromisoformat, help="UTC date, like 2026-01-31 (today)")
        parser.add_argument("--mode", help="ft-n, kl-d1n, kl-d3n, kl-d1v or kl-d3v")
        parser.add_argument("--code", help="the deal, one never used before (drawn at random)")

    def handle(self, *args: Any, date: datetime.date | None, mode: str | None, code: str | None, **_: Any) -> None:
        today = timezone.now().date()
        try:
            deal = None if code is None else Code.parse(code)
            if deal is None and mode is None:
                published = publish_dailies(today=date or today, days=1 if date else 2)
            else:
                challenge, is_new = publish_daily(mode=mode or deal.mode, date=date or today, code=deal)  # type: ignore[union-attr]
                published = [challenge] if is_new else []
        except (BadCode, PublishingError) as error:
            raise CommandError(str(error)) from error
        for challenge in published:
            self.stdout.write(f"published {challenge.mode} of {challenge.date} as challenge {challenge.pk}")
        if not published:
            self.stdout.write("nothing to publish: all of it is there")
