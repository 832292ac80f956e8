"""Each request's number, for the logs of all who took part, and what is counted of requests.

A number is taken over from a proxy, or made. All this is around Django, not a middleware of it: it has to see all
answers, and costs some microseconds.
"""

from __future__ import annotations

import logging
import re
import secrets
from collections.abc import Awaitable, Callable, Iterable
from contextvars import ContextVar
from time import perf_counter
from typing import Any

from .counters import REQUEST_SECONDS, responses

_request_id: ContextVar[str] = ContextVar("request_id", default="")
_ID = re.compile(r"[0-9A-Za-z-]{8,64}")

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


def _begin(given: str) -> str:
    """The number of the request that this thread or task answers from now on."""
    request_id = given if _ID.fullmatch(given) else secrets.token_hex(8)
    _request_id.set(request_id)
    return request_id


def observed(application: Application) -> Application:
    """A WSGI application whose requests are numbered, timed and counted."""

    def answer(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        began = perf_counter()
        request_id = _begin(environ.get("HTTP_X_REQUEST_ID", ""))

        def start(status: str, headers: list[tuple[str, str]], *exception: Any) -> Any:
            headers.append(("X-Request-ID", request_id))
            responses(status[:3]).inc()
            return start_response(status, headers, *exception)

        try:
            return application(environ, start)
        finally:
            REQUEST_SECONDS.observe(perf_counter() - began)

    return answer


def numbered(scope: Any, send: Callable[[Any], Awaitable[None]]) -> Callable[[Any], Awaitable[None]]:
    """The ``send`` of an ASGI request that adds the request's number to the answer."""
    request_id = _begin(dict(scope["headers"]).get(b"x-request-id", b"").decode("latin-1"))
    header = (b"x-request-id", request_id.encode())

    async def send_numbered(message: Any) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message["headers"], header]}
        await send(message)

    return send_numbered


class RequestFilter(logging.Filter):
    """Gives log records the request's number: ``request_id``, null outside of requests; ``request_tag`` for lines."""

    def filter(self, record: logging.LogRecord) -> bool:
        request_id = _request_id.get()
        record.request_id = request_id or None
        record.request_tag = f" [{request_id}]" if request_id else ""
        return True
