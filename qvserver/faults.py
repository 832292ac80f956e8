"""Breaks a running server, part by part, by a seeded schedule: SIGKILL, or SIGSTOP and later SIGCONT.

`up` starts again what was killed; nobody else helps. Redis keeps nothing on disk, so a killed one has lost its data.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

import psutil

PARTS = ("web", "live", "worker", "beat", "redis", "postgres")
HOWS = ("kill", "freeze")
#: How long a part stays frozen.
FREEZE_SECONDS = (0.3, 8.0)
#: The last blow finds games waiting: workers stand still for so long before it, and on until there is one.
PILE_UP_SECONDS, PILE_UP_SECONDS_MAX = 3.0, 60.0

_MARKS = {
    "qvserver.asgi": "live",
    "qvserver.wsgi": "web",
    "qvserver worker": "worker",
    "qvserver beat": "beat",
    "redis": "redis",
}
_TICK_SECONDS = 0.05


class Fault(NamedTuple):
    """What is done to which part, how long after the one before; ``choice`` (0 to 1) says to which of its processes."""

    pause: float
    part: str
    how: str
    seconds: float
    choice: float


def schedule(seed: int, pause: float) -> Iterator[Fault]:
    """Faults for ever, on average ``pause`` seconds apart. Each part is killed and frozen before any is so again."""
    random = Random(seed)
    while True:
        deck = [(part, how) for part in PARTS for how in HOWS]
        random.shuffle(deck)
        for part, how in deck:
            yield Fault(random.uniform(0, 2 * pause), part, how, random.uniform(*FREEZE_SECONDS), random.random())


class Victims:
    """The processes of a server that `up` keeps."""

    def __init__(self, up: int, data: Path) -> None:
        self._up = psutil.Process(up)
        self._postmaster = data / "postgres" / "postmaster.pid"

    def of(self, part: str) -> list[psutil.Process]:
        """The processes of a part, in a fixed order; of PostgreSQL its postmaster first. Empty while it is away."""
        if part == "postgres":
            return self._postgres()
        found = []
        for process in self._up.children():
            if _part_of(process) == part:
                found += [process, *_children(process)]
        return found

    def _postgres(self) -> list[psutil.Process]:
        try:
            postmaster = psutil.Process(int(self._postmaster.read_text().split()[0]))
            return [postmaster, *_children(postmaster)]
        except (OSError, ValueError, IndexError, psutil.NoSuchProcess):
            return []


def _children(process: psutil.Process) -> list[psutil.Process]:
    try:
        return process.children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def _part_of(process: psutil.Process) -> str | None:
    try:
        words = " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        return None
    return next((part for mark, part in _MARKS.items() if mark in words), None)


class Breaker(threading.Thread):
    """Strikes until it is told to `finish`, which it does with all parts killed at once.

    ``struck`` counts what was done, by part and how; ``count_waiting`` says how many games wait, None where nobody
    knows. Afterwards ``ended_at`` is the moment of the last blow, by ``time.time``, and ``waiting`` how many it found.
    """

    def __init__(self, victims: Victims, *, seed: int, pause: float, count_waiting: Callable[[], int | None]) -> None:
        super().__init__(name="breaker", daemon=True)
        self.struck: Counter[tuple[str, str]] = Counter()
        self.ended_at = 0.0
        self.waiting = 0
        self._count_waiting = count_waiting
        self._victims = victims
        self._schedule = schedule(seed, pause)
        self._random = Random(seed)
        self._frozen: list[tuple[float, psutil.Process]] = []
        self._is_last = threading.Event()

    def finish(self) -> None:
        """Have the last blow struck; `join` waits for it."""
        self._is_last.set()

    def run(self) -> None:
        """Strike."""
        for fault in self._schedule:
            if self._waits(fault.pause):
                break
            self._strike(fault)
        self._strike_all()

    def _waits(self, seconds: float) -> bool:
        """Wait, and let frozen processes go on in time; whether it was told to finish meanwhile."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and not self._is_last.is_set():
            self._thaw(time.monotonic())
            time.sleep(_TICK_SECONDS)
        return self._is_last.is_set()

    def _strike(self, fault: Fault) -> None:
        if not (processes := self._victims.of(fault.part)):
            return
        self.struck[fault.part, fault.how] += 1
        if fault.how == "kill":
            # Every other time the one that the others hang on.
            place = max(0.0, 2 * fault.choice - 1)
            _send(processes[int(place * len(processes))].kill)
        elif fault.part == "worker":
            self._freeze([processes[int(fault.choice * len(processes))]], fault.seconds)
        else:
            self._freeze(processes, fault.seconds)

    def _freeze(self, processes: list[psutil.Process], seconds: float) -> None:
        for process in processes:
            _send(process.suspend)
            self._frozen.append((time.monotonic() + seconds, process))

    def _thaw(self, now: float) -> None:
        for _, process in [entry for entry in self._frozen if entry[0] <= now]:
            _send(process.resume)
        self._frozen = [entry for entry in self._frozen if entry[0] > now]

    def _strike_all(self) -> None:
        self._thaw(float("inf"))
        self._pile_up()
        for part in PARTS:
            if processes := self._victims.of(part):
                self.struck[part, "kill"] += 1
                _send(processes[0].kill)
        self.ended_at = time.time()
        self._thaw(float("inf"))

    def _pile_up(self) -> None:
        """Hold the workers, one that is just starting too, until games wait. What takes them in may be down as well."""
        began = time.monotonic()
        held: list[psutil.Process] = []
        while not self.waiting or time.monotonic() < began + PILE_UP_SECONDS:
            if time.monotonic() > began + PILE_UP_SECONDS_MAX:
                break
            new = [process for process in self._victims.of("worker") if process not in held]
            self._freeze(new, PILE_UP_SECONDS_MAX)
            held += new
            self.waiting = self._count_waiting() or 0
            time.sleep(_TICK_SECONDS)


def _send(signal: Callable[[], None]) -> None:
    with contextlib.suppress(psutil.NoSuchProcess):
        signal()
