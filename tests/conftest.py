"""What many tests need: players, challenges, a client that speaks the API, a worker in a process of its own."""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import psutil
import pytest
from django.db import connection
from django.test import Client, TransactionTestCase, override_settings
from django.utils import timezone
from redis import Redis

from games import redis_client
from games.api.limits import tallies
from games.engine import Code
from games.models import Challenge
from games.redis_client import RedisAway
from games.services.players import create_guest

from .dailies import publish
from .services import POSTGRES, REDIS

T = TypeVar("T")

VECTORS = Path(__file__).parent / "vectors"
ROOT = Path(__file__).parent.parent

#: A won game, from the vectors.
WON_CODE = "FT1-N-AAAAAAV"


def vectors(name: str) -> list[dict[str, Any]]:
    """The entries of a file of vectors."""
    found: list[dict[str, Any]] = json.loads((VECTORS / f"{name}.json").read_text())
    return found


def pytest_xdist_auto_num_workers() -> int:
    """One process more than there are cores, since many tests wait for processes of their own; at most four."""
    return min((os.cpu_count() or 1) + 1, 4)


# fmt: off
#: The modules that take longest come first, so that none of them is left to one process at the end.
LONGEST_FIRST = [
    "test_chaos", "test_walk", "test_live", "test_faults", "test_up", "test_practice",
    "test_whole_games", "test_solve", "test_browser_rules", "test_looks", "test_day",
    "test_deployment", "test_daily", "test_every_endpoint", "test_app", "test_schema",
]
# fmt: on


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = {name: place for place, name in enumerate(LONGEST_FIRST)}
    items.sort(key=lambda item: places.get(item.path.stem, len(places)))


@pytest.fixture(scope="session")
def django_db_modify_db_settings() -> None:
    """pytest-django asks for this before it makes the test database: PostgreSQL and Redis have to run."""
    POSTGRES.start()
    REDIS.start()


_EMPTY = """
DO $$
DECLARE
    name regclass;
    is_filled boolean;
BEGIN
    SET LOCAL session_replication_role = replica;
    FOR name IN
        SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
        AND NOT relispartition AND relname NOT IN ('django_migrations', 'django_content_type', 'auth_permission',
            'games_namechange')
    LOOP
        EXECUTE format('SELECT EXISTS (SELECT FROM %s)', name) INTO is_filled;
        IF is_filled THEN
            EXECUTE format('DELETE FROM %s', name);
        END IF;
    END LOOP;
END $$
"""


@pytest.fixture(scope="session", autouse=True)
def _empty_what_is_filled() -> Iterator[None]:
    """Django truncates all tables after a test that commits; deleting what a few of them hold is ten times faster."""

    def empty(self: TransactionTestCase) -> None:
        with connection.cursor() as cursor:
            cursor.execute(_EMPTY)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", empty)
        yield


