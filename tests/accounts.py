"""Signing up and in, as app clients and browsers do it."""

from __future__ import annotations

import json
from typing import Any

from django.test import Client
from django.utils import timezone

from games.models import Player
from games.services.tokens import make_token
from tests.conftest import Api

PASSWORD = "seven black kings"


def app_call(method: str, address: str, body: Any = None, **headers: str) -> Any:
    """An answer of allauth's app client, with its JSON as ``.data``."""
    response: Any = Client(raise_request_exception=False).generic(
        method,
        f"/_allauth/app/v1/{address}",
        "" if body is None else json.dumps(body),
        content_type="application/json",
        headers=headers,
    )
    response.data = json.loads(response.content) if response.content else None
    return response


def sign_up(name: str = "", *, guest: Api | None = None, email: str = "", password: str = PASSWORD) -> Any:
    """The answer to signing up, as a guest or as somebody new."""
    body = {key: value for key, value in {"username": name, "email": email, "password": password}.items() if value}
    headers = {} if guest is None else {"Authorization": f"Token {guest.token}"}
    return app_call("POST", "auth/signup", body, **headers)


def sign_in(*, password: str = PASSWORD, **who: str) -> Any:
    """The answer to signing in by ``username`` or ``email``."""
    return app_call("POST", "auth/login", {**who, "password": password})


def full_player(name: str, **fields: Any) -> Api:
    """Somebody who has signed up."""
    player = Player.objects.create_user(name, PASSWORD, **fields)
    return Api(make_token(player_id=player.pk, name="", now=timezone.now()).token, name)


def an_admin() -> Api:
    """Somebody who may do everything in the admin."""
    return full_player("the boss", is_staff=True, is_superuser=True)


def browser(*, csrf: bool = True) -> Client:
    """A browser with a CSRF cookie, which checks whether it is asked for."""
    client = Client(enforce_csrf_checks=csrf, raise_request_exception=False)
    client.get("/_allauth/browser/v1/config")
    return client


def browser_call(client: Client, method: str, path: str, body: Any = None, *, csrf: bool = True, **headers: str) -> Any:
    """An answer to a browser, which sends its CSRF token along."""
    if csrf:
        headers["X-CSRFToken"] = client.cookies["csrftoken"].value
    data = "" if body is None else json.dumps(body)
    response: Any = client.generic(method, path, data, content_type="application/json", headers=headers)
    is_json = response.get("Content-Type") == "application/json" and not response.streaming
    response.data = json.loads(response.content) if is_json and response.content else None
    return response
