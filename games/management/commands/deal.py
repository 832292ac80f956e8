"""``manage.py deal CODE``: what a code deals."""

from __future__ import annotations

import json
import textwrap
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from games.engine import BadCode, Deal


class Command(BaseCommand):
    help = "Show the deal that a code names. Exit 2: no such code."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("code", metavar="CODE", help="like FT1-N-AAAAAAV or KL1-D1N-AAAAAAG")
        parser.add_argument("--json", action="store_true", help="print the deal as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            deal = Deal.parse(options["code"])
        except BadCode as error:
            raise CommandError(error.message, returncode=2) from None
        self.stdout.write(json.dumps(deal.to_dict()) if options["json"] else deal_in_text(deal))


def deal_in_text(deal: Deal) -> str:
    """One line a column, the last card on top, cards that lie face down in brackets; then the stock."""
    shown = deal.to_dict()
    lines = [f"{shown['code']}  {deal.game.game.name}, mode {shown['mode']}", ""]
    for name, column, hidden in zip("abcdefghij", shown["columns"], shown["face_down"], strict=False):
        cards = [f"[{card}]" if i < hidden else card for i, card in enumerate(column)]
        lines.append(f"  {name}  {' '.join(cards)}")
    stock = shown["stock"]
    lines += ["", f"Stock, {len(stock)} cards, drawn from the first:"]
    lines += textwrap.wrap(" ".join(stock), 64, initial_indent="  ", subsequent_indent="  ")
    return "\n".join(lines)
