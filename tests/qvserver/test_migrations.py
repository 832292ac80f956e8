"""New migrations keep the version running that is there while they run (`qvserver/deploy/README.md`, Upgrade)."""

from __future__ import annotations

import pytest
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


@pytest.mark.parametrize("app", FIRST_RELEASE)
def test_the_linter_knows_a_migration_that_does(app: str) -> None:
    """Among those of the first release are some that would have stopped a running server."""
    assert lint(app, [name for name in migrations(app) if 1 < int(name[:4]) <= FIRST_RELEASE[app]])
