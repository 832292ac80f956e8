"""Every call of the API by everybody: whoever has no business there is told so, and nothing is a fault.

The calls are found in the URL conf: a new one fails here until `STATUSES` says who may make it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, get_resolver
from django.utils import timezone
from drf_spectacular.generators import SchemaGenerator

from games.models import Attempt, Challenge, Player
from games.services.tokens import make_token
from games.services.verification import verify_pending
from qvserver.settings import DATA_UPLOAD_MAX_MEMORY_SIZE
from tests.conftest import Api

pytestmark = pytest.mark.django_db

ROOT = "api/v1/"
_PARAMETER = re.compile("<[a-z]+:([a-z_]+)>")
METHODS = ("get", "post", "put", "patch", "delete")
CALLERS = ("nobody", "wrong token", "owner", "other", "guest", "banned", "admin")


class Statuses(NamedTuple):
    """What each of `CALLERS` is answered; ``owner`` is the one whose things the address names."""

    nobody: int
    wrong_token: int
    owner: int
    other: int
    guest: int
    banned: int
    admin: int


def public(status: int = 200, wrong_token: int = 401) -> Statuses:
    """Anybody's; a token that is no good is no way in all the same."""
    return Statuses(status, wrong_token, status, status, status, status, status)


def players(status: int = 200, *, banned: int | None = None, guest: int | None = None) -> Statuses:
    """Any player's, on what is their own."""
    guests = status if guest is None else guest
    return Statuses(401, 401, status, status, guests, status if banned is None else banned, status)


def owners(status: int = 200) -> Statuses:
    """Its owner's alone: to all others, admins too, it isn't there."""
    return Statuses(401, 401, status, 404, 404, 404, 404)


STATUSES = {
    "GET ": public(wrong_token=200),
    "GET schema/": public(wrong_token=200),
    "GET docs/": public(wrong_token=200),
    "POST players/guest/": public(201, wrong_token=201),
    "GET players/me/": players(),
    "PATCH players/me/": players(),
    "DELETE players/me/": Statuses(401, 401, 200, 200, 200, 200, 409),
    "GET players/me/export/": players(),
    "POST players/me/merge/": Statuses(401, 401, 200, 200, 409, 409, 200),
    "GET players/me/submissions/": players(),
    "POST players/me/session/": Statuses(401, 401, 409, 409, 200, 409, 409),
    "GET players/me/tokens/": players(),
    "POST players/me/tokens/": players(201),
    "DELETE players/me/tokens/": players(),
    "DELETE players/me/tokens/<str:token_id>/": owners(),
    "GET players/<str:name>/": public(wrong_token=200),
    "POST players/<str:name>/report/": Statuses(401, 401, 400, 202, 202, 403, 202),
    "GET players/<str:name>/statistics/": public(wrong_token=200),
    "GET challenges/": public(),
    "GET challenges/today/": public(),
    "GET challenges/<row:challenge_id>/": public(),
    "POST challenges/<row:challenge_id>/attempts/": Statuses(401, 401, 200, 201, 201, 403, 201),
    "GET attempts/<row:attempt_id>/": owners(),
    "PUT attempts/<row:attempt_id>/draft/": owners(),
    "PUT attempts/<row:attempt_id>/submission/": owners(202),
    "GET submissions/<row:submission_id>/": owners(),
    "GET submissions/<row:submission_id>/replay/": owners(),
    # One that was verified can't be disputed, by nobody.
    "POST submissions/<row:submission_id>/dispute/": Statuses(401, 401, 404, 404, 404, 403, 404),
    "POST live/ticket/": players(201),
    "GET deals/random/": public(wrong_token=200),
    "GET deals/<str:code>/": public(wrong_token=200),
    "POST deals/<str:code>/verify/": public(wrong_token=200),
    "GET leaderboards/challenges/<row:challenge_id>/": public(),
    "GET leaderboards/challenges/<row:challenge_id>/around/": Statuses(401, 401, 200, 404, 404, 404, 404),
    "GET leaderboards/challenges/<row:challenge_id>/distribution/": public(),
    "GET leaderboards/<str:mode>/<str:period>/": public(),
    "GET leaderboards/<str:mode>/<str:period>/around/": Statuses(401, 401, 200, 404, 404, 404, 404),
    "GET clubs/": players(),
    "POST clubs/": players(201, banned=403),
    "GET clubs/join/<str:code>/": players(),
    "POST clubs/join/<str:code>/": Statuses(401, 401, 200, 201, 201, 403, 201),
    "GET clubs/<row:club_id>/": owners(),
    "PATCH clubs/<row:club_id>/": owners(),
    "DELETE clubs/<row:club_id>/": owners(),
    "POST clubs/<row:club_id>/leave/": Statuses(401, 401, 409, 404, 404, 404, 404),
    "POST clubs/<row:club_id>/owner/": owners(),
    "POST clubs/<row:club_id>/code/": owners(),
    "DELETE clubs/<row:club_id>/members/<str:name>/": owners(),
}


