"""What is counted of boards, for Prometheus; `qvserver.metrics` shows it."""

from __future__ import annotations

from prometheus_client import Counter

_READS = Counter("qv_board_reads", "Reads of boards, by where the answer came from.", ["source"])

FROM_REDIS, FROM_POSTGRESQL = _READS.labels("redis"), _READS.labels("postgresql")
