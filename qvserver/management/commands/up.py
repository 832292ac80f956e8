"""`manage.py up`: the whole server under one command."""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import functools
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import IO, Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from qvserver.embedded import Postgres, RedisServer, ServiceError
from qvserver.supervisor import Embedded, Log, Service, Supervisor, end_leftovers, python

READY_SECONDS = 60.0

#: PostgreSQL on a machine that does other work as well.
POSTGRES_SETTINGS = {
    "shared_buffers": "256MB",
    "max_connections": "100",
    "wal_compression": "on",
    # Telling `ps` of each statement costs some microseconds of it.
    "update_process_title": "off",
}


_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class _Stop(Exception):
    """Somebody asked the server to stop."""


class StopRequest:
    """Notes the signals that ask the server to stop, and tells of them where nothing is half done.

    A handler that raised would do so between any two instructions, as well inside `Popen.poll()`, whose lock nobody
    gives back then. An Event has such a lock too.
    """

    def __init__(self) -> None:
        self.is_made = False
        for number in _SIGNALS:
            signal.signal(number, self._note)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.is_made = True

    def check(self) -> None:
        """Raise `_Stop` if somebody has asked."""
        if self.is_made:
            raise _Stop


class Command(BaseCommand):
    help = (
        "Run the whole server: PostgreSQL, Redis, web, live, worker, solver and beat. Ctrl-C stops it; the next start"
        " finds all data. DATABASE_URL and REDIS_URL, if set, are used instead of embedded services."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (127.0.0.1)")
        parser.add_argument(
            "--port", type=int, default=8000, help="port to listen on (8000); the live service takes the next one"
        )
        parser.add_argument("--data", type=Path, default=settings.QV_DATA, help=f"data folder ({settings.QV_DATA})")
        parser.add_argument("--workers", type=int, default=1, help="worker processes that verify logs (1)")
        parser.add_argument(
            "--without-solver", action="store_true", help="publish no dailies; manage.py publish_daily does it by hand"
        )
        parser.add_argument("--demo", action="store_true", help="let a few hundred bots play today's dailies")

    def handle(self, *args: Any, **options: Any) -> None:
        data: Path = options["data"].expanduser().resolve()
        host, port = options["host"], options["port"]
        for needed in (port, port + 1):
            _check_port(host, needed)
        self._stop = StopRequest()
        log = Log(sys.stdout)
        with _locked(data), contextlib.ExitStack() as stack:
            stack.callback(log.line, "up", "stopped")
            try:
                self._run(data, host, port, options, log, stack)
            except (_Stop, ServiceError, CommandError) as error:
                # Ctrl-C reaches what starts PostgreSQL as well, which then fails: that is no error.
                if not self._stop.is_made:
                    raise CommandError(str(error)) from error
                log.line("up", "stopping")
            finally:
                # Whoever is impatient and asks again must not leave a half-stopped server behind. What helps to stop
                # it inherits this.
                for number in _SIGNALS:
                    signal.signal(number, signal.SIG_IGN)

    def _run(
        self, data: Path, host: str, port: int, options: dict[str, Any], log: Log, stack: contextlib.ExitStack
    ) -> None:
        if left := end_leftovers(data / "up.pids"):
            log.line("up", f"ended {left} processes that an earlier start had left behind")
        if not options["without_solver"]:
            # Compiling takes a while the first time: it begins before all else, both solvers side by side.
            _compile_solver(data, stack)
        environment, embedded = self._start_services(data, host, log, stack)
        environment.setdefault("QV_LIVE_URL", f":{port + 1}")
        self._stop.check()
        self._manage(environment, log, "prepare")
        supervisor = Supervisor(environment, log, data / "up.pids", embedded)
        stack.callback(supervisor.stop)
        supervisor.start("web", _web_command(host, port))
        supervisor.start("live", live_command(host, port + 1))
        for number in range(1, options["workers"] + 1):
            supervisor.start(f"worker{number}", _worker("verdicts", f"verdicts{number}"))
        if not options["without_solver"]:
            supervisor.start("solver", _worker("solver", "solver"))
        supervisor.start("beat", _celery("beat", "-s", str(data / "beat-schedule")))
        near = f"http://{'127.0.0.1' if host == '0.0.0.0' else host}"
        address = f"{near}:{port}"
        self._wait_until_ready(f"{address}/readyz", supervisor)
        self._wait_until_ready(f"{near}:{port + 1}/healthz", supervisor)
        log.line("up", f"ready at {address}/  (API: {address}/api/v1/docs/)")
        self._manage(environment, log, "admin_link", "--url", address)
        log.line("up", "Ctrl-C stops everything; your data stays in " + str(data))
        if options["demo"]:
            threading.Thread(target=_demonstrate, args=(address, environment, stack), daemon=True).start()
        while True:
            self._stop.check()
            supervisor.look_after()
            time.sleep(0.2)

    def _start_services(
        self, data: Path, host: str, log: Log, stack: contextlib.ExitStack
    ) -> tuple[dict[str, str], list[Embedded]]:
        """Start what isn't given, and note for other commands where it is.

        Returns the environment of all processes, and what was started.
        """
        embedded = []
        given: dict[str, str] = settings.QV_GIVEN
        found = {"SECRET_KEY": given.get("SECRET_KEY") or _secret_key(data), "QV_DATA": str(data)}
        found["NUMBA_CACHE_DIR"] = _numba_cache(data)
        if "DATABASE_URL" in given:
            found["DATABASE_URL"] = given["DATABASE_URL"]
        else:
            postgres = Postgres(data / "postgres", settings=POSTGRES_SETTINGS)
            self._stop.check()
            log.line("postgres", "starting")
            found["DATABASE_URL"] = postgres.start()
            stack.callback(postgres.stop)
            embedded.append(Embedded("postgres", postgres.is_running, postgres.start))
        if "REDIS_URL" in given:
            found["REDIS_URL"] = given["REDIS_URL"]
        else:
            redis = RedisServer(data / "redis")
            self._stop.check()
            log.line("redis", "starting")
            start = functools.partial(redis.start, output=subprocess.DEVNULL)
            found["REDIS_URL"] = start()
            stack.callback(redis.stop)
            embedded.append(Embedded("redis", redis.is_running, start))
        if "QV_RATE_EXEMPT" not in os.environ and not settings.QV_PROXIES:
            # Without a proxy in front, who comes from this machine sits at it.
            found["QV_RATE_EXEMPT"] = "127.0.0.1,::1"
        if host not in settings.ALLOWED_HOSTS and "ALLOWED_HOSTS" not in os.environ:
            found["ALLOWED_HOSTS"] = ",".join(
                [*settings.ALLOWED_HOSTS, socket.gethostname(), host.replace("0.0.0.0", "*")]
            )
        (data / "static").mkdir(exist_ok=True)
        _write_private(data / "up.env", "".join(f"{name}={value}\n" for name, value in found.items()))
        stack.callback((data / "up.env").unlink, missing_ok=True)
        environment = {"PYTHONUNBUFFERED": "1", "PROMETHEUS_MULTIPROC_DIR": _metrics_folder(data)}
        return {**os.environ, **found, **environment}, embedded

    def _manage(self, environment: dict[str, str], log: Log, *arguments: str) -> None:
        """Run a command and show what it says, until it ends or somebody asks the server to stop."""
        command = Service(arguments[0], python("manage.py", *arguments))
        process, reader = command.start(environment, log)
        try:
            while process.poll() is None:
                self._stop.check()
                time.sleep(0.05)
        except _Stop:
            process.terminate()
            process.wait()
            raise
        finally:
            reader.join()
        if process.returncode:
            raise CommandError(f"manage.py {arguments[0]} failed, see above")

    def _wait_until_ready(self, url: str, supervisor: Supervisor) -> None:
        deadline = time.monotonic() + READY_SECONDS
        while time.monotonic() < deadline:
            self._stop.check()
            with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=2) as answer:
                if answer.status == 200:
                    return
            supervisor.look_after()
            time.sleep(0.1)
        raise CommandError(f"{url} doesn't answer after {READY_SECONDS:g} s: the log above says why.")


