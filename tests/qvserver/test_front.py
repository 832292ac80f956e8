"""The short way answers what the long one does."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.http import HttpResponse

from games.models import Challenge
from qvserver.front import Front
from tests.conftest import Api

pytestmark = pytest.mark.django_db

#: What differs between two answers to the same call.
_CHANGING = ("started_at", "server_time", "token", "player")

Answer = tuple[str, dict[str, str], Any]


class Recorder(WSGIHandler):
    """Django's own application, which notes that it was asked."""

    asked = 0

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Any:
        self.asked += 1
        return super().__call__(environ, start_response)


@pytest.fixture(scope="module")
def django() -> Iterator[Recorder]:
    """Leaves the test's transaction open, as Django's test client does."""
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    yield Recorder()
    for signal in signals:
        signal.connect(close_old_connections)


@pytest.fixture(scope="module")
def front(django: Recorder) -> Front:
    return Front(django)


def ask(application: Any, method: str, address: str, token: str | None = None, body: str = "", **more: str) -> Answer:
    """Status, headers and JSON of an answer."""
    path, _, query = address.partition("?")
    environ = {
        "REQUEST_METHOD": method,
        "PATH_INFO": path if path.startswith("/") else f"/api/v1/{path}",
        "QUERY_STRING": query,
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "HTTP_HOST": "localhost",
        "REMOTE_ADDR": "192.0.2.1",
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": io.BytesIO(body.encode()),
        "wsgi.url_scheme": "http",
        "wsgi.errors": io.StringIO(),
        **({} if token is None else {"HTTP_AUTHORIZATION": f"Token {token}"}),
        **more,
    }
    started: list[Any] = []
    content = b"".join(application(environ, lambda *given: started.append(given)))
    [(status, headers)] = started
    shown = json.loads(content) if content[:1] == b"{" else content
    if isinstance(shown, dict):
        shown = {name: value for name, value in shown.items() if name not in _CHANGING}
    assert len({name for name, _ in headers}) == len(headers)
    told = {name: value for name, value in headers if name != "RateLimit"}
    assert told.pop("Content-Length", str(len(content))) == str(len(content))
    return status, told, shown


CALLS: list[Callable[[int], tuple[str, str, str]]] = [
    lambda _: ("GET", "", ""),
    lambda _: ("POST", "players/guest/", ""),
    lambda _: ("GET", "players/me/", ""),
    lambda daily: ("POST", f"challenges/{daily}/attempts/", ""),
    lambda daily: ("GET", f"leaderboards/challenges/{daily}/?limit=3", ""),
    lambda daily: ("GET", f"leaderboards/challenges/{daily}/distribution/", ""),
    lambda _: ("PUT", "attempts/999999999/submission/", '{"log": "d"}'),
    lambda _: ("PUT", "attempts/1/submission/", "{"),
    lambda _: ("GET", "submissions/999999999/", ""),
    lambda _: ("PUT", "submissions/1/", ""),
]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("shows_token", [True, False])
def test_both_ways_answer_alike(
    call: Callable[[int], tuple[str, str, str]],
    shows_token: bool,
    alice: Api,
    daily: Challenge,
    front: Front,
    django: Recorder,
) -> None:
    method, address, body = call(daily.pk)
    token = alice.token if shows_token else None
    ask(front, method, address, token, body)
    asked = django.asked
    short = ask(front, method, address, token, body)
    assert django.asked == asked, "it went the long way"
    assert short == ask(django, method, address, token, body)


@pytest.mark.parametrize(
    ("method", "address", "more"),
    [
        ("GET", "", {"HTTP_COOKIE": "sessionid=x"}),
        ("GET", "", {"HTTP_ORIGIN": "https://elsewhere.example"}),
        ("GET", "", {"HTTP_HOST": "elsewhere.example"}),
        ("PUT", "attempts/1/submission/", {"HTTP_CONTENT_ENCODING": "gzip"}),
        ("PUT", "attempts/1/submission/", {"CONTENT_LENGTH": "10000000"}),
        ("PUT", "attempts/1/submission/", {"CONTENT_LENGTH": "many"}),
        ("PUT", "attempts/1/submission/", {"CONTENT_LENGTH": "\xb2"}),
        ("PUT", "attempts/1/submission/", {"CONTENT_LENGTH": "1" * 5000}),
        ("OPTIONS", "", {}),
        ("HEAD", "", {}),
        ("GET", "players/Somebody/", {}),
        ("GET", "submissions/" + "1" * 19 + "/", {}),
        ("GET", "submissions/\xb2/", {}),
        ("GET", "nowhere/", {}),
        ("GET", "/healthz", {}),
    ],
)
def test_what_is_unusual_goes_the_long_way(
    method: str, address: str, more: dict[str, str], front: Front, django: Recorder
) -> None:
    asked = django.asked
    ask(front, method, address, **more)
    assert django.asked == asked + 1


def test_plain_http_is_redirected_by_the_long_way(settings: Any, front: Front) -> None:
    settings.SECURE_SSL_REDIRECT = True
    answers = {ask(Front(WSGIHandler()), "GET", "", HTTP_X_FORWARDED_PROTO=scheme)[0] for scheme in ("http", "")}
    assert answers == {"301 Moved Permanently"}


def test_a_broken_connection_is_not_used_again(front: Front, monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[bool] = []
    monkeypatch.setattr("qvserver.front.close_old_connections", lambda: closed.append(True))
    monkeypatch.setitem(front._routes, "/api/v1/", (lambda _: HttpResponse(status=503), []))
    assert ask(front, "GET", "")[0] == "503 Service Unavailable" and closed
