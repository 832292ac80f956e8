"""Tokens that players call with: made, listed, revoked."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from string import hexdigits

from django.db import transaction
from django.db.models import F, Value
from django.db.models.functions import Coalesce
from knox.crypto import create_token_string
from knox.models import AuthToken
from knox.settings import CONSTANTS

from games.announcements import close_streams
from games.models import TokenLabel
from games.services.intake import Conflict, NotFound
from games.services.players import token_digest, token_life
from games.signals import sessions_ended

#: So many tokens a player can have.
MAX_TOKENS = 50

#: A token is told apart by so much of its digest, of which nobody can make the token.
ID_LENGTH = 16


@dataclass(frozen=True, slots=True)
class Token:
    """A token as its player sees it. ``last_used`` is right to the day: that often is it noted."""

    id: str
    name: str
    created: datetime.datetime
    last_used: datetime.datetime
    expires: datetime.datetime
    digest: str


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token just made; the only time that ``token`` is known here."""

    id: str
    name: str
    token: str
    expires: datetime.datetime


def make_token(*, player_id: int, name: str, now: datetime.datetime) -> NewToken:
    """One more token. Raises `Conflict` where the player has too many."""
    AuthToken.objects.filter(user_id=player_id, expiry__lte=now).delete()
    if AuthToken.objects.filter(user_id=player_id).count() >= MAX_TOKENS:
        raise Conflict("too_many_tokens", f"A player has {MAX_TOKENS} tokens at most: revoke one first.")
    token = create_token_string()
    expires = now + token_life()
    row = AuthToken(
        digest=token_digest(token), token_key=token[: CONSTANTS.TOKEN_KEY_LENGTH], user_id=player_id, expiry=expires
    )
    with transaction.atomic():
        row.save(force_insert=True)
        TokenLabel.objects.create(token=row, name=name)
    return NewToken(row.digest[:ID_LENGTH], name, token, expires)


def list_tokens(*, player_id: int, now: datetime.datetime) -> list[Token]:
    """A player's tokens that are good, the latest used first."""
    found = (
        AuthToken.objects.filter(user_id=player_id, expiry__gt=now)
        .annotate(name=Coalesce(F("label__name"), Value("")))
        .order_by("-expiry", "digest")
    )
    return [
        Token(row.digest[:ID_LENGTH], row.name, row.created, row.expiry - token_life(), row.expiry, row.digest)
        for row in found
    ]


def revoke_token(*, player_id: int, token_id: str) -> None:
    """End one token, and all open event streams. Raises `NotFound` where the player has no such token."""
    is_id = len(token_id) == ID_LENGTH and set(token_id) <= set(hexdigits)
    if not is_id or not AuthToken.objects.filter(user_id=player_id, digest__startswith=token_id).delete()[0]:
        raise NotFound("not_found", "There is no such token of yours.")
    # A stream doesn't know by which token it was opened; those of the others come again.
    close_streams(player_id=player_id)


def revoke_tokens(*, player_id: int) -> None:
    """End all tokens, sessions and event streams of a player, everywhere."""
    with transaction.atomic():
        close_streams(player_id=player_id)
        AuthToken.objects.filter(user_id=player_id).delete()
        sessions_ended.send(sender=None, player_id=player_id)
