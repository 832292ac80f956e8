"""Django's cache, which only rate limits use: in Redis, so that all processes count together."""

from __future__ import annotations

from typing import Any

import msgspec
from django.core.cache.backends.base import DEFAULT_TIMEOUT, BaseCache

from games import redis_client


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
        return default if stored is None else msgspec.json.decode(stored)

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