def _numba_cache(data: Path) -> str:
    """Where compiled code is kept: with the data, if nothing else was asked for."""
    return settings.QV_GIVEN.get("NUMBA_CACHE_DIR") or str(data / "numba")


def _metrics_folder(data: Path) -> str:
    """Where all processes count together, from nothing: the counters of dead ones would pile up."""
    folder = data / "metrics"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return str(folder)


def _compile_solver(data: Path, stack: contextlib.ExitStack) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": _numba_cache(data)}
    for solver in ("forty_thieves", "klondike"):
        compiling = subprocess.Popen(
            python("-m", "games.solver", solver), env=environment, cwd=settings.BASE_DIR, start_new_session=True
        )
        stack.callback(compiling.wait)
        stack.callback(compiling.kill)


def _web_command(host: str, port: int) -> list[str]:
    # A browser keeps its connection open: with fewer places, idle ones would keep the next players out.
    places = {"backlog": "4096", "backpressure": "4096"}
    return _granian("qvserver.wsgi:application", host, port, {"interface": "wsgi", "blocking-threads": "4", **places})


def live_command(host: str, port: int) -> list[str]:
    """The command line of the live service."""
    options = {"interface": "asgi", "backlog": "16384", "backpressure": "16384", "workers-kill-timeout": "5"}
    return _granian("qvserver.asgi:application", host, port, options)


