"""Whether the server lives, and whether it can do its work."""

from __future__ import annotations

import datetime
from typing import Any

from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone

from games.redis_client import RedisAway, ask
from games.services.calendar import missing_dailies

#: A submission that waits for longer than this means that no worker is at work.
QUEUE_AGE_LIMIT = datetime.timedelta(seconds=30)


def healthz(request: HttpRequest) -> HttpResponse:
    """The process answers."""
    return HttpResponse("ok", content_type="text/plain")


def readyz(request: HttpRequest) -> HttpResponse:
    """The parts that the process needs: 200 when all are there, else 503. Redis may be away: the work goes on.

    Missing dailies are named and don't make the process unready: another one would miss them too.
    """
    parts: dict[str, Any] = {"redis": _redis_answers()}
    try:
        depth, age = read_queue()
        missing = missing_dailies(today=timezone.now().date())
    except DatabaseError:
        return JsonResponse({**parts, "database": False}, status=503)
    parts |= {
        "database": True,
        "queue": {"depth": depth, "age_seconds": age.total_seconds()},
        "missing_dailies": [str(slot) for slot in missing],
    }
    return JsonResponse(parts, status=200 if age < QUEUE_AGE_LIMIT else 503)


def read_queue() -> tuple[int, datetime.timedelta]:
    """How many submissions wait, and the oldest for how long."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*), min(received_at) FROM games_submission WHERE state = 'pending'")
        depth, oldest = cursor.fetchone()
    return depth, timezone.now() - oldest if oldest else datetime.timedelta()


def _redis_answers() -> bool:
    try:
        return bool(ask(lambda redis: redis.ping()))
    except RedisAway:
        return False
