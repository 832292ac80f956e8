"""What is counted of the server itself, for Prometheus; `qvserver.metrics` shows it."""

from __future__ import annotations

from functools import cache

from prometheus_client import Counter, Gauge, Histogram

#: Of a process that has died nothing is left.
STREAMS = Gauge("qv_live_streams", "Event streams open at the live service.", multiprocess_mode="livesum")

REQUEST_SECONDS = Histogram(
    "qv_request_seconds",
    "Answering a request of the web.",
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0),
)

_RESPONSES = Counter("qv_responses", "Answers of the web, by status.", ["status"])


@cache
def responses(status: str) -> Counter:
    """The counter of answers with a status, as 404."""
    return _RESPONSES.labels(status)
