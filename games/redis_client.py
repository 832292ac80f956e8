"""The one connection to Redis that a process shares, and what happens when Redis is away.

Redis holds nothing that PostgreSQL doesn't hold too: whoever finds it away goes on without it. Every call gives up
after `TIMEOUT_SECONDS`, and after a failure nobody tries again for `PAUSE_SECONDS`, so that a frozen Redis costs a
process one wait a second and not one wait a request.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from typing import TypeVar

from django.conf import settings
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

TIMEOUT_SECONDS = 0.2
#: For what is long and nobody's answer waits for: making a board anew on a busy machine.
PATIENT_SECONDS = 5.0
PAUSE_SECONDS = 1.0

T = TypeVar("T")


class RedisAway(Exception):
    """Redis didn't answer in time, or answered with an error."""


@cache
def _client(timeout: float) -> Redis:
    return Redis.from_url(
        settings.REDIS_URL,
        socket_timeout=timeout,
        socket_connect_timeout=TIMEOUT_SECONDS,
        # The caller has another way, so it needn't wait for a second try.
        retry=Retry(NoBackoff(), 0),
    )


_away_until = 0.0


def ask(question: Callable[[Redis], T], *, timeout: float = TIMEOUT_SECONDS) -> T:
    """What ``question`` returns when it is asked the shared client, in so many seconds. Raises `RedisAway`."""
    global _away_until
    if time.monotonic() < _away_until:
        raise RedisAway("Redis was away a moment ago")
    try:
        return question(_client(timeout))
    except (RedisError, OSError) as error:
        _away_until = time.monotonic() + PAUSE_SECONDS
        raise RedisAway(str(error)) from error
