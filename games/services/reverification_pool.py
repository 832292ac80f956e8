"""What a process that re-verifies runs. Nothing here is imported before Django is set up in it."""

from __future__ import annotations

import datetime
import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .reverification import Outcome


def begin(database: str) -> None:
    """Set the process up, on the database of its parent, which alone hears of Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    import django

    django.setup()
    from django.db import connection

    connection.settings_dict["NAME"] = database


def reverify(submission_ids: list[int], now: datetime.datetime) -> Outcome:
    """Replay some submissions."""
    from .reverification import reverify_chunk

    return reverify_chunk(submission_ids=submission_ids, now=now)
