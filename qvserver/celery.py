"""The Celery application: queues and the beat schedule."""

import os
from typing import Any

from celery import Celery
from celery.schedules import crontab
from celery.signals import setup_logging

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "qvserver.settings")

app = Celery("qvserver")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
# Celery would close the database connection after every task, and a new one costs more than a batch of verdicts.
# Broken connections are closed by `close_broken_connection`.
app.conf["CELERY_DB_REUSE_MAX"] = 1_000_000_000
app.conf.beat_schedule = {
    # What is missing is proven one deal at a time, and each has the next one begun: this begins with the first.
    "fill the calendar": {"task": "games.prove", "schedule": crontab(minute="*/10"), "options": {"expires": 600}},
    # The boards follow the end of a ban within a minute.
    "end bans": {"task": "games.end_bans", "schedule": crontab(), "options": {"expires": 60}},
    # Finds what no message announced.
    "review submissions": {"task": "games.review", "schedule": crontab(), "options": {"expires": 60}},
    "forget addresses": {"task": "games.forget_addresses", "schedule": crontab(minute=17)},
    # Whatever became over meanwhile gets its final ranks, and with them its medals.
    "close dailies": {"task": "leaderboards.close", "schedule": crontab(minute="*/5")},
    "let old guests go": {"task": "games.expire", "schedule": crontab(minute="17"), "options": {"expires": 3600}},
}


@setup_logging.connect
def keep_logging_as_django_has_it(**_: Any) -> None:
    """Celery would set the level of everything to its own."""


from . import worker  # noqa: E402, F401  (connects itself to Celery's signals)