@pytest.fixture(scope="session", autouse=True)
def _cheap_hashes() -> Iterator[None]:
    """Hashing a password is meant to be dear."""
    with override_settings(PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"]):
        yield


@pytest.fixture(scope="session")
def won_log() -> str:
    """A log that wins `WON_CODE` with 1,230 points in 315 moves."""
    return next(str(entry["log"]) for entry in vectors("codes") if entry["code"] == WON_CODE)


@pytest.fixture(autouse=True)
def _redis_as_new(request: pytest.FixtureRequest) -> Iterator[None]:
    """Redis doesn't roll back: whoever uses the database finds Redis empty and awake."""
    if "django_db_setup" in request.fixturenames:
        redis_client._away_until = 0.0
        ask_redis(lambda redis: redis.flushall())
        tallies.clear()
    yield


def patiently(action: Callable[[], T]) -> T:
    """What the action returns once Redis answers in time: to a busy machine 200 ms may be too few."""
    for _ in range(50):
        with contextlib.suppress(RedisAway):
            return action()
        redis_client._away_until = 0.0
    return action()


def ask_redis(question: Callable[[Redis], T]) -> T:
    """What the question returns when it is asked Redis, however busy the machine is."""
    return patiently(lambda: redis_client.ask(question))


@dataclass
class Api:
    """A client of the API with a token."""

    token: str | None
    name: str = ""

    def call(self, method: str, address: str, body: Any = None, **headers: str) -> Any:
        """An answer, with its JSON as ``.data``."""
        extra = {} if self.token is None else {"Authorization": f"Token {self.token}"}
        data = body if isinstance(body, (str, bytes)) else json.dumps(body) if body is not None else ""
        response: Any = Client(raise_request_exception=False).generic(
            method, f"/api/v1/{address}", data, content_type="application/json", headers={**extra, **headers}
        )
        response.data = json.loads(response.content) if response.content else None
        return response

    def get(self, address: str, **headers: str) -> Any:
        """GET."""
        return self.call("GET", address, **headers)

    def post(self, address: str, body: Any = None) -> Any:
        """POST."""
        return self.call("POST", address, body)

    def put(self, address: str, body: Any = None) -> Any:
        """PUT."""
        return self.call("PUT", address, body)

    def start(self, challenge: Challenge) -> Any:
        """The JSON of an attempt."""
        response = self.post(f"challenges/{challenge.pk}/attempts/")
        assert response.status_code in (200, 201), response.data
        return response.data

    def submit(self, attempt: Any, log: str, **fields: Any) -> Any:
        """The answer to a submitted log."""
        return self.put(f"attempts/{attempt['id']}/submission/", {"log": log, **fields})


def _guest() -> Api:
    caller, token = create_guest(now=timezone.now())
    return Api(token, caller.name)


@pytest.fixture
def alice(db: None) -> Api:
    """A guest."""
    return _guest()


@pytest.fixture
def bob(db: None) -> Api:
    """Another guest."""
    return _guest()


@pytest.fixture
def charlie(db: None) -> Api:
    """A third guest."""
    return _guest()


@pytest.fixture
def nobody(db: None) -> Api:
    """Somebody without a token."""
    return Api(None)


@pytest.fixture
def new_guest(db: None) -> Callable[[], Api]:
    """Makes as many guests as needed."""
    return _guest


@pytest.fixture
def daily(db: None) -> Challenge:
    """Today's Forty Thieves, whose winning log is `won_log`."""
    return publish("ft-n", timezone.now().date(), Code.parse(WON_CODE))


def wait_for(condition: Callable[[], Any], *, seconds: float = 120.0, what: str = "it") -> Any:
    """What the condition returns, once that is true."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if found := condition():
            return found
        time.sleep(0.05)
    raise AssertionError(f"{what} didn't happen within {seconds} s")


class Process:
    """A process of the stack, on the test database."""

    def __init__(self, arguments: list[str], **environment: str) -> None:
        self.arguments = arguments
        self.environment = environment
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, or start it again."""
        database = connection.settings_dict["NAME"]
        url = os.environ["DATABASE_URL"].replace("/postgres?", f"/{database}?")
        environment = {**os.environ, "DATABASE_URL": url, "REDIS_URL": REDIS.url, **self.environment}
        self.process = subprocess.Popen([sys.executable, *self.arguments], env=environment, cwd=ROOT)

    def signal(self, number: int) -> None:
        """Send it a signal."""
        assert self.process is not None
        self.process.send_signal(number)

    def kill(self) -> None:
        """Kill it, and its children with it, as a power cut would."""
        if self.process is not None:
            children = []
            if self.process.poll() is None:
                children = psutil.Process(self.process.pid).children(recursive=True)
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
            self.process.wait()
            for child in children:
                with contextlib.suppress(psutil.NoSuchProcess):
                    child.kill()

    @property
    def is_running(self) -> bool:
        """Whether it hasn't ended."""
        return self.process is not None and self.process.poll() is None


WORKER = ["-m", "celery", "-A", "qvserver", "worker", "-Q", "verdicts", "-l", "warning"]


@pytest.fixture
def worker(transactional_db: None) -> Iterator[Process]:
    """A Celery worker in a process of its own."""
    process = Process(WORKER)
    process.start()
    yield process
    process.kill()


def utc(text: str) -> datetime.datetime:
    """A moment, from its ISO form without zone."""
    return datetime.datetime.fromisoformat(text).replace(tzinfo=datetime.UTC)
