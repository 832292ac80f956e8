"""New migrations keep the version running that is there while they run (`qvserver/deploy/README.md`, Upgrade)."""

from __future__ import annotations

import pytest
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django_migration_linter import MigrationLinter

from tests.conftest import ROOT

pytestmark = pytest.mark.django_db
#: The last migrations of the first release; those up to them ran before anybody had data.
FIRST_RELEASE = {"games": 8, "leaderboards": 7}


def lint(app: str, names: list[str]) -> bool:
    """Whether the linter has something against one of these migrations."""
    linter = MigrationLinter(
        str(ROOT),
        include_apps=[app],
        include_name=names,
        no_cache=True,
        quiet=["ok", "ignore"],
        all_warnings_as_errors=True,
    )
    linter.lint_all_migrations()
    return bool(linter.has_errors)


def migrations(app: str) -> list[str]:
    return sorted(name for label, name in MigrationLoader(None).disk_migrations if label == app)


@pytest.mark.parametrize("app", FIRST_RELEASE)
def test_a_new_migration_takes_nothing_away_from_the_version_before(app: str) -> None:
    new = [name for name in migrations(app) if int(name[:4]) > FIRST_RELEASE[app]]
    assert not new or not lint(app, new)


def test_no_index_is_the_beginning_of_another() -> None:
    """Each row written pays for every index; one whose columns another begins with serves no question better."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT one.indexrelid::regclass::text FROM pg_index one JOIN pg_index other
                ON other.indrelid = one.indrelid AND other.indexrelid <> one.indexrelid
            WHERE NOT one.indisunique AND one.indexprs IS NULL AND one.indpred IS NULL AND other.indpred IS NULL
            AND one.indclass[0] = other.indclass[0]
            AND other.indkey::text || ' ' LIKE one.indkey::text || ' %'
            AND one.indrelid::regclass::text ~ '^(games|leaderboards|knox)_'
            -- Django's own, which hardly anybody writes.
            AND one.indrelid::regclass::text !~ '_(groups|user_permissions)$'
            """
        )
        assert sorted(name for (name,) in cursor.fetchall()) == []


@pytest.mark.parametrize("app", FIRST_RELEASE)
def test_the_linter_knows_a_migration_that_does(app: str) -> None:
    """Among those of the first release are some that would have stopped a running server."""
    assert lint(app, [name for name in migrations(app) if 1 < int(name[:4]) <= FIRST_RELEASE[app]])