def _granian(application: str, host: str, port: int, options: dict[str, str]) -> list[str]:
    options = {"host": host, "port": str(port), "workers": "1", "log-level": "warning", **options}
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    return python("-m", "granian", *words, application)


def _worker(queue: str, name: str) -> list[str]:
    # What workers tell each other is for clusters that somebody watches.
    return _celery("worker", "-Q", queue, "-n", f"{name}@up", "--without-gossip", "--without-mingle")


def _celery(*arguments: str) -> list[str]:
    return python("-W", "ignore::UserWarning", "-m", "celery", "-q", "-A", "qvserver", *arguments)


def _check_port(host: str, port: int) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or error
            raise CommandError(f"{host}:{port} can't be listened on ({reason}): choose another --port.") from error


@contextlib.contextmanager
def _locked(data: Path) -> Iterator[None]:
    """Hold the data folder. The kernel gives the lock back when its holder dies, however that happens."""
    try:
        data.mkdir(parents=True, exist_ok=True)
        file: IO[str] = (data / "up.lock").open("a+")
    except OSError as error:
        raise CommandError(
            f"The data folder {data} can't be used ({error.strerror}): choose another --data."
        ) from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.seek(0)
            raise CommandError(
                f"The server already runs on {data} (process {file.read().strip() or 'unknown'}): stop it first, or"
                " choose another --data."
            ) from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield


def _secret_key(data: Path) -> str:
    """The key of this data folder, made on first use."""
    path = data / "secret_key"
    if not path.exists():
        _write_private(path, secrets.token_urlsafe(50))
    return path.read_text()


def _write_private(path: Path, text: str) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(text)


def _demonstrate(address: str, environment: dict[str, str], stack: contextlib.ExitStack) -> None:
    """Let bots play as soon as today's dailies are there."""
    missing = True
    while missing:
        time.sleep(1)
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{address}/api/v1/challenges/today/") as answer:
            missing = bool(json.load(answer)["missing"])
    bots = python("manage.py", "simulate", "--players", "300", "--url", address)
    playing = subprocess.Popen(bots, env=environment, cwd=settings.BASE_DIR, start_new_session=True)
    stack.callback(playing.kill)