def endpoints() -> Iterator[str]:
    """All calls below `ROOT`, as keys of `STATUSES`."""
    for route, pattern in _patterns(get_resolver().url_patterns, ""):
        if route.startswith(ROOT):
            view = getattr(pattern.callback, "view_class", None) or getattr(pattern.callback, "cls", None)
            yield from (f"{name.upper()} {route.removeprefix(ROOT)}" for name in METHODS if hasattr(view, name))


def _patterns(patterns: list[Any], prefix: str) -> Iterator[tuple[str, URLPattern]]:
    for pattern in patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield route, pattern
        else:
            yield from _patterns(pattern.url_patterns, route)


def _send(method: str, address: str, text: str | bytes, headers: dict[str, str], query: str = "?mode=ft-n") -> Any:
    client = Client(raise_request_exception=False)
    answer: Any = client.generic(method, address + query, text, content_type="application/json", headers=headers)
    is_json = answer["Content-Type"] == "application/json" and not answer.streaming
    answer.data = json.loads(answer.content) if is_json else None
    return answer


@dataclass
class Stage:
    """Everybody, and what the owner has."""

    callers: dict[str, Api]
    names: dict[str, Any]
    bodies: dict[str, Any]

    def call(self, caller: str, endpoint: str, body: Any = None, **headers: str) -> Any:
        """The answer to a call; whatever it changes is undone."""
        method, _, route = endpoint.partition(" ")
        address = _PARAMETER.sub(lambda name: str(self.names[name[1]]), route)
        body = self.bodies.get(endpoint) if body is None else body
        text = body if isinstance(body, (str, bytes)) else json.dumps(body) if body is not None else ""
        if (token := self.callers[caller].token) is not None:
            headers["Authorization"] = f"Token {token}"
        with transaction.atomic():
            answer = _send(method, f"/{ROOT}{address}", text, headers)
            transaction.set_rollback(True)
        return answer


def _player(name: str, **fields: Any) -> Api:
    player = Player.objects.create(name=name, is_guest=False, password="!", **fields)
    return Api(make_token(player_id=player.pk, name="", now=timezone.now()).token, name)


@pytest.fixture
def stage(alice: Api, bob: Api, daily: Challenge) -> Stage:
    owner = _player("the owner")
    submission = owner.submit(owner.start(daily), "d").data["id"]
    verify_pending(clock=timezone.now)
    attempt = owner.start(daily)["id"]
    club = owner.post("clubs/", {"name": "The Kings"}).data
    member = _player("the member")
    member.post(f"clubs/join/{club['code']}/")
    token = owner.get("players/me/tokens/").data["items"][0]["id"]
    callers = {
        "nobody": Api(None),
        "wrong token": Api("0" * 64),
        "owner": owner,
        "other": _player("another"),
        "guest": alice,
        "banned": _player("the banned", is_banned=True, banned_at=timezone.now(), ban_reason="cheating"),
        "admin": _player("an overseer", is_staff=True, is_superuser=True),
    }
    names = {
        "challenge_id": daily.pk,
        "attempt_id": attempt,
        "submission_id": submission,
        "club_id": club["id"],
        "token_id": token,
        "name": owner.name,
        "mode": "ft-n",
        "period": "week",
    }
    bodies = {
        "PATCH players/me/": {"settings": {"suits": 4}},
        "POST players/me/merge/": {"guest_token": bob.token},
        "POST players/me/session/": {"client": "app"},
        "POST players/me/tokens/": {"name": "a phone"},
        "POST players/<str:name>/report/": {"reason": "name"},
        "PUT attempts/<row:attempt_id>/draft/": {"log": "d"},
        "PUT attempts/<row:attempt_id>/submission/": {"log": "d"},
        "POST deals/<str:code>/verify/": {"log": "d"},
        "POST clubs/": {"name": "The Queens"},
        "PATCH clubs/<row:club_id>/": {"name": "The Knaves"},
        "DELETE clubs/<row:club_id>/": {"confirm": "The Kings"},
        "POST clubs/<row:club_id>/owner/": {"player": member.name},
    }
    return Stage(callers, names, bodies)


