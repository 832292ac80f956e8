"""What a ranked game costs: CPU of web, worker, beat, PostgreSQL and Redis, from a server of its own.

Players are guests who start today's deal, submit the same won Forty Thieves log and ask until it is ranked. The first
figure is for new guests, the second for players who are already there. The unit is the bare loop over one won game
(`tests.benchmarks.engine`), measured in the same run, so that figures travel between machines.
"""

from __future__ import annotations

import http.client
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

from . import engine

ROOT = Path(__file__).parent.parent.parent
CODE = "FT1-N-AAAAAAV"
PLAYERS = 2000
THREADS = 32


def won_log() -> str:
    """The log that wins `CODE`."""
    games = json.loads((ROOT / "tests/vectors/codes.json").read_text())
    return str(next(game["log"] for game in games if game["code"] == CODE))


class Stack:
    """A `manage.py up` in a throwaway folder, with a Forty Thieves daily whose winning log is known."""

    def __enter__(self) -> Stack:
        self.folder = Path(tempfile.mkdtemp(prefix="qvserver-bench-", dir="/tmp"))
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        given = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "QV_DATA")
        self.environment = {**{k: v for k, v in os.environ.items() if k not in given}, "DAILY_MODES": "kl-d1v"}
        command = ["manage.py", "up", "--without-solver", "--data", str(self.folder / "data"), "--port", str(self.port)]
        self.log = (self.folder / "log").open("wb")
        self.up = subprocess.Popen(
            [sys.executable, *command], cwd=ROOT, env=self.environment, stdout=self.log, stderr=self.log
        )
        while b"Ctrl-C stops" not in (self.folder / "log").read_bytes():
            if self.up.poll() is not None:
                raise SystemExit((self.folder / "log").read_text())
            time.sleep(0.2)
        proof = {"code": CODE, "log": won_log(), "seconds": 0, "effort": 0, "solver_version": 0}
        (self.folder / "proof").write_text(json.dumps(proof))
        self.manage("publish_daily", "--mode", "ft-n", "--proofs", str(self.folder / "proof"))
        return self

    def manage(self, *arguments: str) -> None:
        """Run a command beside the server."""
        environment = {**self.environment, "QV_DATA": str(self.folder / "data")}
        subprocess.run(
            [sys.executable, "manage.py", *arguments], cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL
        )

    def __exit__(self, *_: object) -> None:
        self.up.terminate()
        self.up.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def cpu_seconds(self) -> Counter[str]:
        """CPU used so far, by part."""
        used: Counter[str] = Counter()
        processes = psutil.Process(self.up.pid).children(recursive=True)
        postmaster = int((self.folder / "data/postgres/postmaster.pid").read_text().split()[0])
        processes += [psutil.Process(postmaster), *psutil.Process(postmaster).children(recursive=True)]
        for process in processes:
            try:
                times, words = process.cpu_times(), " ".join(process.cmdline())
            except psutil.NoSuchProcess:
                continue
            used[part_of(words)] += times.user + times.system + (times.children_user if "postgres" in words else 0)
        return used


_MARKS = {"qvserver.asgi": "live", "granian": "web", "worker": "worker", "beat": "beat", "redis": "redis"}


def part_of(words: str) -> str:
    """Which part of the server a command line belongs to."""
    for mark, part in _MARKS.items():
        if mark in words:
            return part
    return "postgres"


class Player:
    """A player; those of one thread share a connection, as behind a proxy."""

    local = threading.local()

    def __init__(self, port: int) -> None:
        self.port = port
        self.headers = {"Content-Type": "application/json"}

    def call(self, method: str, address: str, body: Any = None) -> Any:
        """The JSON of an answer."""
        data = None if body is None else json.dumps(body)
        if not hasattr(self.local, "connection"):
            self.local.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection = self.local.connection
        connection.request(method, f"/api/v1/{address}", data, self.headers)
        answer = connection.getresponse()
        content = answer.read()
        if answer.status >= 300:
            raise SystemExit(f"{method} {address}: {answer.status} {content[:300]!r}")
        return json.loads(content)

    def sign_up(self) -> None:
        """Become a new guest."""
        self.headers["Authorization"] = "Token " + self.call("POST", "players/guest/")["token"]

    def play(self, challenge: int, log: str) -> float:
        """Start, submit, ask until ranked; returns the seconds from the submission to the rank."""
        attempt = self.call("POST", f"challenges/{challenge}/attempts/")
        began = time.perf_counter()
        body = {"log": log, "claimed_score": 1230, "client": "bench/1"}
        submission = self.call("PUT", f"attempts/{attempt['id']}/submission/", body)
        time.sleep(0.05)
        while (shown := self.call("GET", f"submissions/{submission['id']}/"))["state"] == "pending":
            time.sleep(0.05)
        assert shown["state"] == "verified" and shown["verdict"]["won"]
        return time.perf_counter() - began


def run(players: list[Player], work: Callable[[Player], float]) -> tuple[float, list[float]]:
    """Seconds that all the work took in `THREADS` threads, and what each piece returned."""
    queue, results = list(players), []

    def take() -> None:
        while queue:
            results.append(work(queue.pop()))

    threads = [threading.Thread(target=take) for _ in range(THREADS)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - began, results


def report(title: str, stack: Stack, players: list[Player], work: Callable[[Player], float], unit: float) -> None:
    """Run the work and print what it cost."""
    before = stack.cpu_seconds()
    seconds, latencies = run(players, work)
    used = stack.cpu_seconds() - before
    total = sum(used.values()) / len(players) * 1000
    parts = ", ".join(f"{part} {used[part] / len(players) * 1000:.2f}" for part in sorted(used))
    quantiles = statistics.quantiles(latencies, n=100)
    print(f"{title}: {len(players)} games, {len(players) / seconds:.0f} games/s")
    print(f"  CPU per game: {total:.2f} ms = {total * 1000 / unit:.0f} units  ({parts})")
    print(f"  submit to ranked: p50 {quantiles[49] * 1000:.0f} ms, p99 {quantiles[98] * 1000:.0f} ms")


def unit_microseconds() -> float:
    """The bare loop over one won game, best of 20."""
    games = engine.won_games()
    return min(engine.seconds(engine.bare, games) for _ in range(20)) / len(games) * 1e6


def main() -> None:
    """Run the benchmark on a server of its own and print the figures."""
    log = won_log()
    unit = unit_microseconds()
    print(f"unit: {unit:.1f} microseconds")
    with Stack() as stack:
        players = [Player(stack.port) for _ in range(PLAYERS)]
        challenge = next(c["id"] for c in players[0].call("GET", "challenges/today/")["items"] if c["mode"] == "ft-n")

        def newcomer(player: Player) -> float:
            player.sign_up()
            return player.play(challenge, log)

        run([Player(stack.port) for _ in range(100)], newcomer)
        report("new guest, deal, log, verdict, rank", stack, players, newcomer, unit)
        report("the same by a player who is there", stack, players, lambda p: p.play(challenge, log), unit)
        print(f"unit again: {unit_microseconds():.1f} microseconds")


if __name__ == "__main__":
    main()
