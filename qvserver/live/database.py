"""Questions to PostgreSQL from the event loop.

Two threads ask them, each with a connection of its own that it closes when there is nothing to ask: however many
clients wait, none of them holds one.
"""

from __future__ import annotations

import asyncio
import datetime
import queue
import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from django.db import DatabaseError, InterfaceError, connection
from django.db.models import F
from django.db.models.functions import Greatest

from games.announcements import ChallengeNews
from games.models import Challenge, Player, Submission
from games.services.challenges import news_of
from leaderboards.models import Membership

THREADS = 2
IDLE_SECONDS = 2.0

T = TypeVar("T")

_Job = tuple[asyncio.AbstractEventLoop, "asyncio.Future[Any]", Callable[[], Any]]


class Database:
    """Runs functions that use the ORM in threads of its own."""

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[_Job] = queue.SimpleQueue()

    def start(self) -> None:
        """Start the threads."""
        for _ in range(THREADS):
            threading.Thread(target=self._run, name="database", daemon=True).start()

    async def ask(self, question: Callable[[], T]) -> T:
        """What the question answers, or raises."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[T] = loop.create_future()
        self._jobs.put((loop, answer, question))
        return await answer

    def _run(self) -> None:
        while True:
            try:
                loop, answer, question = self._jobs.get(timeout=IDLE_SECONDS)
            except queue.Empty:
                connection.close()
                continue
            try:
                result = question()
            except Exception as error:
                if isinstance(error, (DatabaseError, InterfaceError)):
                    connection.close()
                loop.call_soon_threadsafe(_give, answer, None, error)
            else:
                loop.call_soon_threadsafe(_give, answer, result, None)


def _give(answer: asyncio.Future[Any], result: Any, error: Exception | None) -> None:
    if answer.done():  # whoever asked has gone
        return
    if error is None:
        answer.set_result(result)
    else:
        answer.set_exception(error)


def is_active(player_id: int) -> bool:
    """Whether the player is there and may call."""
    return Player.objects.filter(pk=player_id, is_active=True).exists()


def is_member(player_id: int, club_id: int) -> bool:
    """Whether the player is in the club."""
    return Membership.objects.filter(player_id=player_id, club_id=club_id).exists()


def judged(submission_ids: Sequence[int]) -> list[int]:
    """Those of the submissions that are pending no more."""
    found = Submission.objects.filter(pk__in=submission_ids).exclude(state=Submission.State.PENDING)
    return list(found.values_list("pk", flat=True))


def opened(since: datetime.datetime, now: datetime.datetime) -> list[ChallengeNews]:
    """The challenges that players may know of since a moment: they opened, or were published after that."""
    found = Challenge.objects.visible(now).annotate(seen_from=Greatest(F("opens_at"), F("published_at")))
    return [news_of(challenge) for challenge in found.filter(seen_from__gt=since).order_by("opens_at", "id")]


def next_opening(now: datetime.datetime) -> datetime.datetime | None:
    """When the next challenge opens."""
    coming = Challenge.objects.filter(opens_at__gt=now, published_at__isnull=False, cancelled_at=None)
    return coming.order_by("opens_at").values_list("opens_at", flat=True).first()
