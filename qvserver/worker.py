"""What a worker does beside the messages it gets: looks for work on a timer of its own, and notices when it is deaf.

A thread looks for pending submissions, unpushed standings and verdicts to review, every `QV_WORKER_POLL_SECONDS`,
whether Redis is there or not. Another sends the worker a message of its own through the broker; a worker that hears
none for `QV_WORKER_DEAF_SECONDS` exits, to be restarted by whoever supervises it. What it hears of itself it notes as a
sign of life (`qvserver.vitals`), as the beat does of each message that it has sent.

A worker of the queue `solver` has its kernels compiled before it listens, yields the processor to all others, and
begins with a look at the calendar.
"""

from __future__ import annotations

import gc
import logging
import os
import socket
import threading
import time
from typing import Any

from celery import shared_task
from celery.signals import after_task_publish, beat_init, celeryd_after_setup, task_prerun, worker_ready
from django.conf import settings
from django.db import close_old_connections, connection
from django.utils import timezone

from games.wakeups import wake

from .vitals import note_alive

SOLVER_QUEUE = "solver"
#: The exit status of a deaf worker (sysexits.h, EX_UNAVAILABLE).
EXIT_DEAF = 69
ECHO_SECONDS = 5.0
#: Some task is due each minute; a beat that sends none for so long has come to a halt.
BEAT_SECONDS = 200.0

logger = logging.getLogger(__name__)


class _Ears:
    """When this worker last heard something, and under which queue it calls itself."""

    queue = ""
    part = ""
    heard_at = 0.0
    deaf_seconds = 0.0

    @classmethod
    def are_open(cls) -> bool:
        """Whether something was heard lately."""
        return time.monotonic() - cls.heard_at < cls.deaf_seconds


@celeryd_after_setup.connect
def _start_threads(sender: str, instance: Any, **_: Any) -> None:
    """Have the worker listen to a queue of its own as well, and start the threads.

    The worker is one process (``CELERY_WORKER_POOL``), so the threads live where the work is done; and they live before
    the broker was ever reached.
    """
    queues = instance.app.amqp.queues
    verifies = instance.app.conf.task_default_queue in queues.consume_from
    proves = SOLVER_QUEUE in queues.consume_from
    if proves:
        _prepare_solver()
    _Ears.queue, _Ears.part = f"echo.{sender}", SOLVER_QUEUE if proves else "verdicts"
    queues.select_add(_Ears.queue, expires=60)
    # While it searches a worker hears nothing.
    search_seconds = settings.QV_SOLVE_SECONDS + settings.QV_SHORTEN_SECONDS if proves else 0.0
    _Ears.deaf_seconds = settings.QV_WORKER_DEAF_SECONDS + search_seconds
    _Ears.heard_at = time.monotonic()
    if verifies:
        threading.Thread(target=_look_for_work, name="timer", daemon=True).start()
    # What is there now stays: the collector needn't look at it again and again.
    gc.collect()
    gc.freeze()
    threading.Thread(target=_call_out, name="voice", daemon=True).start()
    threading.Thread(target=_listen_for_echoes, name="ears", daemon=True).start()
    _open_port()


def _open_port() -> None:
    from .worker_port import serve

    if settings.QV_WORKER_PORT:
        serve(settings.QV_WORKER_PORT, _Ears.are_open)


@beat_init.connect
def _watch_beat(**_: Any) -> None:
    """Have the beat note its signs of life."""
    _Ears.queue, _Ears.part = f"beat.{socket.gethostname()}", "beat"
    _Ears.deaf_seconds, _Ears.heard_at = BEAT_SECONDS, time.monotonic()
    after_task_publish.connect(_hear, weak=False)
    _hear()
    _open_port()


def _hear(**_: Any) -> None:
    """Something arrived, or went out."""
    _Ears.heard_at = time.monotonic()
    note_alive(_Ears.part, _Ears.queue, seconds=_Ears.deaf_seconds)


def _prepare_solver() -> None:
    from games.solver import warm_up

    logger.info("loading the solver; the first time it is compiled, which takes a while")
    warm_up()
    logger.info("the solver is ready")
    os.nice(10)


@worker_ready.connect
def _look_at_calendar(sender: Any, **_: Any) -> None:
    if SOLVER_QUEUE in sender.app.amqp.queues.consume_from:
        wake("games.prove")


@task_prerun.connect
def close_broken_connection(**_: Any) -> None:
    """Have a task begin with a connection that no earlier error has broken."""
    close_old_connections()


@shared_task(name="qvserver.echo", expires=60)
def echo() -> None:
    """Arrive: the worker isn't deaf."""
    _hear()


def _look_for_work() -> None:
    from games.services.review import review_submissions
    from games.services.verification import verify_pending
    from leaderboards.services.placing import finish_left_recounts
    from leaderboards.services.standings import push_all_unpushed

    while True:
        try:
            verify_pending(clock=timezone.now)
            push_all_unpushed()
            finish_left_recounts()
            review_submissions(now=timezone.now())
        except Exception as error:
            logger.warning("the timer found no work done: %s", error)
            connection.close()
        close_old_connections()
        time.sleep(settings.QV_WORKER_POLL_SECONDS)


def _listen_for_echoes() -> None:
    while _Ears.are_open():
        time.sleep(1)
    logger.error("nothing heard from the broker for %s s: exiting to be restarted", _Ears.deaf_seconds)
    os._exit(EXIT_DEAF)


def _call_out() -> None:
    """Send echoes. In a thread of its own, since sending to a frozen broker may block."""
    while True:
        try:
            echo.apply_async(queue=_Ears.queue, retry=False)
        except Exception as error:
            logger.warning("no echo sent: %s", error)
        time.sleep(ECHO_SECONDS)
