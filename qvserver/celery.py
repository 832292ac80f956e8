"""The Celery application: queues and the beat schedule."""

import os

from celery import Celery
from celery.schedules import crontab

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "qvserver.settings")

app = Celery("qvserver")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
# Celery would close the database connection after every task, and a new one costs more than a batch of verdicts.
# Broken connections are closed by `close_broken_connection`.
app.conf["CELERY_DB_REUSE_MAX"] = 1_000_000_000
app.conf.beat_schedule = {
    # Twice an hour, so that a beat which was away at midnight catches up soon; a published daily stays as it is.
    "publish dailies": {"task": "games.publish", "schedule": crontab(minute="1,31")},
    # Whatever became over meanwhile gets its final ranks, and with them its medals.
    "close dailies": {"task": "leaderboards.close", "schedule": crontab(minute="*/5")},
}

from . import worker  # noqa: E402, F401  (connects itself to Celery's signals)
