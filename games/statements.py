"""Statements of the calls that come by the hundred a second: on Django's connection, but past its cursors.

A statement is prepared when it is first used, and its row comes in the binary format, which psycopg reads in C: that
spares the web a fifth of what such a call costs it. Elsewhere Django's cursors are as good.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from django.db import DEFAULT_DB_ALIAS, connections

Row = tuple[Any, ...]


def one_row(statement: str, arguments: Mapping[str, Any]) -> Row | None:
    """The first row that a statement gives, None without one. Raises Django's database errors.

    JSON comes as Python's objects, times in UTC.
    """
    database = connections[DEFAULT_DB_ALIAS]
    if database.queries_logged or database.execute_wrappers:
        return _watched(statement, arguments)
    database.ensure_connection()
    with database.wrap_database_errors:
        cursor = database.connection.execute(statement, arguments, prepare=True, binary=True)
        return cast("Row | None", cursor.fetchone())


def _watched(statement: str, arguments: Mapping[str, Any]) -> Row | None:
    """The same for those who count or explain statements, which only Django's cursors tell of."""
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(statement, arguments)
        return cast("Row | None", cursor.fetchone())
