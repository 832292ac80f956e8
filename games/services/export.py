"""Everything the server holds on a player, as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

import msgspec
from django.db.models import QuerySet

from games.engine import FIGURES
from games.models import AddressSighting, Attempt, ModerationAct, Player, ReviewFlag, Submission
from games.services.tokens import list_tokens
from games.signals import export_asked

_CHUNK = 500


def export_player(*, player_id: int, now: Any) -> Iterator[bytes]:
    """The pieces of one JSON object: the profile, and a list for each kind of thing, one row at a time."""
    sections: dict[str, Iterable[Any]] = _own_sections(player_id, now)
    held: Any
    for _, held in export_asked.send(sender=None, player_id=player_id):
        sections.update(held)
    [profile] = Player.objects.filter(pk=player_id).values(
        "id", "name", "email", "is_guest", "is_staff", "joined_at", "last_login", "settings"
    )
    yield b'{"profile":' + msgspec.json.encode(profile)
    for name, rows in sections.items():
        yield b"," + msgspec.json.encode(name) + b":["
        yield from _separated(rows)
        yield b"]"
    yield b"}"


def _own_sections(player_id: int, now: Any) -> dict[str, Iterable[Any]]:
    submissions = Submission.objects.filter(player_id=player_id).order_by("id")
    return {
        "tokens": (
            {"id": token.id, "name": token.name, "created": token.created, "expires": token.expires}
            for token in list_tokens(player_id=player_id, now=now)
        ),
        "attempts": Attempt.objects.filter(player_id=player_id)
        .order_by("id")
        .values("id", "challenge", "number", "started_at", "ended_at", "draft"),
        "submissions": submissions.values(
            "id", "attempt", "challenge", "attempt_number", "state", "ranked", "claimed_score", "client",
            "received_at", "elapsed", "verified_at", "rules_version", "rejection", *FIGURES, "log__text", "log__times",
        ),
        "moderation": ModerationAct.objects.filter(player_id=player_id)
        .order_by("id")
        .values("kind", "submission", "reason", "until", "old_name", "new_name", "at"),
        "reports": ReviewFlag.objects.filter(reporter_id=player_id)
        .order_by("id")
        .values("player__name", "details", "found_at", "state"),
        "address_sightings": AddressSighting.objects.filter(player_id=player_id).order_by("id").values("seen_at"),
    }  # fmt: skip


def _separated(rows: Iterable[Any]) -> Iterator[bytes]:
    found = iter(rows.iterator(chunk_size=_CHUNK) if isinstance(rows, QuerySet) else rows)
    for row in found:
        yield msgspec.json.encode(row)
        break
    yield from chain.from_iterable((b",", msgspec.json.encode(row)) for row in found)
