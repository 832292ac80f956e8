"""Django's cache, which only allauth's rate limits use: in Redis, so that all processes count together.

allauth answers 429 without saying when to try again. What it counts by passes through here, so here that is known.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

import msgspec
from django.core.cache.backends.base import DEFAULT_TIMEOUT, BaseCache
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from games import redis_client

#: Until when the limit is used up that was looked at last, in seconds of the epoch.
_used_up_until: ContextVar[float] = ContextVar("_used_up_until", default=0.0)

#: allauth's keys name the limit, "5/60/ip", and hold the moments of calls that count, the latest first.
_LIMIT = re.compile(r"allauth:rl:.*?:([0-9]+)/([0-9.]+)/(?:ip|user|key):")


class RetryAfterMiddleware:
    """Says in allauth's 429 when to try again."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        _used_up_until.set(0.0)
        response = self.get_response(request)
        if response.status_code == 429 and "Retry-After" not in response:
            response["Retry-After"] = str(max(1, math.ceil(_used_up_until.get() - time.time())))
        return response


class LenientRedisCache(BaseCache):
    """Holds what JSON can write. With Redis away it knows nothing and keeps nothing: limits don't hold, calls do."""

    def __init__(self, prefix: str, parameters: dict[str, Any]) -> None:
        super().__init__({**parameters, "KEY_PREFIX": prefix})

    def add(self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        """Store a value if there is none; true with Redis away."""
        return self._store(key, value, timeout, version, only_new=True)

    def set(self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> None:
        """Store a value."""
        self._store(key, value, timeout, version, only_new=False)

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        """The value, or the default."""
        name = self.make_key(key, version)
        stored = self._ask(lambda redis: redis.get(name), None)
        if stored is None:
            return default
        value = msgspec.json.decode(stored)
        _note_used_up(key, value)
        return value

    def delete(self, key: Any, version: int | None = None) -> bool:
        """Forget a value; whether there was one."""
        name = self.make_key(key, version)
        return bool(self._ask(lambda redis: redis.delete(name), 0))

    def touch(self, key: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        """Keep a value for longer; whether there was one."""
        name, lifetime = self.make_key(key, version), self._milliseconds(timeout)
        if lifetime is None:
            return bool(self._ask(lambda redis: redis.persist(name), 0))
        return bool(self._ask(lambda redis: redis.pexpire(name, lifetime), 0))

    def _store(self, key: Any, value: Any, timeout: Any, version: int | None, *, only_new: bool) -> bool:
        name, lifetime = self.make_key(key, version), self._milliseconds(timeout)
        if lifetime is not None and lifetime <= 0:
            return self.delete(key, version)
        text = msgspec.json.encode(value)
        return bool(self._ask(lambda redis: redis.set(name, text, px=lifetime, nx=only_new), True))

    def _milliseconds(self, timeout: Any) -> int | None:
        seconds = self.default_timeout if timeout is DEFAULT_TIMEOUT else timeout
        return None if seconds is None else int(seconds * 1000)

    def _ask(self, question: Any, otherwise: Any) -> Any:
        try:
            return redis_client.ask(question)
        except redis_client.RedisAway:
            return otherwise


def _note_used_up(key: str, history: Any) -> None:
    if (limit := _LIMIT.match(key)) is None:
        return
    amount, seconds = int(limit[1]), float(limit[2])
    if len(history) >= amount:
        _used_up_until.set(history[amount - 1] + seconds)
