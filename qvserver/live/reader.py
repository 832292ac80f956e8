"""Follows the live stream in Redis: one connection and one task for the whole process."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from django.conf import settings
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from games import redis_keys
from games.announcements import STREAM_LENGTH, STREAM_SECONDS, entry

from .entries import Entry, EntryId, parse_entries
from .hub import Hub

#: How long one read waits for news; Redis counts as away when it is silent for longer than that and `TIMEOUT_SECONDS`.
BLOCK_SECONDS = 1.0
TIMEOUT_SECONDS = 1.0
RETRY_SECONDS = 0.5
READ_COUNT = 500

logger = logging.getLogger(__name__)


def connect() -> Redis:
    """A client for the event loop, with a time limit on every call."""
    return Redis.from_url(
        settings.REDIS_URL,
        socket_timeout=BLOCK_SECONDS + TIMEOUT_SECONDS,
        socket_connect_timeout=TIMEOUT_SECONDS,
        retry=Retry(NoBackoff(), 0),
    )


class Reader:
    """Reads entries and hands them to the hub, through all that may happen to Redis."""

    def __init__(self, hub: Hub, redis: Redis) -> None:
        self._hub = hub
        self._redis: Any = redis
        self._key = redis_keys.live_stream()
        #: Set once it is known whether Redis is there.
        self.has_begun = asyncio.Event()

    async def run(self) -> None:
        """Read for ever."""
        while True:
            try:
                await self._begin()
                while True:
                    await self._read()
            except (TimeoutError, RedisError, OSError) as error:
                if not self._hub.is_degraded or not self.has_begun.is_set():
                    logger.warning("Redis is away, clients have to ask: %s", error)
                    self._hub.degrade()
                self.has_begun.set()
                await asyncio.sleep(RETRY_SECONDS)

    async def _begin(self) -> None:
        oldest = await self._oldest()
        if oldest is None or oldest > self._hub.position:
            await self._load()
        else:
            self._hub.recover()
        self.has_begun.set()

    async def _read(self) -> None:
        answer = await self._redis.xread(
            {self._key: str(self._hub.position)}, count=READ_COUNT, block=int(BLOCK_SECONDS * 1000)
        )
        oldest = await self._oldest()
        if oldest is None or oldest > self._hub.position:
            # The stream was emptied or cut off under us.
            await self._load()
            return
        for _, entries in answer or ():
            for found in parse_entries(entries):
                self._hub.take(found)
                # Clients take what waits for them before there is more.
                await asyncio.sleep(0)
        if not answer:
            # It stays as long as somebody reads it.
            await self._redis.expire(self._key, STREAM_SECONDS)

    async def _oldest(self) -> EntryId | None:
        found = await self._redis.xrange(self._key, count=1)
        return EntryId.parse(found[0][0].decode()) if found else None

    async def _load(self) -> None:
        """Begin anew with what the stream holds; where there is none, with an entry that says so."""
        found = await self._redis.xrevrange(self._key, count=STREAM_LENGTH)
        if not found:
            await self._redis.xadd(self._key, entry("begin", None), maxlen=STREAM_LENGTH)
            found = await self._redis.xrevrange(self._key, count=STREAM_LENGTH)
        entries: list[Entry] = list(parse_entries(reversed(found)))
        self._hub.reset(entries)
