"""What players show of themselves, and change."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import msgspec
from django.db import IntegrityError, transaction
from django.db.models import Count, Q
from django.utils.translation import gettext as _

from games.models import ModerationAct, Player, Submission
from games.names import BadName, clean_name, skeleton
from games.services.intake import Conflict, Refused

#: So large may the settings be that a client keeps, as JSON.
MAX_SETTINGS_BYTES = 8 * 1024


@dataclass(frozen=True, slots=True)
class Counts:
    """A player's submissions."""

    submissions: int
    verified: int
    won: int


def count_submissions(*, player_id: int) -> Counts:
    """How many a player has sent, and what became of them."""
    verified = Q(state=Submission.State.VERIFIED)
    counts = Submission.objects.filter(player_id=player_id).aggregate(
        submissions=Count("id"), verified=Count("id", filter=verified), won=Count("id", filter=verified & Q(won=True))
    )
    return Counts(**counts)


def rename_player(*, player_id: int, name: str) -> str:
    """Give a player another name; returns it as stored. Raises `Refused` for a bad one, `Conflict` for a taken one."""
    try:
        cleaned = clean_name(name)
    except BadName as error:
        raise Refused("bad_name", str(error)) from None
    taken_away = ModerationAct.objects.filter(player_id=player_id, kind=ModerationAct.Kind.RENAME)
    if skeleton(cleaned) in map(skeleton, taken_away.values_list("old_name", flat=True)):
        raise Refused("bad_name", _("A moderator has taken that name away: choose another one."))
    with free_name(cleaned), transaction.atomic():
        player = Player.objects.select_for_update(no_key=True).get(pk=player_id)
        player.name = cleaned
        player.save(update_fields=["name"])
    return cleaned


@contextmanager
def free_name(name: str) -> Iterator[None]:
    """Raises `Conflict` where a constraint says that the name is another's, or passes for another's."""
    try:
        yield
    except IntegrityError as error:
        if "player_name_unique" in str(error):
            raise Conflict("name_taken", _("Another player is called {name} already.").format(name=name)) from None
        if "player_skeleton_unique" in str(error):
            raise Conflict(
                "name_confusable", _("{name} looks like another player's name: choose another one.").format(name=name)
            ) from None
        raise


def change_settings(*, player_id: int, settings: dict[str, Any]) -> None:
    """Keep a client's settings, in place of those that were there. Raises `Refused` where they are too large."""
    try:
        encoded = msgspec.json.encode(settings)
    except UnicodeEncodeError:
        raise Refused("bad_settings", _("settings must be made of whole characters.")) from None
    if len(encoded) > MAX_SETTINGS_BYTES:
        raise Refused(
            "settings_too_large",
            _("settings may have {limit} bytes at most.").format(limit=MAX_SETTINGS_BYTES),
        )
    if b"\\u0000" in encoded:
        raise Refused("bad_settings", _("settings can't hold the character U+0000."))
    Player.objects.filter(pk=player_id).update(settings=settings)


def find_player(*, name: str) -> Player | None:
    """The player of a name, case aside; None for one who isn't there any more, or is banned."""
    return Player.objects.named(name).filter(is_banned=False).first()
