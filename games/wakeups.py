"""Waking the workers: a hint that there is something to do, never the thing itself.

A pending row is the job, and workers look for rows on a timer of their own. A wake-up only spares them the wait, so it
may get lost. A thread sends it: a request never waits for the broker, alive or frozen.
"""

from __future__ import annotations

import logging
import os
import threading
import time

from celery import current_app

from . import redis_keys
from .redis_client import RedisAway, ask

FLAG_MILLISECONDS = 1000
#: Wake-ups asked for within this time of the last one go out together: under load one message serves a batch.
REST_SECONDS = 0.1

logger = logging.getLogger(__name__)


class _Waker:
    """A thread that sends the wake-ups asked for, each kind once however often it was asked for meanwhile."""

    def __init__(self) -> None:
        self._asked: set[tuple[str, tuple[int | str, ...]]] = set()
        self._condition = threading.Condition()
        self._pid: int | None = None

    def ask_for(self, task: str, arguments: tuple[int | str, ...]) -> None:
        with self._condition:
            # A server that forks leaves the thread behind in its parent.
            if self._pid != os.getpid():
                self._pid = os.getpid()
                threading.Thread(target=self._run, name="waker", daemon=True).start()
            self._asked.add((task, arguments))
            self._condition.notify()

    def _run(self) -> None:
        while True:
            with self._condition:
                while not self._asked:
                    self._condition.wait()
                asked, self._asked = self._asked, set()
            for task, arguments in asked:
                try:
                    if _raise_flag(task, arguments):
                        current_app.send_task(task, arguments, retry=False, expires=60)
                except Exception as error:
                    logger.warning("wake-up for %s not sent: %s", task, error)
            time.sleep(REST_SECONDS)


_waker = _Waker()


def wake(task: str, *arguments: int | str) -> None:
    """Have the task of that name sent soon by another thread, unless the same one is already on its way."""
    _waker.ask_for(task, arguments)


def woken(task: str, *arguments: int | str) -> None:
    """Note that the wake-up has arrived. Call it before looking for work, so that none slips in between."""
    try:
        ask(lambda redis: redis.delete(redis_keys.wake_flag(task, arguments)))
    except RedisAway as error:
        logger.info("wake flag of %s not removed, it expires by itself: %s", task, error)


def _raise_flag(task: str, arguments: tuple[int | str, ...]) -> bool:
    flag = redis_keys.wake_flag(task, arguments)
    try:
        return bool(ask(lambda redis: redis.set(flag, 1, nx=True, px=FLAG_MILLISECONDS)))
    except RedisAway as error:
        logger.info("wake-up for %s not sent, the timer will find the work: %s", task, error)
        return False
