"""`manage.py publish_daily`: put proven deals up for competition, here and now."""

from __future__ import annotations

import argparse
import datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from games.engine import MODES, BadCode, Code, NotWon
from games.models import Challenge
from games.services.calendar import Slot, missing_dailies
from games.services.publishing import PublishingError, publish_daily


class Command(BaseCommand):
    help = (
        "Publish the dailies that are missing, or the one of --date and --mode. Deals are drawn and searched until one"
        " is won; with --proofs they are taken from a file of solve_sample."
    )

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--date", type=datetime.date.fromisoformat, help="UTC date, like 2026-01-31 (today)")
        parser.add_argument("--days", type=int, default=2, help="days to fill from there on (2)")
        parser.add_argument("--mode", choices=list(MODES), help="one daily of this mode, not all that are missing")
        parser.add_argument("--code", help="the deal of that one daily, never used before; not published unless won")
        parser.add_argument("--proofs", type=Path, help="take the deals from this file")

    def handle(
        self, *args: Any, date: datetime.date | None, mode: str | None, code: str | None, **options: Any
    ) -> None:
        first = date or timezone.now().date()
        try:
            deal = None if code is None else Code.parse(code)
            if deal is None and mode is None:
                slots = missing_dailies(today=first, days=options["days"])
            else:
                slots = self._one_slot(first, mode, deal)
            if options["proofs"]:
                self._take(slots, options["proofs"])
            else:
                self._prove(slots, deal)
        except (BadCode, NotWon, PublishingError, OSError) as error:
            raise CommandError(str(error)) from error
        if not slots:
            self.stdout.write("nothing to publish: all of it is there")

    def _one_slot(self, date: datetime.date, mode: str | None, code: Code | None) -> list[Slot]:
        if code is not None and mode not in (None, code.mode):
            raise PublishingError(f"{code} is a deal of {code.mode}, not of {mode}.")
        slot = Slot(date, mode or code.mode)  # type: ignore[union-attr]
        existing = Challenge.objects.filter(date=slot.date, mode=slot.mode).first()
        if existing is None:
            return [slot]
        if code is not None and existing.code != code:
            raise PublishingError(f"{slot} is already published, with another deal.")
        return []

    def _prove(self, slots: list[Slot], code: Code | None) -> None:
        from games.services.proving import prove_daily

        if slots:
            self.stderr.write("Loading the solver; the first time it is compiled, which takes a while.")
        for slot in slots:
            outcome = ""
            while outcome != "won":
                tried = prove_daily(slot, code=code, clock=timezone.now, is_urgent=code is None)
                self.stdout.write(str(tried))
                outcome = tried.outcome
                if code is not None and outcome != "won":
                    raise PublishingError(f"{code} isn't published: {outcome} after {tried.seconds:.1f} s.")

    def _take(self, slots: list[Slot], path: Path) -> None:
        from games.services.proving import read_certificate

        with path.open() as lines:
            proofs = [read_certificate(line) for line in lines]
        for slot in slots:
            proof = next((proof for proof in proofs if proof.code.mode == slot.mode), None)
            if proof is None:
                raise PublishingError(f"{path} has no proof left for {slot}.")
            proofs.remove(proof)
            publish_daily(date=slot.date, proof=proof, now=timezone.now())
            self.stdout.write(f"{slot}: {proof.code}")
