"""Mutated calls for a real server: whatever is sent is answered soon, never by a 5xx, and never by a false verdict."""

from __future__ import annotations

import gzip
import json
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from random import Random
from typing import Any, NamedTuple

import urllib3

from games.engine import MODES, Deal, verify
from qvserver.throwaway import Throwaway
from tests.conftest import VECTORS
from tests.engine.fuzzing import HOSTILE, corpus, mutate
from tests.engine.tables import read_vectors

#: An answer that takes longer counts as none.
HANG_SECONDS = 30.0
THREADS = 8

_LARGE = 500_000

_MEGABYTES = b'{"log": "' + b"d " * 5_000_000 + b'"}'
_BOMB = gzip.compress(b'{"log": "' + b"d " * 20_000_000 + b'"}')
_PLAYER = threading.local()


class Call(NamedTuple):
    """What is sent. ``expected`` is the verdict where there has to be one, else None."""

    method: str
    address: str
    body: bytes
    headers: dict[str, str]
    expected: dict[str, Any] | None = None


class Wrong(Exception):
    """An answer that no call may get."""


def feed_server(calls: int, *, seed: int, progress: Callable[[], None]) -> Counter[str]:
    """Send so many calls to a server of its own; returns how many got which answer. Raises `Wrong`."""
    with Throwaway() as server:
        published = server.manage("publish_daily", "--days", "1", "--proofs", str(VECTORS / "proofs.jsonl"))
        assert published.returncode == 0, published.stderr
        answers = feed(server.url, calls, seed=seed, progress=progress)
        audit = server.manage("audit")
        if audit.returncode:
            raise Wrong(audit.stderr)
        return answers


def feed(url: str, calls: int, *, seed: int, progress: Callable[[], None] = lambda: None) -> Counter[str]:
    """Send so many calls; returns how many got which answer. Raises `Wrong`."""
    server = _Server(url)
    seeds = Random(seed)
    answers: Counter[str] = Counter()
    with ThreadPoolExecutor(THREADS) as threads:
        for answer in threads.map(server.send_one, [Random(seeds.getrandbits(64)) for _ in range(calls)]):
            answers[answer] += 1
            progress()
    return answers


class _Server:
    """A server that is to be sent rubbish."""

    def __init__(self, url: str) -> None:
        self._url = f"{url}/api/v1/"
        self._pool = _connections()
        self._challenges = [item["id"] for item in self._ask("GET", "challenges/today/")["items"]]

    def send_one(self, random: Random) -> str:
        """Make a call up, send it, judge the answer: its status, and the kind of the error if it is one."""
        call = random.choice(_CALLS)(self, random)
        # What is refused is often not read to its end, and then the connection can't be used again.
        headers = {**call.headers, "Connection": "close"}
        try:
            with _connections() as fresh:
                answer = fresh.request(call.method, self._url + call.address, body=call.body, headers=headers)
        except urllib3.exceptions.HTTPError as error:
            if len(call.body) > _LARGE and isinstance(error, urllib3.exceptions.ProtocolError):
                return "refused unread"
            raise Wrong(f"{_shown(call)}: no answer, {error!r}") from error
        return _judged(call, answer)

    def _ask(self, method: str, address: str, token: str = "") -> Any:
        headers = {"Authorization": f"Token {token}"} if token else {}
        answer = self._pool.request(method, self._url + address, headers=headers)
        if answer.status >= 300:
            raise Wrong(f"{method} {address}: {answer.status} {answer.data[:300]!r}")
        return answer.json()

    def attempt(self, random: Random) -> tuple[int, str]:
        """An open attempt of this thread's player, and the token. One player in twenty calls is new."""
        if not hasattr(_PLAYER, "token") or _PLAYER.url != self._url or random.random() < 0.05:
            _PLAYER.token, _PLAYER.url = self._ask("POST", "players/guest/")["token"], self._url
        challenge = random.choice(self._challenges)
        return self._ask("POST", f"challenges/{challenge}/attempts/", _PLAYER.token)["id"], _PLAYER.token


def _connections() -> urllib3.PoolManager:
    """No redirects, no repetition: the first answer is the answer."""
    return urllib3.PoolManager(maxsize=THREADS, timeout=HANG_SECONDS, retries=False)


def _judged(call: Call, answer: Any) -> str:
    data = answer.data
    if answer.status >= 500:
        raise Wrong(f"{_shown(call)}: {answer.status} {data[:500]!r}")
    try:
        shown = json.loads(data)
    except ValueError:
        # What isn't HTTP any more is answered by the web server itself.
        if answer.status == 400 and not data.startswith(b"<"):
            return "400, not HTTP"
        raise Wrong(f"{_shown(call)}: {answer.status}, no JSON: {data[:300]!r}") from None
    if answer.status >= 400:
        if set(shown) != {"error"} or not {"code", "message"} <= set(shown["error"]):
            raise Wrong(f"{_shown(call)}: {answer.status} in another shape: {shown}")
        return f"{answer.status} {shown['error']['code']}"
    if call.expected is not None:
        found = {name: value for name, value in shown.items() if name != "rules_version"}
        if found != call.expected:
            raise Wrong(f"{_shown(call)}: {found} instead of {call.expected}")
        return f"{answer.status} verdict"
    return str(answer.status)


