"""``/metrics``: what Prometheus reads.

Each process counts for itself. Where several share a folder (``PROMETHEUS_MULTIPROC_DIR``, as under `up`), each answers
for all of them; else every web, live and worker process is read by itself. What stands in the database is read when it
is asked for, by the web alone, and is the same whichever of them is asked.
"""

from __future__ import annotations

import hmac
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import psutil
from django.conf import settings
from django.db import DatabaseError
from prometheus_client import REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector

from .state import State, read_state

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
_LOOPBACK = ("127.0.0.1", "::1")


def may_read(environ: Mapping[str, Any]) -> bool:
    """Whether a caller, given as in WSGI, may read: by the token, or without one from this machine and no proxy."""
    if settings.QV_METRICS_TOKEN:
        given = environ.get("HTTP_AUTHORIZATION", "").encode()
        return hmac.compare_digest(given, f"Bearer {settings.QV_METRICS_TOKEN}".encode())
    return environ.get("REMOTE_ADDR") in _LOOPBACK and "HTTP_X_FORWARDED_FOR" not in environ


def page(*, with_database: bool) -> bytes:
    """All metrics in Prometheus' text format."""
    folder = os.environ.get("PROMETHEUS_MULTIPROC_DIR")
    text = generate_latest(REGISTRY if folder is None else _shared(Path(folder)))
    if with_database:
        stored = CollectorRegistry()
        stored.register(_Stored())
        text += generate_latest(stored)
    return text


def _shared(folder: Path) -> CollectorRegistry:
    """What the processes have counted that share a folder; gauges of those only that still run."""
    for file in folder.glob("gauge_live*.db"):
        pid = int(file.stem.rpartition("_")[2])
        if not psutil.pid_exists(pid):
            mark_process_dead(pid)  # type: ignore[no-untyped-call]
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return registry


class _Stored(Collector):
    """What stands in PostgreSQL and Redis."""

    def collect(self) -> Iterator[Metric]:
        began = time.perf_counter()
        try:
            state = read_state()
        except DatabaseError:
            yield _gauge("qv_database_up", "Whether PostgreSQL answers.", 0)
            return
        yield from _gauges(state)
        yield _gauge("qv_state_seconds", "Reading all this.", time.perf_counter() - began)


def _gauges(state: State) -> Iterator[Metric]:
    yield _gauge("qv_database_up", "Whether PostgreSQL answers.", 1)
    yield _gauge("qv_redis_up", "Whether Redis answers.", state.workers is not None)
    yield _gauge("qv_queue_depth", "Submissions that wait for their verdict.", state.depth)
    yield _gauge("qv_queue_age_seconds", "How long the oldest of them has waited.", state.age.total_seconds())
    yield _gauge("qv_missing_dailies", "Places in the calendar without a daily.", len(state.missing))
    urgent = sum(slot.date <= state.tomorrow for slot in state.missing)
    yield _gauge("qv_missing_dailies_urgent", "Those of today and tomorrow.", urgent)
    alive = GaugeMetricFamily("qv_alive", "Processes that were heard lately.", labels=["part"])
    for part in ("verdicts", "solver", "beat"):
        alive.add_metric([part], (state.workers or {}).get(part, 0))
    yield alive


def _gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(name, text, value=value)
