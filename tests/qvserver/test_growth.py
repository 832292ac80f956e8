"""The growth benchmark finds a statement that reads a whole table, and holds none against one that doesn't."""

from __future__ import annotations

import pytest
from django.db import connection

from tests.benchmarks import growth

pytestmark = pytest.mark.django_db
UNINDEXED = "SELECT id FROM games_player WHERE ban_reason = %s"


@pytest.fixture
def many_players(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growth, "BIG", 5_000)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO games_player (name, skeleton, is_guest, password, is_superuser, is_staff, is_active)"
            " SELECT 'p' || n, 'p' || n, true, '!', false, false, true FROM generate_series(1, 6000) n"
        )
        cursor.execute("ANALYZE games_player")


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        ("SELECT id FROM games_player WHERE id = %s", set()),
        ("SELECT id FROM games_player WHERE lower(name) = lower(%s) AND tombstone = 0", set()),
        ("SELECT id FROM games_player WHERE ban_reason = %s", {"games_player"}),
        ("WITH one AS (SELECT id FROM games_player WHERE settings = %s) SELECT * FROM one", {"games_player"}),
        ("UPDATE games_player SET email = '' WHERE email <> %s AND is_active", {"games_player"}),
        ("SELECT id FROM games_challenge WHERE title = %s", set()),
    ],
)
def test_a_statement_that_reads_a_big_table_from_end_to_end_is_found(
    many_players: None, sql: str, found: set[str]
) -> None:
    argument = {"games_player WHERE id": 7, "settings": "{}"}
    value = next((value for part, value in argument.items() if part in sql), "x")
    assert growth.full_reads(sql, [value]) == found


def test_the_statements_of_a_call_are_noted(many_players: None) -> None:
    call = growth.Call("by a reason", lambda n: connection.cursor().execute(UNINDEXED, [str(n)]))
    line, found = growth.measure(call)
    assert found == {"games_player"} and "reads all of games_player" in line
