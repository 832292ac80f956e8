"""Beside allauth's own calls: sessions for guests."""

from __future__ import annotations

from typing import Literal

import msgspec
from django.conf import settings
from django.contrib.auth import login
from django.contrib.sessions.backends.db import SessionStore
from django.http import HttpRequest

from games.api.errors import ApiError
from games.api.lean import Answer, LeanView, bearer_token, caller_of, describe, read_body
from games.models import Player


class SessionIn(msgspec.Struct):
    """Where the session is for: a browser gets a cookie, an app a token for the header X-Session-Token."""

    client: Literal["browser", "app"] = "browser"


class SessionOut(msgspec.Struct):
    """The session has begun."""

    session_token: str | None
    #: The player's number, by which a browser tells apart whose games it keeps.
    player: int


class GuestSession(LeanView):
    """A session for a guest."""

    @describe(
        "A session for a guest, to add a password, a passkey, an e-mail address or a social login by /_allauth/",
        description="With the first of them the guest is a guest no more, and keeps all results. Players who have"
        " signed up sign in instead: a token alone doesn't let anybody change how they do that.",
        body=SessionIn,
        answers={200: SessionOut},
        errors=[400, 401, 409],
    )
    def post(self, request: HttpRequest) -> Answer:
        caller = caller_of(request)
        if not caller.is_guest or not bearer_token(request):
            raise ApiError(409, "no_guest", "This is for guests, by their token: sign in at /_allauth/ instead.")
        client = read_body(request, SessionIn).client
        player = Player.objects.get(pk=caller.id)
        request.session = SessionStore()
        login(request, player, backend=settings.AUTHENTICATION_BACKENDS[0])
        if client == "browser":
            return 200, SessionOut(None, player.pk)
        request.session.save()
        token = request.session.session_key
        # No cookies: this session is for whoever has the token.
        request.session = SessionStore()
        request.META["CSRF_COOKIE_NEEDS_UPDATE"] = False
        return 200, SessionOut(token, player.pk)
