"""A whole server of its own, by `manage.py up` in a throwaway folder: for what breaks it, or fills it with rubbish."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Self

ROOT = Path(__file__).parent.parent
READY_SECONDS = 600.0

#: What names another server than the one that is started here.
_GIVEN = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "QV_DATA")


class Throwaway:
    """A server that runs inside the ``with`` block. Its folder goes with it, unless the block ends with an error."""

    def __init__(self, *, workers: int = 1, **environment: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="qvserver-", dir="/tmp"))
        self.data = self.folder / "data"
        self.log = self.folder / "log"
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.live_url = f"http://127.0.0.1:{self.port + 1}"
        self.environment = {**{k: v for k, v in os.environ.items() if k not in _GIVEN}, **environment}
        self._options = ["--data", str(self.data), "--port", str(self.port), "--workers", str(workers)]

    def start(self) -> None:
        """Start it, or start it again, and wait until it is ready."""
        with self.log.open("wb") as log:
            self.up = subprocess.Popen(
                [sys.executable, "manage.py", "up", "--without-solver", *self._options],
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=log,
            )
        try:
            self._wait_until_ready()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Stop it; its data stays."""
        self.up.terminate()
        self.up.wait()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.stop()
        if kind is None:
            shutil.rmtree(self.folder, ignore_errors=True)

    def manage(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command beside the server; its output is in the result."""
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env={**self.environment, "QV_DATA": str(self.data)},
            capture_output=True,
            text=True,
            check=False,
        )

    @property
    def database_url(self) -> str:
        """Where its PostgreSQL is."""
        return self._told("DATABASE_URL")

    @property
    def redis_url(self) -> str:
        """Where its Redis is."""
        return self._told("REDIS_URL")

    def _told(self, name: str) -> str:
        """What `up` notes for those who work beside it."""
        lines = (self.data / "up.env").read_text().splitlines()
        return next(line.partition("=")[2] for line in lines if line.startswith(f"{name}="))

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + READY_SECONDS
        while "Ctrl-C stops" not in self.log.read_text():
            if self.up.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the server doesn't start:\n{self.log.read_text()}")
            time.sleep(0.1)


def free_port() -> int:
    """A port that is free with the next one, the live service's: below those that outgoing connections use."""
    while True:
        port = random.randrange(10_000, 32_000, 2)
        with contextlib.suppress(OSError), socket.socket() as web, socket.socket() as live:
            web.bind(("127.0.0.1", port))
            live.bind(("127.0.0.1", port + 1))
            return port
