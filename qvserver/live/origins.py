"""Whose pages may read what the live service answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

Send = Callable[[Any], Awaitable[None]]


def allow_own_pages(scope: Any, send: Send) -> Send:
    """A ``send`` that lets pages of the same host read the answer: the web may be another port of it.

    No answer depends on a cookie, so nothing is given away.
    """
    headers = dict(scope["headers"])
    origin = headers.get(b"origin", b"")
    if not origin or _host(origin.decode("latin-1")) != _host("//" + headers.get(b"host", b"").decode("latin-1")):
        return send

    async def send_allowed(message: Any) -> None:
        if message["type"] == "http.response.start":
            allowed = [(b"access-control-allow-origin", origin), (b"vary", b"origin")]
            message = {**message, "headers": [*message["headers"], *allowed]}
        await send(message)

    return send_allowed


def _host(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None
