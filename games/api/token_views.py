"""The API of tokens: those that a player's clients call with."""

from __future__ import annotations

from django.http import HttpRequest
from django.utils import timezone

from games.services import tokens
from games.services.players import token_digest

from . import shapes
from .errors import ApiError
from .lean import Answer, LeanView, bearer_token, caller_of, describe, read_body


class Tokens(LeanView):
    """All of the caller's tokens."""

    @describe("The caller's tokens", answers={200: shapes.TokenList}, errors=[401])
    def get(self, request: HttpRequest) -> Answer:
        caller = caller_of(request)
        token = bearer_token(request)
        digest = None if token is None else token_digest(token)
        found = tokens.list_tokens(player_id=caller.id, now=timezone.now())
        return 200, shapes.TokenList(
            [
                shapes.TokenOut(row.id, row.name, row.created, row.last_used, row.expires, row.digest == digest)
                for row in found
            ]
        )

    @describe(
        "A new token, for one more client",
        description="Lives 90 days from its last day of use. It is shown this once.",
        body=shapes.TokenIn,
        answers={201: shapes.NewTokenOut},
        errors=[400, 401, 403, 409],
    )
    def post(self, request: HttpRequest) -> Answer:
        caller = caller_of(request)
        name = read_body(request, shapes.TokenIn).name
        if not name.isprintable():
            raise ApiError(400, "bad_request", "name must be made of printable characters.")
        made = tokens.make_token(player_id=caller.id, name=name, now=timezone.now())
        return 201, shapes.NewTokenOut(made.id, made.name, made.token, made.expires)

    @describe(
        "Log out everywhere: all tokens and sessions of the caller end",
        answers={200: shapes.Nothing},
        errors=[401, 403],
    )
    def delete(self, request: HttpRequest) -> Answer:
        tokens.revoke_tokens(player_id=caller_of(request).id)
        return 200, shapes.Nothing()


class Token(LeanView):
    """One of the caller's tokens."""

    @describe("Revoke a token", answers={200: shapes.Nothing}, errors=[401, 403, 404])
    def delete(self, request: HttpRequest, token_id: str) -> Answer:
        tokens.revoke_token(player_id=caller_of(request).id, token_id=token_id)
        return 200, shapes.Nothing()
