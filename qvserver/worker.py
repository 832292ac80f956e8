"""What a worker does beside the messages it gets: looks for work on a timer of its own, and notices when it is deaf.

A thread looks for pending submissions, unpushed standings and verdicts to review, every `QV_WORKER_POLL_SECONDS`,
whether Redis is there or not. Another sends the worker a message of its own through the broker; a worker that hears
none for `QV_WORKER_DEAF_SECONDS` exits, to be restarted by whoever supervises it.

A worker of the queue `solver` has its kernels compiled before it listens, yields the processor to all others, and
begins with a look at the calendar.
"""

from __future__ import annotations

import gc
import logging
import os
import threading
import time
from typing import Any

from celery import shared_task
from celery.signals import celeryd_after_setup, task_prerun, worker_ready
from django.conf import settings
from django.db import close_old_connections, connection
from django.utils import timezone

from games.wakeups import wake

SOLVER_QUEUE = "solver"
#: The exit status of a deaf worker (sysexits.h, EX_UNAVAILABLE).
EXIT_DEAF = 69
ECHO_SECONDS = 5.0

logger = logging.getLogger(__name__)


class _Ears:
    """When this worker last heard something, and under which queue it calls itself."""

    queue = ""
    heard_at = 0.0
    deaf_seconds = 0.0


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
    _Ears.queue = f"echo.{sender}"
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
    _Ears.heard_at = time.monotonic()


def _look_for_work() -> None:
    from games.services.review import review_submissions
    from games.services.verification import verify_pending
    from leaderboards.services.standings import push_all_unpushed

    while True:
        try:
            verify_pending(clock=timezone.now)
            push_all_unpushed()
            review_submissions(now=timezone.now())
        except Exception as error:
            logger.warning("the timer found no work done: %s", error)
            connection.close()
        close_old_connections()
        time.sleep(settings.QV_WORKER_POLL_SECONDS)


def _listen_for_echoes() -> None:
    while time.monotonic() - _Ears.heard_at < _Ears.deaf_seconds:
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
