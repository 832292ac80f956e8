"""Signs of life: workers and the beat say in Redis that they are at work."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

from games import redis_keys
from games.redis_client import RedisAway, ask

#: Who was last heard so long ago is forgotten.
FORGET_SECONDS = 3600.0


def note_alive(part: str, name: str, *, seconds: float) -> None:
    """Note that a process of a part (verdicts, solver, beat) is at work; it counts as that for so many seconds."""
    key, now = redis_keys.alive(), time.time()

    def note(redis: Any) -> None:
        pipeline = redis.pipeline(transaction=False)
        pipeline.zadd(key, {f"{part}:{name}": now + seconds})
        pipeline.zremrangebyscore(key, "-inf", now - FORGET_SECONDS)
        pipeline.execute()

    try:
        ask(note)
    except RedisAway:
        return


def read_alive() -> dict[str, int] | None:
    """How many processes of each part are at work; None with Redis away."""
    key, now = redis_keys.alive(), time.time()
    try:
        found: Any = ask(lambda redis: redis.zrangebyscore(key, now, "+inf"))
    except RedisAway:
        return None
    return dict(Counter(member.decode().partition(":")[0] for member in found))
