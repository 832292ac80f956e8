"""Keeps the processes of `manage.py up` running and their output in one readable log."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import psutil

from .embedded import ServiceError

STOP_SECONDS = 10.0
#: A process that ends is started again after this long, doubled each time it ended within a minute, up to the maximum.
RESTART_SECONDS = 0.5
RESTART_SECONDS_MAX = 30.0

_COLOURS = (36, 32, 33, 35, 34, 31)


class Log:
    """Prints lines of several processes, each with the name of its process in front."""

    def __init__(self, out: IO[str]) -> None:
        self._out = out
        self._lock = threading.Lock()
        self._colours: dict[str, int] = {}

    def line(self, name: str, text: str) -> None:
        """Print a line."""
        label = f"{name:<8}|"
        if self._out.isatty():
            colour = self._colours.setdefault(name, _COLOURS[len(self._colours) % len(_COLOURS)])
            label = f"\033[{colour}m{label}\033[0m"
        with self._lock:
            print(f"{time.strftime('%H:%M:%S')} {label} {text}", file=self._out, flush=True)

    def follow(self, name: str, stream: IO[bytes]) -> None:
        """Print what a process writes, until it closes its output."""
        for raw in stream:
            self.line(name, raw.decode("utf-8", "replace").rstrip())


@dataclass
class Service:
    """A process that has to run. It gets a session of its own, so that Ctrl-C reaches the supervisor alone."""

    name: str
    command: Sequence[str]
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    restart_at: float = 0.0
    pause: float = field(default=RESTART_SECONDS)

    def start(self, environment: Mapping[str, str], log: Log) -> tuple[subprocess.Popen[bytes], threading.Thread]:
        """Start the process, and the thread that shows what it writes."""
        process = subprocess.Popen(
            self.command,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        assert process.stdout is not None
        reader = threading.Thread(target=log.follow, args=(self.name, process.stdout), daemon=True)
        reader.start()
        self.process, self.started_at = process, time.monotonic()
        return process, reader

    def has_ended(self) -> bool:
        """Whether the process was started and runs no more."""
        return self.process is not None and self.process.poll() is not None


@dataclass
class Embedded:
    """PostgreSQL or Redis, which runs before the services do and is stopped after them, by its starter."""

    name: str
    is_running: Callable[[], bool]
    start: Callable[[], object]

    def look_after(self, log: Log) -> None:
        """Start it again where it has ended, which may take a while."""
        if self.is_running():
            return
        log.line(self.name, "has ended, starting again")
        try:
            self.start()
        except ServiceError as error:
            # What is left of the one that died may be in its way.
            log.line(self.name, str(error))


class Supervisor:
    """Starts services, starts them again when they end, and stops them all."""

    def __init__(
        self, environment: Mapping[str, str], log: Log, pid_file: Path, embedded: Sequence[Embedded] = ()
    ) -> None:
        self.environment = environment
        self.log = log
        self.services: list[Service] = []
        self._embedded = embedded
        self._is_stopping = threading.Event()
        # In a thread of its own: whatever a start of PostgreSQL takes, the services don't wait for it.
        self._keeper = threading.Thread(target=self._keep_embedded, name="keeper", daemon=True)
        self._keeper.start()
        self._pid_file = pid_file

    def start(self, name: str, command: Sequence[str]) -> None:
        """Start one service more."""
        service = Service(name, command)
        service.start(self.environment, self.log)
        self.services.append(service)
        self._write_pids()

    def look_after(self) -> None:
        """Start again what has ended. Call it now and then."""
        now = time.monotonic()
        for service in self.services:
            if service.restart_at and now >= service.restart_at:
                service.restart_at = 0.0
                service.start(self.environment, self.log)
                self._write_pids()
            elif not service.restart_at and service.has_ended():
                assert service.process is not None
                # Children that outlived it would hold its port and its work.
                _kill_groups([service.process.pid])
                short_lived = now - service.started_at < 60
                service.pause = min(service.pause * 2, RESTART_SECONDS_MAX) if short_lived else RESTART_SECONDS
                service.restart_at = now + service.pause
                self.log.line(
                    service.name, f"ended with {service.process.returncode}, starts again in {service.pause:g} s"
                )

    def stop(self) -> None:
        """End all services, the last started first: gently, then for good."""
        self._is_stopping.set()
        self._keeper.join()
        running = []
        for service in reversed(self.services):
            if service.process is not None and service.process.returncode is None:
                with contextlib.suppress(psutil.NoSuchProcess):
                    running.append(psutil.Process(service.process.pid))
                    running[-1].terminate()
        _, alive = psutil.wait_procs(running, timeout=STOP_SECONDS)
        _kill_groups([process.pid for process in alive])
        psutil.wait_procs(alive)
        self._pid_file.unlink(missing_ok=True)

    def _keep_embedded(self) -> None:
        while not self._is_stopping.wait(RESTART_SECONDS):
            for server in self._embedded:
                server.look_after(self.log)

    def _write_pids(self) -> None:
        """Note what runs, so that the next start can end what a killed supervisor left behind."""
        running = [psutil.Process(s.process.pid) for s in self.services if s.process and s.process.poll() is None]
        self._pid_file.write_text(json.dumps([[process.pid, process.create_time()] for process in running]))


def end_leftovers(pid_file: Path) -> int:
    """End the processes that a killed supervisor left behind; returns how many there were."""
    try:
        noted = json.loads(pid_file.read_text())
    except (OSError, ValueError):
        return 0
    left = []
    for pid, created in noted:
        with contextlib.suppress(psutil.NoSuchProcess):
            # A number may have gone to another process by now; the time of its start tells.
            if abs(psutil.Process(pid).create_time() - created) < 1:
                left.append(pid)
    _kill_groups(left)
    pid_file.unlink(missing_ok=True)
    return len(left)


def _kill_groups(pids: Sequence[int]) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)


def python(*arguments: str) -> list[str]:
    """A command of the Python that runs this."""
    return [sys.executable, *arguments]
