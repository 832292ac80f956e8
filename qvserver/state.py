"""What the server is at: for ``/readyz`` and ``/metrics``."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from django.db import connection
from django.utils import timezone

from games.services.calendar import Slot, missing_dailies

from .vitals import read_alive

#: A submission that waits for longer than this means that no worker is at work.
QUEUE_AGE_LIMIT = datetime.timedelta(seconds=30)


@dataclass(frozen=True, slots=True)
class State:
    """What the server is at. ``workers`` counts who was heard lately (verdicts, solver, beat): None with Redis away."""

    depth: int
    age: datetime.timedelta
    missing: list[Slot]
    tomorrow: datetime.date
    workers: dict[str, int] | None

    @property
    def is_ready(self) -> bool:
        """Whether verdicts are given. Redis may be away: the work goes on."""
        return self.age < QUEUE_AGE_LIMIT and (self.workers is None or self.workers.get("verdicts", 0) > 0)


def read_state() -> State:
    """Ask PostgreSQL and Redis. Raises `DatabaseError`."""
    depth, age = read_queue()
    today = timezone.now().date()
    return State(depth, age, missing_dailies(today=today), today + datetime.timedelta(days=1), read_alive())


def read_queue() -> tuple[int, datetime.timedelta]:
    """How many submissions wait, and the oldest for how long."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*), min(received_at) FROM games_submission WHERE state = 'pending'")
        depth, oldest = cursor.fetchone()
    return depth, timezone.now() - oldest if oldest else datetime.timedelta()