def _shown(call: Call) -> str:
    return f"{call.method} {call.address} {call.headers} {call.body[:2000]!r}"


@cache
def _games() -> list[tuple[str, str]]:
    """Codes, each with a log."""
    return [(entry["code"], entry["log"]) for entry in read_vectors("codes")]


@cache
def _logs() -> list[str]:
    return [log for _, log in corpus()]


def _mutated(log: str, random: Random) -> str:
    return mutate(log, random, other=random.choice(_logs()))


def _json(value: Any, random: Random) -> bytes:
    """JSON, its characters escaped or not. Lone surrogates can only be sent escaped."""
    text = json.dumps(value, ensure_ascii=random.random() < 0.5)
    return text.encode("utf-8", "surrogatepass")


def _practice(server: _Server, random: Random) -> Call:
    code, log = random.choice(_games())
    log = _mutated(log, random)
    verdict = verify(Deal.parse(code), log)
    is_refused = verdict.error is not None and verdict.error.reason in _REFUSED
    expected = None if is_refused else verdict.to_dict()
    return Call("POST", f"deals/{code}/verify/", _json({"log": log}, random), _HEADERS, expected)


def _submission(server: _Server, random: Random) -> Call:
    attempt, token = server.attempt(random)
    body: dict[str, Any] = {"log": _mutated(random.choice(_logs()), random)}
    if random.random() < 0.5:
        body |= {"claimed_score": _number(random), "client": random.choice([*HOSTILE, "a/1"])}
    headers = {**_HEADERS, "Authorization": f"Token {token}"}
    return Call("PUT", f"attempts/{attempt}/submission/", _json(body, random), headers)


def _broken_body(server: _Server, random: Random) -> Call:
    attempt, token = server.attempt(random)
    body = _json(
        {"log": _mutated(random.choice(_logs()), random), "claimed_score": _number(random), "times": [_number(random)]},
        random,
    )
    headers = {**_HEADERS, "Authorization": f"Token {token}"}
    for _ in range(random.randint(1, 4)):
        place = random.randrange(len(body) + 1)
        piece = random.choice(_PIECES)
        body = random.choice((body[:place] + piece + body[place:], body[:place], body[place:], piece))
    if random.random() < 0.1:
        headers["Content-Encoding"] = random.choice(("gzip", "br", "identity", "deflate", "\xff"))
    if random.random() < 0.1:
        headers["Content-Type"] = random.choice(
            ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "x")
        )
    return Call(
        random.choice(("PUT", "PUT", "POST", "PATCH", "DELETE")), f"attempts/{attempt}/submission/", body, headers
    )


def _strange_address(server: _Server, random: Random) -> Call:
    piece = urllib3.util.url._encode_invalid_chars(random.choice(HOSTILE[:-1]), set()) or "%00"
    number = str(_number(random))
    address = random.choice(
        (
            f"challenges/{number}/",
            f"leaderboards/challenges/{number}/?board={piece}",
            f"leaderboards/challenges/{random.choice((1, 2, 3))}/?limit={piece}&cursor={piece}",
            f"leaderboards/challenges/1/around/?player={piece}&span={number}",
            f"leaderboards/{random.choice(list(MODES))}/week/?date={piece}",
            f"challenges/?date={piece}&mode={piece}&cursor={piece}",
            f"deals/{piece}/",
            f"deals/random/?mode={piece}",
            f"players/{piece}/",
            f"submissions/{number}/",
            f"attempts/{number}/",
        )
    )
    headers = {"Authorization": f"Token {server.attempt(random)[1]}"} if random.random() < 0.5 else {}
    return Call("GET", address, b"", headers)


def _too_large(server: _Server, random: Random) -> Call:
    attempt, token = server.attempt(random)
    headers = {**_HEADERS, "Authorization": f"Token {token}"}
    if random.random() < 0.5:
        return Call("PUT", f"attempts/{attempt}/submission/", _BOMB, {**headers, "Content-Encoding": "gzip"})
    return Call("PUT", f"attempts/{attempt}/submission/", _MEGABYTES, headers)


def _number(random: Random) -> Any:
    return random.choice((0, -1, 1, 7, 2**31, 2**63, 2**64, -(2**70), 10**40, 1.5, 1e308, None, True, "1", "٣", [], {}))


def _rare(server: _Server, random: Random) -> Call:
    """One in ten of these is a large one: they cost more than all others."""
    return _too_large(server, random) if random.random() < 0.1 else _strange_address(server, random)


_HEADERS = {"Content-Type": "application/json"}
_REFUSED = ("bad_notation", "log_too_large", "too_many_actions")
_PIECES = [
    *(
        b"\x00",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"\xc0\x80",
        b"\xed\xa0\x80",
        b"\\u0000",
        b"\\ud800",
        b"\\",
        b'"',
        b"\r\n",
    ),
    *(b"[" * 50_000, b'{"a":' * 5000, b"9" * 5000, b"1e999", b"NaN", b"-", b"null", b"true", b",", b":", b"{", b"}"),
    *(b'"log": 5,', b'"log": null,', b'"log": ["d"],', b'"log": "d",', b'"times": {},', b'{"log": "d"}', b"[]", b"0"),
    b" " * 600_000,
]
_CALLS = (_practice, _practice, _practice, _submission, _submission, _broken_body, _broken_body, _rare)
