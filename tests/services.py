"""A pytest plugin: PostgreSQL and Redis of the tests' own, in a throwaway folder.

The addresses are set before Django reads its settings; the services start when the first test asks for a database.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from qvserver.embedded import Postgres, RedisServer

FOLDER = Path(tempfile.mkdtemp(prefix="qvserver-tests-", dir="/tmp"))
(FOLDER / "static").mkdir()
# The tests crash processes, not the machine: what was written needn't reach the disk.
POSTGRES = Postgres(FOLDER / "postgres", settings={"fsync": "off", "full_page_writes": "off"})
REDIS = RedisServer(FOLDER / "redis")

os.environ.update(
    DATABASE_URL=f"postgresql://postgres:@/postgres?host={FOLDER / 'postgres'}",
    REDIS_URL=REDIS.url,
    SECRET_KEY="only for tests",
    QV_DATA=str(FOLDER),
    QV_WORKER_POLL_SECONDS="0.2",
    # All calls come from here; the tests of the limits take this away.
    QV_RATE_EXEMPT="127.0.0.1,::1",
)
# Compiling takes a minute: what was compiled stays, whatever is thrown away.
os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(__file__).parent.parent / ".pytest_cache" / "numba"))


def pytest_unconfigure() -> None:
    """Stop what was started, and remove the folder."""
    REDIS.stop()
    if POSTGRES.pid():
        POSTGRES.stop(crash=True)
    shutil.rmtree(FOLDER, ignore_errors=True)
