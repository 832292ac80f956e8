"""A database from before there were proofs comes along: nothing that was played is lost."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import psycopg
import pytest

from tests.conftest import ROOT


@pytest.fixture
def old_database(django_db_setup: None) -> Iterator[str]:
    """A database of its own, with the first tables only."""
    server = os.environ["DATABASE_URL"]
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("CREATE DATABASE upgraded")
    url = server.replace("/postgres?", "/upgraded?")
    migrate(url, "games", "0001")
    yield url
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("DROP DATABASE upgraded WITH (FORCE)")


def migrate(url: str, *target: str) -> None:
    command = [sys.executable, "manage.py", "migrate", "-v", "0", *target]
    subprocess.run(command, cwd=ROOT, env={**os.environ, "DATABASE_URL": url}, check=True)


def test_dailies_without_a_proof_stay_if_somebody_has_played_them(old_database: str) -> None:
    with psycopg.connect(old_database) as connection:
        connection.execute(
            """
            INSERT INTO games_player (id, name, is_guest, joined_at, password, is_superuser, is_staff, is_active)
            VALUES (1, 'Alice', true, now(), '!', false, false, true);
            INSERT INTO games_challenge (id, mode, family, number, date, title, opens_at, closes_at)
            VALUES (1, 'ft-n', 'FT1', 5, '2026-01-01', '', '2026-01-01', '2026-01-02'),
                (2, 'ft-n', 'FT1', 6, '2026-01-02', '', '2026-01-02', '2026-01-03');
            INSERT INTO games_attempt (challenge_id, player_id, number, started_at) VALUES (1, 1, 1, '2026-01-01');
            """
        )
    migrate(old_database)
    with psycopg.connect(old_database) as connection:
        rows = connection.execute("SELECT id, date, title, published_at = opens_at FROM games_challenge").fetchall()
        assert rows == [(1, None, "Daily of 2026-01-01, unproven", True)]
        assert connection.execute("SELECT count(*) FROM games_attempt").fetchone() == (1,)


def test_a_migration_holds_nobody_up_who_comes_behind_a_long_statement(old_database: str) -> None:
    migrate(old_database, "leaderboards", "0008")
    migrate(old_database, "games", "0010")
    reads = 0
    is_over = threading.Event()

    def play() -> None:
        nonlocal reads
        with psycopg.connect(old_database, autocommit=True) as player:
            while not is_over.is_set():
                for table in ("games_player", "games_challenge", "games_submission"):
                    player.execute(f"SELECT count(*) FROM {table}")
                reads += 1
                time.sleep(0.01)

    command = [sys.executable, "manage.py", "prepare"]
    environment = {**os.environ, "DATABASE_URL": old_database}
    playing = threading.Thread(target=play)
    with psycopg.connect(old_database) as long:
        long.execute("SELECT count(*) FROM games_submission")
        preparing = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
        try:
            playing.start()
            assert preparing.stdout is not None
            seen = []
            for _ in range(3):
                assert "a table is in use, trying again" in preparing.stdout.readline()
                seen.append(reads)
            assert preparing.poll() is None
            assert seen[0] < seen[1] < seen[2], "others go on meanwhile"
            long.rollback()
            preparing.communicate(timeout=60)
        finally:
            is_over.set()
            playing.join()
            preparing.kill()
    assert preparing.returncode == 0
    with psycopg.connect(old_database) as connection:
        done = connection.execute("SELECT count(*) FROM django_migrations WHERE name = '0012_plain_numbers'").fetchone()
        assert done == (1,)
