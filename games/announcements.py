"""Telling the live service what has happened: entries of one Redis stream, which it hands on to those who listen.

An announcement is news, never the thing itself: whoever missed it finds all in PostgreSQL. A thread sends it, so that
neither a request nor a verdict waits for Redis. While Redis is away the latest `KEPT` wait with the thread; if more had
to be dropped, a `gap` is announced instead. A message that was sent twice because its answer got lost does no harm.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading
import time
from collections.abc import Sequence
from typing import Any, Literal

import msgspec
from django.db import transaction
from redis import Redis

from . import redis_keys
from .redis_client import TIMEOUT_SECONDS, RedisAway, ask

#: How many entries the stream holds, about, and for how many seconds after the last one.
STREAM_LENGTH = 5000
STREAM_SECONDS = 3600
#: How many announcements wait in a process while Redis is away.
KEPT = 1000
#: Announcements made within this time of the first one go out together: a batch's verdicts and its boards.
GATHER_SECONDS = 0.002
#: While Redis is away it is tried so often; `ask` answers at once then, mostly.
RETRY_SECONDS = 0.1

logger = logging.getLogger(__name__)


class VerdictNews(msgspec.Struct, array_like=True):
    """A submission got its verdict, or has failed: for its player alone."""

    player: int
    submission: int
    challenge: int
    attempt_number: int
    state: str
    ranked: bool
    won: bool | None
    ranked_score: int | None
    moves: int | None


class BoardNews(msgspec.Struct, array_like=True):
    """A board of a challenge has changed, and so have the parts of it that are these ``clubs``'.

    ``date`` in ISO 8601, of a daily.
    """

    challenge: int
    board: str
    mode: str
    date: str | None
    clubs: list[int]


class ClubNews(msgspec.Struct, array_like=True):
    """Other players are in a club than before; those who are ``gone`` have left it."""

    club: int
    gone: list[int]


class ChallengeNews(msgspec.Struct, array_like=True):
    """A challenge has opened, was cancelled or brought back: for all, from ``opens_at`` on. Nothing of its deal.

    Times and dates in ISO 8601.
    """

    challenge: int
    mode: str
    date: str | None
    title: str
    opens_at: str
    closes_at: str


def announce_verdicts(news: Sequence[VerdictNews]) -> None:
    """Tell players of their verdicts. Call it after the commit."""
    _herald.announce("verdicts", news)


def announce_boards(changed: Sequence[BoardNews]) -> None:
    """Tell those who watch a board that it has changed. Call it after the commit."""
    _herald.announce("boards", changed)


def announce_club(club_id: int, *, gone: Sequence[int] = ()) -> None:
    """Tell those who watch a club's boards that others are on them, once that is committed."""
    news = ClubNews(club_id, list(gone))
    transaction.on_commit(lambda: _herald.announce("club", news), robust=True)


def announce_challenge(kind: Literal["cancelled", "brought_back"], news: ChallengeNews) -> None:
    """Tell everybody what became of a challenge. Call it after the commit."""
    _herald.announce(kind, news)


def close_streams(*, player_id: int) -> None:
    """End the open event streams of a player who was banned, deleted or logged out, once that is committed.

    Opening another one takes a valid token or ticket of an active player.
    """
    transaction.on_commit(lambda: _herald.announce("bye", player_id), robust=True)


def entry(kind: str, facts: Any) -> dict[bytes | str, bytes | str]:
    """The fields of a stream entry."""
    return {"kind": kind, "facts": msgspec.json.encode(facts)}


class _Herald:
    """A thread that puts announcements into the stream, in their order."""

    def __init__(self) -> None:
        self._waiting: list[dict[Any, Any]] = []
        self._condition = threading.Condition()
        self._pid: int | None = None

    def announce(self, kind: str, facts: Any) -> None:
        with self._condition:
            # A server that forks leaves the thread behind in its parent.
            if self._pid != os.getpid():
                self._pid = os.getpid()
                self._waiting = []
                threading.Thread(target=self._run, name="herald", daemon=True).start()
                atexit.register(self._finish)
            self._waiting.append(entry(kind, facts))
            if len(self._waiting) > KEPT:
                self._waiting = [entry("gap", None), *self._waiting[-KEPT // 2 :]]
            self._condition.notify_all()

    def _run(self) -> None:
        is_away = False
        while True:
            with self._condition:
                while not self._waiting:
                    self._condition.wait()
            time.sleep(GATHER_SECONDS)
            with self._condition:
                sending = list(self._waiting)
            try:
                ask(lambda redis, sending=sending: _send(redis, sending))  # type: ignore[misc]
            except RedisAway as error:
                if not is_away:
                    logger.info("Redis is away, announcements wait: %s", error)
                is_away = True
                time.sleep(RETRY_SECONDS)
            else:
                is_away = False
                with self._condition:
                    sent = {id(fields) for fields in sending}
                    self._waiting = [fields for fields in self._waiting if id(fields) not in sent]
                    self._condition.notify_all()

    def _finish(self) -> None:
        """Let a process that ends right after an announcement send it."""
        with self._condition:
            self._condition.wait_for(lambda: not self._waiting, timeout=2 * TIMEOUT_SECONDS)


def _send(redis: Redis, entries: list[dict[Any, Any]]) -> None:
    name = redis_keys.live_stream()
    pipeline = redis.pipeline(transaction=False)
    for fields in entries:
        pipeline.xadd(name, fields, maxlen=STREAM_LENGTH)
    pipeline.expire(name, STREAM_SECONDS)
    pipeline.execute()


_herald = _Herald()
