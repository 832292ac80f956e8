"""Counting calls: in each process first, and twice a second by a thread in Redis, where all processes meet.

A caller who is far from a limit costs no question to Redis. Who has come half way is counted there with each call, so
that no limit is passed by more than what several processes took in within half a second. While Redis is away
nothing is counted.
"""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass

from redis import Redis

from games.redis_client import RedisAway, ask

SEND_SECONDS = 0.5
#: So often those of windows that have ended are forgotten.
CLEAR_SECONDS = 10.0


@dataclass(slots=True)
class _Tally:
    """Calls of one caller in one window: as many as Redis knew last, and those that it hasn't heard of."""

    ends_at: float
    known: int = 0
    unsent: int = 0


class Tallies:
    """The counts of a process, by key."""

    def __init__(self) -> None:
        self._tallies: dict[str, _Tally] = {}
        self._waiting: dict[str, _Tally] = {}
        self._lock = threading.Lock()
        self._pid: int | None = None

    def count(self, key: str, *, limit: int, ends_at: float) -> int | None:
        """Count a call in a window that ends then (seconds since 1970): how many there were. None with Redis away."""
        with self._lock:
            tally = self._tallies.get(key)
            if tally is None:
                tally = self._tallies[key] = _Tally(ends_at)
            tally.unsent += 1
            counted = tally.known + tally.unsent
            self._waiting[key] = tally
            # A server that forks leaves the thread behind in its parent.
            if self._pid != os.getpid():
                self._pid = os.getpid()
                threading.Thread(target=self._run, name="tallies", daemon=True).start()
        if counted * 2 <= limit:
            return counted
        return tally.known if _send({key: tally}, self._lock) else None

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._tallies, self._waiting = {}, {}

    def _run(self) -> None:
        clear_at = time.monotonic() + CLEAR_SECONDS
        while True:
            time.sleep(SEND_SECONDS)
            with self._lock:
                waiting, self._waiting = self._waiting, {}
                if time.monotonic() > clear_at:
                    clear_at, now = time.monotonic() + CLEAR_SECONDS, time.time()
                    self._tallies = {key: tally for key, tally in self._tallies.items() if tally.ends_at > now}
            if waiting:
                _send(waiting, self._lock)


def _send(tallies: dict[str, _Tally], lock: threading.Lock) -> bool:
    """Tell Redis; whether it was there. What it isn't told is counted nowhere."""
    with lock:
        sending = [(key, tally, tally.unsent) for key, tally in tallies.items()]
        for _, tally, _ in sending:
            tally.unsent = 0

    now = time.time()

    def send(redis: Redis) -> list[int]:
        pipeline = redis.pipeline(transaction=False)
        for key, tally, unsent in sending:
            pipeline.incrby(key, unsent)
            pipeline.expire(key, max(1, int(tally.ends_at - now) + 1))
        return pipeline.execute()[::2]

    try:
        totals = ask(send)
    except RedisAway:
        return False
    with lock:
        for (_, tally, _), total in zip(sending, totals, strict=True):
            tally.known = max(tally.known, total)
    return True
