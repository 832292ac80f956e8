"""What a worker does beside the messages it gets: looks for work on a timer of its own, and notices when it is deaf.

A thread looks for pending submissions and unpushed standings every `QV_WORKER_POLL_SECONDS`, whether Redis is there or
not. Another sends the worker a message of its own through the broker; a worker that hears none for
`QV_WORKER_DEAF_SECONDS` exits, to be restarted by whoever supervises it.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from typing import Any

from celery import shared_task
from celery.signals import celeryd_after_setup, task_prerun
from django.conf import settings
from django.db import close_old_connections, connection
from django.utils import timezone

#: The exit status of a deaf worker (sysexits.h, EX_UNAVAILABLE).
EXIT_DEAF = 69
ECHO_SECONDS = 5.0

logger = logging.getLogger(__name__)


class _Ears:
    """When this worker last heard something, and under which queue it calls itself."""

    queue = ""
    heard_at = 0.0


@celeryd_after_setup.connect
def _start_threads(sender: str, instance: Any, **_: Any) -> None:
    """Have the worker listen to a queue of its own as well, and start the threads.

    The worker is one process (``CELERY_WORKER_POOL``), so the threads live where the work is done; and they live before
    the broker was ever reached.
    """
    queues = instance.app.amqp.queues
    verifies = instance.app.conf.task_default_queue in queues.consume_from
    _Ears.queue = f"echo.{sender}"
    queues.select_add(_Ears.queue, expires=60)
    _Ears.heard_at = time.monotonic()
    if verifies:
        threading.Thread(target=_look_for_work, name="timer", daemon=True).start()
    threading.Thread(target=_call_out, name="voice", daemon=True).start()
    threading.Thread(target=_listen_for_echoes, name="ears", daemon=True).start()


@task_prerun.connect
def close_broken_connection(**_: Any) -> None:
    """Have a task begin with a connection that no earlier error has broken."""
    close_old_connections()


@shared_task(name="qvserver.echo", expires=60)
def echo() -> None:
    """Arrive: the worker isn't deaf."""
    _Ears.heard_at = time.monotonic()


def _look_for_work() -> None:
    from games.services.verification import verify_pending
    from leaderboards.services.standings import push_all_unpushed

    while True:
        try:
            verify_pending(clock=timezone.now)
            push_all_unpushed()
        except Exception as error:
            logger.warning("the timer found no work done: %s", error)
            connection.close()
        close_old_connections()
        time.sleep(settings.QV_WORKER_POLL_SECONDS)


def _listen_for_echoes() -> None:
    while time.monotonic() - _Ears.heard_at < settings.QV_WORKER_DEAF_SECONDS:
        time.sleep(1)
    logger.error("nothing heard from the broker for %s s: exiting to be restarted", settings.QV_WORKER_DEAF_SECONDS)
    os._exit(EXIT_DEAF)


def _call_out() -> None:
    """Send echoes. In a thread of its own, since sending to a frozen broker may block."""
    while True:
        try:
            echo.apply_async(queue=_Ears.queue, retry=False)
        except Exception as error:
            logger.warning("no echo sent: %s", error)
        time.sleep(ECHO_SECONDS)
