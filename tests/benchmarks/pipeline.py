"""What a ranked game costs: CPU of web, worker, beat, live, PostgreSQL and Redis, from a server of its own.

On the server 10,000 players have played ten dailies each. Players are guests who start today's deal, submit a won Forty
Thieves log, each another one, and ask until it is ranked. The first figure is for new guests, the second for players
who are already there; then players come at half of that rate, and what is measured is how long they wait. Each has an
address of its own, calls are limited as everywhere, and nobody is flagged as too fast: these are games of honest
people. The clients' cost isn't counted.

The unit is the bare loop over one won game (`tests.benchmarks.engine`), so that figures travel between machines: at its
best, on a machine that does nothing else. What runs beside slows games and loop alike, so a process runs the loop now
and then while the games are played, and the figures are told in the mean of those too.
"""

from __future__ import annotations

import contextlib
import http.client
import ipaddress
import itertools
import json
import multiprocessing
import statistics
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from typing import Any, Self

import psutil

from qvserver.throwaway import ROOT, Throwaway

from . import engine, growth

CODE = "FT1-N-AAAAAAV"
PLAYERS = 2000
#: Submissions that are there already, and the number of the first player who made them.
STORED, FIRST = 100_000, 1000
THREADS = 96
#: Limits are counted, and nobody comes near them.
SETTINGS = {
    "DAILY_MODES": "kl-d1v",
    "QV_PROXIES": "1",
    "QV_RATES": " ".join(f"{scope}:100000/minute:1000000/minute" for scope in ("call", "guest", "play", "practice")),
    "QV_HAND_MS": "0",
}
#: How long players wait before they ask for their rank, each time.
PAUSES = {"full load": 0.3, "half load": 0.02}


def won_log() -> str:
    """The log that wins `CODE`."""
    games = json.loads((ROOT / "tests/vectors/codes.json").read_text())
    return str(next(game["log"] for game in games if game["code"] == CODE))


def many_logs(log: str) -> Iterator[str]:
    """The log with some cards drawn and put back on the way, each time otherwise: all win."""
    actions = log.split()
    draws = [place for place, action in enumerate(actions) if action == "d"]
    for places in itertools.combinations(draws, 3):
        yield " ".join(f"d u {action}" if place in places else action for place, action in enumerate(actions))