def test_every_call_is_listed() -> None:
    assert sorted(endpoints()) == sorted(STATUSES)


@pytest.mark.parametrize("endpoint", STATUSES)
def test_who_may_call_what(stage: Stage, endpoint: str) -> None:
    stage.names["code"] = "FT1-N-AAAAAAA" if "deals" in endpoint else _club_code(stage)
    if "members" in endpoint:
        stage.names["name"] = "the member"
    for caller, status in zip(CALLERS, STATUSES[endpoint], strict=True):
        if endpoint == "DELETE players/me/":
            stage.bodies[endpoint] = {"confirm": stage.callers[caller].name}
        before = _owned(stage)
        answer = stage.call(caller, endpoint)
        assert answer.status_code == status, (caller, answer.data)
        if status >= 400:
            assert {*answer.data} == {"error"} and answer.data["error"]["code"], (caller, answer.data)
        assert _owned(stage) == before, "the call was undone"


def _club_code(stage: Stage) -> str:
    return str(stage.callers["owner"].get(f"clubs/{stage.names['club_id']}/").data["code"])


def _owned(stage: Stage) -> Any:
    return list(Attempt.objects.filter(pk=stage.names["attempt_id"]).values())


HOSTILE = {
    "10 MB": (" " * 10_000_000, {}, 413),
    "a gzip bomb": (b"\x1f\x8b\x08" + b"\0" * 1000, {"Content-Encoding": "gzip"}, 415),
    "deep JSON": ("[" * (DATA_UPLOAD_MAX_MEMORY_SIZE // 2), {}, 400),
    "deep fields": ('{"log":' * 50_000, {}, 400),
}


def takes_body() -> list[str]:
    """The calls that take a body, by the schema, which has none of DELETE."""
    paths = SchemaGenerator().get_schema(request=None, public=True)["paths"]
    return [
        endpoint
        for endpoint in STATUSES
        for method, _, route in [endpoint.partition(" ")]
        if endpoint in ("DELETE players/me/", "DELETE clubs/<row:club_id>/")
        or "requestBody" in paths.get(f"/{ROOT}{_PARAMETER.sub(_braces, route)}", {}).get(method.lower(), {})
    ]


def _braces(parameter: re.Match[str]) -> str:
    return f"{{{parameter[1]}}}"


@pytest.mark.parametrize("body", HOSTILE)
def test_hostile_bodies_are_refused_by_every_call_that_takes_one(stage: Stage, body: str) -> None:
    text, headers, status = HOSTILE[body]
    stage.names["code"] = "FT1-N-AAAAAAA"
    endpoints = takes_body()
    assert len(endpoints) > 10 and set(stage.bodies) <= set(endpoints)
    for endpoint in endpoints:
        answer = stage.call("guest" if "session" in endpoint else "owner", endpoint, text, **headers)
        assert (answer.status_code, {*answer.data}) == (status, {"error"}), (endpoint, answer.data)


@pytest.mark.parametrize("body", HOSTILE)
def test_hostile_bodies_are_refused_by_accounts(db: None, body: str) -> None:
    text, headers, status = HOSTILE[body]
    for address in ("auth/signup", "auth/login", "auth/password/request"):
        answer = _send("POST", f"/_allauth/app/v1/{address}", text, headers)
        assert answer.status_code == status, (address, answer.content)


@pytest.mark.parametrize(
    "route", ["challenges/", "deals/random/", "leaderboards/ft-n/week/", "leaderboards/challenges/1/"]
)
def test_a_query_of_too_many_parts_is_refused(db: None, route: str) -> None:
    answer = _send("GET", f"/{ROOT}{route}", "", {}, "?" + "a=1&" * 1001)
    assert (answer.status_code, answer.data["error"]["code"]) == (400, "bad_request")
