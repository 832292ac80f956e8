"""The short way through the web, for the API's calls with a token: straight to their view.

Django's middleware serves pages, forms, sessions and other origins, and costs more than these calls do. What isn't
plainly one of them (a cookie, an Origin, another host, an odd body, an address with names in it) goes the long way, so
that nothing is decided here that is decided there.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, cast

from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.db import close_old_connections
from django.http import HttpResponse
from django.http.request import split_domain_port, validate_host
from django.middleware.clickjacking import XFrameOptionsMiddleware
from django.middleware.security import SecurityMiddleware
from django.urls import URLPattern
from django.utils.cache import patch_vary_headers

from games.api.lean import LeanView
from games.api.urls import RowId

from .policy import PolicyMiddleware

ROOT = "/api/v1/"
_METHODS = frozenset({"GET", "POST", "PUT"})
_UNUSUAL = frozenset({"HTTP_COOKIE", "HTTP_ORIGIN", "HTTP_CONTENT_ENCODING"})

View = Callable[..., Any]


class Front:
    """A WSGI application in front of Django's own."""

    def __init__(self, django: WSGIHandler) -> None:
        # What they need is there once Django is.
        from games.api.urls import urlpatterns as games
        from leaderboards.api.urls import urlpatterns as leaderboards

        self._django = django
        self._routes = dict(_routes([*games, *leaderboards]))
        self._headers = _common_headers()

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        found = self._find(environ["PATH_INFO"]) if _is_plain(environ) else None
        if found is None:
            return self._django(environ, start_response)
        view, arguments = found
        response = view(WSGIRequest(environ), **arguments)
        if response.status_code >= 500:
            # As Django does between requests: a connection that broke is not used again.
            close_old_connections()
        patch_vary_headers(response, ["origin"])
        content = None if response.streaming else response.content
        length = [] if content is None else [("Content-Length", str(len(content)))]
        headers = [*response.items(), *self._headers, *length]
        start_response(f"{response.status_code} {response.reason_phrase}", headers)
        return response if content is None else (content,)

    def _find(self, path: str) -> tuple[View, dict[str, int]] | None:
        """The view of an address, and the numbers in it by their names."""
        parts = path.split("/")
        numbers = [part for part in parts if part.isdigit()]
        route = self._routes.get("/".join(["#" if part.isdigit() else part for part in parts]))
        if route is None or not all(part.isascii() and len(part) <= RowId.MAX_DIGITS for part in numbers):
            return None
        view, names = route
        return view, dict(zip(names, map(int, numbers), strict=True))


def _is_plain(environ: dict[str, Any]) -> bool:
    length = environ.get("CONTENT_LENGTH") or "0"
    return (
        environ["REQUEST_METHOD"] in _METHODS
        and _UNUSUAL.isdisjoint(environ)
        and length.isascii()
        and length.isdigit()
        and len(length) < 10
        and int(length) <= settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        and _is_host_allowed(environ.get("HTTP_HOST", ""))
        and (not settings.SECURE_SSL_REDIRECT or environ.get("HTTP_X_FORWARDED_PROTO") == "https")
    )


@lru_cache(maxsize=256)
def _is_host_allowed(host: str) -> bool:
    domain, _port = split_domain_port(host)
    return bool(domain) and validate_host(domain, settings.ALLOWED_HOSTS)


def _routes(patterns: list[URLPattern]) -> Iterator[tuple[str, tuple[View, list[str]]]]:
    """The addresses without names in them, each number as #: the view, and what the numbers are called."""
    for pattern in patterns:
        converters: dict[str, Any] = pattern.pattern.converters
        if all(isinstance(converter, RowId) for converter in converters.values()):
            address = str(pattern.pattern)
            for name in converters:
                address = address.replace(f"<row:{name}>", "#")
            yield ROOT + address, (_straight(pattern.callback), list(converters))


def _straight(view: Any) -> View:
    """A view without what Django and REST framework put around those of ours."""
    if not issubclass(view.cls, LeanView):
        return cast(View, view)
    return lambda request, **arguments: view.cls(**view.initkwargs).dispatch(request, **arguments)


def _common_headers() -> list[tuple[str, str]]:
    """What Django's middleware says in every answer of the API."""
    scheme = {"wsgi.url_scheme": "https", "HTTP_X_FORWARDED_PROTO": "https"}
    request = WSGIRequest({"REQUEST_METHOD": "GET", "PATH_INFO": ROOT, "wsgi.input": io.BytesIO(), **scheme})
    answer = HttpResponse(content_type="application/json")
    before = set(answer.headers)
    for middleware in (SecurityMiddleware, PolicyMiddleware, XFrameOptionsMiddleware):
        answer = middleware(lambda _: HttpResponse()).process_response(request, answer)
    return [(name, value) for name, value in answer.items() if name not in before]
