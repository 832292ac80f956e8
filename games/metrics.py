"""What is counted of games, for Prometheus; `qvserver.metrics` shows it."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterable

from prometheus_client import Counter, Histogram

RECEIVED = Counter("qv_submissions_received", "Logs taken in, each of them once.")

#: Of one log, in seconds: a won game takes some tenths of a millisecond.
VERIFY_SECONDS = Histogram(
    "qv_verify_seconds",
    "Replaying one log.",
    buckets=(0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.1, 1.0),
)

_VERDICTS = Counter("qv_verdicts", "Submissions that got their verdict, or on which the engine broke.", ["state"])
for _state in ("verified", "rejected", "failed"):
    _VERDICTS.labels(_state)


def count_verdicts(states: Iterable[str]) -> None:
    """Count verdicts that were committed."""
    for state, count in Tally(states).items():
        _VERDICTS.labels(state).inc(count)