class Stack(Throwaway):
    """A server of its own with a Forty Thieves daily whose winning log is known."""

    def __init__(self) -> None:
        super().__init__(**SETTINGS)

    def __enter__(self) -> Self:
        super().__enter__()
        self.publish()
        return self

    def publish(self) -> None:
        """Publish the daily, if it isn't there yet."""
        proof = {"code": CODE, "log": won_log(), "seconds": 0, "effort": 0, "solver_version": 0}
        (self.folder / "proof").write_text(json.dumps(proof))
        self.manage("publish_daily", "--mode", "ft-n", "--proofs", str(self.folder / "proof"))

    def manage(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command beside the server. Raises `CalledProcessError` where it fails."""
        done = super().manage(*arguments)
        done.check_returncode()
        return done

    def processes(self) -> list[psutil.Process]:
        """All processes of the server but `up` itself."""
        postmaster = psutil.Process(int((self.data / "postgres/postmaster.pid").read_text().split()[0]))
        children = psutil.Process(self.up.pid).children(recursive=True)
        return [*children, postmaster, *postmaster.children(recursive=True)]

    def cpu_seconds(self) -> Counter[str]:
        """CPU used so far, by part."""
        used: Counter[str] = Counter()
        for process in self.processes():
            try:
                times, words = process.cpu_times(), " ".join(process.cmdline())
            except psutil.NoSuchProcess:
                continue
            used[part_of(words)] += times.user + times.system + (times.children_user if "postgres" in words else 0)
        return used


_MARKS = {
    "postgres:": "postgres",
    "qvserver.asgi": "live",
    "granian": "web",
    "worker": "worker",
    "beat": "beat",
    "redis": "redis",
}


def part_of(words: str) -> str:
    """Which part of the server a command line belongs to."""
    for mark, part in _MARKS.items():
        if mark in words:
            return part
    return "postgres"


class Player:
    """A player; those of one thread share a connection, as behind a proxy."""

    local = threading.local()
    addresses = itertools.count(1)

    def __init__(self, port: int) -> None:
        self.port = port
        address = ipaddress.IPv4Address("10.0.0.0") + next(self.addresses)
        self.headers = {"Content-Type": "application/json", "X-Forwarded-For": str(address)}
        self.asked = 0

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

    def play(self, challenge: int, log: str, pause: float) -> float:
        """Start, submit, ask until ranked; returns the seconds from the submission to the rank."""
        attempt = self.call("POST", f"challenges/{challenge}/attempts/")
        began = time.perf_counter()
        body = {"log": log, "claimed_score": 1230, "client": "bench/1"}
        submission = self.call("PUT", f"attempts/{attempt['id']}/submission/", body)
        shown = submission
        while shown["state"] == "pending":
            time.sleep(pause)
            shown = self.call("GET", f"submissions/{submission['id']}/")
            self.asked += 1
        if not shown["verdict"]["won"]:
            raise SystemExit(f"not won: {shown}")
        return time.perf_counter() - began


def run(players: list[Player], work: Callable[[Player], float], rate: float | None = None) -> tuple[float, list[float]]:
    """Seconds that all the work took in `THREADS` threads, and what each piece returned; ``rate`` begin a second."""
    queue, results = list(players), []
    began = time.perf_counter()

    def take() -> None:
        with contextlib.suppress(IndexError):
            while True:
                player, number = queue.pop(), len(players) - len(queue)
                if rate is not None:
                    time.sleep(max(0.0, began + number / rate - time.perf_counter()))
                results.append(work(player))

    threads = [threading.Thread(target=take) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if len(results) < len(players):
        raise SystemExit("a player failed")
    return time.perf_counter() - began, results


class Unit:
    """The bare loop over one won game, in microseconds of CPU, while other work goes on."""

    def __init__(self) -> None:
        #: At its best, before other work goes on.
        self.best = unit_microseconds()

    def __enter__(self) -> Unit:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_sample_unit, args=(theirs,), daemon=True)
        self._process.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()

    def begin(self) -> None:
        """Forget what was measured before."""
        self.end()

    def end(self) -> float:
        """The mean since `begin`, as what is told in it is a mean over the same time."""
        self._pipe.send(None)
        return statistics.fmean(self._pipe.recv())


def _sample_unit(pipe: Connection) -> None:
    games, samples = engine.won_games(), []
    while True:
        samples.append(engine.seconds(engine.bare, games, rounds=1) / len(games) * 1e6)
        if pipe.poll(0.1):
            pipe.recv()
            pipe.send(samples)
            samples = []


def report(title: str, stack: Stack, players: list[Player], work: Callable[[Player], float], unit: Unit) -> float:
    """Run the work and print what it cost; returns the games a second."""
    unit.begin()
    before = stack.cpu_seconds()
    seconds, _ = run(players, work)
    used = stack.cpu_seconds() - before
    microseconds = unit.end()
    total = sum(used.values()) / len(players) * 1000
    parts = ", ".join(f"{part} {used[part] / len(players) * 1000:.2f}" for part in sorted(used))
    asked = sum(player.asked for player in players) / len(players)
    print(f"{title}: {len(players)} games, {len(players) / seconds:.0f} games/s, asked {asked:.1f} times each")
    units = (f"{total * 1000 / unit:.0f} units of {unit:.0f} us" for unit in (unit.best, microseconds))
    print(f"  CPU per game: {total:.2f} ms = {' at its best, '.join(units)} as it ran beside  ({parts})")
    for player in players:
        player.asked = 0
    return len(players) / seconds


def unit_microseconds() -> float:
    """The bare loop over one won game, best of 20."""
    games = engine.won_games()
    return min(engine.seconds(engine.bare, games) for _ in range(20)) / len(games) * 1e6


def main() -> None:
    """Run the benchmark on a server of its own and print the figures."""
    logs = list(itertools.islice(many_logs(won_log()), 4 * PLAYERS))
    with Unit() as unit, Stack() as stack:
        players = [Player(stack.port) for _ in range(PLAYERS)]
        challenge = next(c["id"] for c in players[0].call("GET", "challenges/today/")["items"] if c["mode"] == "ft-n")

        growth.fill(stack.database_url, STORED, challenge, won_log(), first=FIRST)
        stack.manage("rebuild_boards", "--challenge", str(challenge))

        def play(player: Player) -> float:
            return player.play(challenge, logs.pop(), PAUSES["full load"])

        def newcomer(player: Player) -> float:
            player.sign_up()
            return play(player)

        run([Player(stack.port) for _ in range(200)], newcomer)
        report("new guest, deal, log, verdict, rank", stack, players, newcomer, unit)
        rate = report("the same by a player who is there", stack, players, play, unit)
        _, waits = run(
            players[: PLAYERS // 2], lambda player: player.play(challenge, logs.pop(), PAUSES["half load"]), rate / 2
        )
        quantiles = statistics.quantiles(waits, n=100)
        print(f"submit to ranked at half load ({rate / 2:.0f} games/s):", end=" ")
        print(f"p50 {quantiles[49] * 1000:.0f} ms, p99 {quantiles[98] * 1000:.0f} ms")


if __name__ == "__main__":
    main()
