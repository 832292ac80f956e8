"""What the live service looks after by itself: challenges that open, and verdicts whose announcement got lost."""

from __future__ import annotations

import asyncio
import datetime
import logging
from typing import Any

from django.db import DatabaseError, InterfaceError
from django.utils import timezone
from redis.asyncio import Redis
from redis.exceptions import RedisError

from games import redis_keys
from games.announcements import STREAM_LENGTH, STREAM_SECONDS, ChallengeNews, entry

from . import database
from .database import Database
from .hub import Hub

#: How often it is asked for verdicts that somebody waits for: with Redis away, and in case a worker died before it
#: could announce them.
ASK_SECONDS_DEGRADED = 1.0
ASK_SECONDS = 5.0
OPENING_SECONDS = 5.0
#: How far back a first look goes: what was published meanwhile may be seen late.
LOOK_BACK = datetime.timedelta(minutes=1)
_FLAG_SECONDS = 2 * 24 * 3600

logger = logging.getLogger(__name__)


async def ask_for_verdicts(hub: Hub, asker: Database) -> None:
    """Wake those whose verdicts are there, by one statement for all who wait."""
    while True:
        for _ in range(round(ASK_SECONDS / ASK_SECONDS_DEGRADED)):
            await asyncio.sleep(ASK_SECONDS_DEGRADED)
            if hub.is_degraded:
                break
        if awaited := hub.awaited:
            try:
                hub.wake(await asker.ask(lambda awaited=awaited: database.judged(awaited)))  # type: ignore[misc]
            except (DatabaseError, InterfaceError) as error:
                logger.warning("verdicts not asked for: %s", error)


async def announce_openings(redis: Redis, asker: Database) -> None:
    """Announce each challenge at the moment that it opens, once for all live processes."""
    since = timezone.now() - LOOK_BACK
    while True:
        now = timezone.now()
        coming = None
        try:
            for news in await asker.ask(lambda since=since, now=now: database.opened(since, now)):  # type: ignore[misc]
                await _announce(redis, news)
            coming = await asker.ask(lambda now=now: database.next_opening(now))  # type: ignore[misc]
            since = now - LOOK_BACK
        except (TimeoutError, DatabaseError, InterfaceError, RedisError, OSError) as error:
            logger.warning("openings not announced, tried again soon: %s", error)
        wait = OPENING_SECONDS
        if coming is not None:
            # A moment later, since the other clock's midnight may not have come yet.
            wait = min(wait, max(0.0, (coming - timezone.now()).total_seconds()) + 0.05)
        await asyncio.sleep(wait)


async def _announce(redis: Any, news: ChallengeNews) -> None:
    flag = redis_keys.opening_flag(news.challenge)
    if not await redis.set(flag, 1, nx=True, ex=_FLAG_SECONDS):
        return
    try:
        await redis.xadd(redis_keys.live_stream(), entry("opened", news), maxlen=STREAM_LENGTH)
        await redis.expire(redis_keys.live_stream(), STREAM_SECONDS)
    except (TimeoutError, RedisError, OSError):
        await redis.delete(flag)
        raise
