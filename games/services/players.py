"""Players and the tokens that they call with."""

from __future__ import annotations

import datetime
import hashlib
import secrets
from dataclasses import dataclass
from typing import Any, cast

from django.conf import settings
from django.db import connection, transaction
from knox.crypto import create_token_string
from knox.settings import CONSTANTS

from games.models import Player
from games.names import skeleton
from games.signals import players_counted_anew
from games.statements import one_row

# fmt: off
_ADJECTIVES = (
    "Amber", "Bold", "Brave", "Brisk", "Bright", "Calm", "Clever", "Coral", "Daring", "Dawn", "Deft", "Eager",
    "Fair", "Fleet", "Gentle", "Glad", "Golden", "Happy", "Honest", "Ivory", "Jolly", "Keen", "Kind", "Lively",
    "Lucky", "Lunar", "Merry", "Mighty", "Misty", "Noble", "Olive", "Patient", "Plucky", "Polar", "Proud", "Quick",
    "Quiet", "Royal", "Sandy", "Scarlet", "Silent", "Silver", "Sleepy", "Snowy", "Solar", "Spry", "Stormy", "Sunny",
    "Swift", "Tidy", "Velvet", "Violet", "Warm", "Wise", "Witty",
)
_ANIMALS = (
    "Badger", "Bear", "Beaver", "Bison", "Crane", "Deer", "Dove", "Eagle", "Falcon", "Ferret", "Finch", "Fox",
    "Gecko", "Goose", "Hare", "Hawk", "Heron", "Ibex", "Jackal", "Kiwi", "Koala", "Lark", "Lemur", "Lynx", "Magpie",
    "Marten", "Mole", "Moose", "Newt", "Ocelot", "Otter", "Owl", "Panda", "Puffin", "Quail", "Rabbit", "Raven",
    "Robin", "Salmon", "Seal", "Shrew", "Sloth", "Sparrow", "Stork", "Swan", "Tapir", "Tern", "Toad", "Turtle",
    "Viper", "Vole", "Walrus", "Weasel", "Whale", "Wolf", "Wren",
)
# fmt: on

_NAME_TRIES = 5


@dataclass(frozen=True, slots=True)
class Caller:
    """Who makes a call."""

    id: int
    name: str
    is_guest: bool


def create_guest(*, now: datetime.datetime) -> tuple[Caller, str]:
    """A new player with a made-up name, and the token to call with. The token is stored only as its hash."""
    token = create_token_string()
    arguments = {
        "now": now,
        "digest": token_digest(token),
        "key": token[: CONSTANTS.TOKEN_KEY_LENGTH],
        "expiry": now + token_life(),
    }
    for _ in range(_NAME_TRIES):
        name = made_up_name()
        if row := one_row(_CREATE_GUEST, {**arguments, "name": name, "skeleton": skeleton(name)}):
            return Caller(row[0], name, True), token
    raise RuntimeError(f"no free name was found for a guest in {_NAME_TRIES} tries")


# Player and token in one statement: neither is there without the other. A name that is taken makes neither.
_CREATE_GUEST = """
WITH player AS (
    INSERT INTO games_player (name, skeleton, is_guest, joined_at, password, is_superuser, is_staff, is_active)
    VALUES (%(name)s, %(skeleton)s, true, %(now)s, '!', false, false, true)
    ON CONFLICT DO NOTHING
    RETURNING id
)
INSERT INTO knox_authtoken (digest, token_key, user_id, created, expiry)
SELECT %(digest)s, %(key)s, player.id, %(now)s, %(expiry)s FROM player
RETURNING user_id
"""


def find_caller(*, token: str, now: datetime.datetime) -> Caller | None:
    """Whose token it is; None for an unknown or expired one. A token lives 90 days from its last day of use."""
    digest = token_digest(token)
    if (row := one_row(TOKEN_OWNER, {"digest": digest, "now": now})) is None:
        return None
    *who, expiry = row
    renew_token(digest=digest, expiry=expiry, now=now)
    return Caller(*who)


#: Whose token has the ``digest`` and is good ``now``: no row for an unknown or expired one, nor for an inactive player.
TOKEN_OWNER = """
SELECT player.id, player.name, player.is_guest, token.expiry
FROM knox_authtoken token JOIN games_player player ON player.id = token.user_id
WHERE token.digest = %(digest)s AND token.expiry > %(now)s AND player.is_active
"""

#: Who asks, by a token as above or by a session, which said that it is the ``session_player``.
#: Statements that find out who asks along with the rest take it in as a subquery.
CALLER = f"""
{TOKEN_OWNER} UNION ALL
SELECT id, name, is_guest, NULL FROM games_player WHERE id = %(session_player)s::bigint AND is_active
"""

#: What says that no name has changed while it stays the same, as an expression; null where nothing can be said.
#: Who asks for it, and for names afterwards, may keep them under it.
NAMES_SIGN = "(SELECT string_agg(id::text, ' ' ORDER BY id) FROM games_namechange)"


@dataclass(frozen=True, slots=True)
class Credential:
    """What a call brings along to show who makes it: a token's digest, or the player of a session or ticket."""

    digest: str | None = None
    session_player: int | None = None

    def arguments(self, now: datetime.datetime) -> dict[str, Any]:
        """The arguments of `CALLER`."""
        return {"digest": self.digest, "session_player": self.session_player, "now": now}

    def __bool__(self) -> bool:
        return self.digest is not None or self.session_player is not None


def renew_token(*, digest: str | None, expiry: datetime.datetime | None, now: datetime.datetime) -> None:
    """Let a token that is used live on, if the last renewal was a day ago or longer: no other use costs a statement."""
    if digest is None or expiry is None or expiry - now >= token_life() - datetime.timedelta(days=1):
        return
    with connection.cursor() as cursor:
        cursor.execute("UPDATE knox_authtoken SET expiry = %s WHERE digest = %s", [now + token_life(), digest])


def make_full_player(*, player_id: int) -> None:
    """A guest has got a credential and is none any more: what was played as one counts like everybody's.

    Safe to repeat, and for those who are no guests.
    """
    with transaction.atomic():
        if Player.objects.filter(pk=player_id, is_guest=True, is_active=True).update(is_guest=False):
            players_counted_anew.send(sender=None, player_ids=[player_id])


def token_digest(token: str) -> str:
    """What is stored of a token: its SHA-512 in hexadecimal, as knox stores it."""
    return hashlib.sha512(token.encode("utf-8", "surrogatepass")).hexdigest()


def token_life() -> datetime.timedelta:
    """How long a token lives from its last day of use."""
    return cast(datetime.timedelta, settings.REST_KNOX["TOKEN_TTL"])


def made_up_name() -> str:
    """A name as guests get it."""
    return f"{secrets.choice(_ADJECTIVES)}{secrets.choice(_ANIMALS)}{secrets.randbelow(1_000_000):06}"
