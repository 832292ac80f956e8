"""How the live service carries many open connections: latencies, what the web does beside it, memory.

Players hold an event stream each and watch today's board. Some of them play: they start an attempt, submit a won Forty
Thieves log, wait for its verdict at the live service and read the board. Meanwhile something is announced to all twice
a second. Everything, clients included, runs on one machine; the listening clients have a process of their own. What is
played is measured without and with the open streams, in the same run.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import multiprocessing
import statistics
import sys
import threading
import time
from collections import Counter
from multiprocessing.connection import Connection
from typing import Any

import psutil
from redis import Redis

from .pipeline import Player, Stack, part_of, run, unit_microseconds, won_log

STREAMS = 1000
GAMES = 600
#: Streams opened at once: as many as there would be after a restart would only measure the client.
OPENING = 50
ANNOUNCE_SECONDS = 0.5
#: How long announcements are measured while nobody plays.
REST_SECONDS = 10.0

Arrivals = dict[str, list[tuple[Any, float]]]


async def _listen(
    port: int, headers: dict[str, str], challenge: int, arrivals: Arrivals, opened: asyncio.Semaphore
) -> None:
    async with opened:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        lines = [f"GET /live/events/?watch={challenge} HTTP/1.1", "Host: bench"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        writer.write("\r\n".join([*lines, "", ""]).encode())
        answer = await reader.readline()
        while b"event: ready" not in (line := await reader.readline()):
            if not line:
                raise ConnectionError(f"a stream didn't open: {answer.decode()}")
    arrivals["ready"].append((None, time.time()))
    name = ""
    while line := await reader.readline():
        if line.startswith(b"event: "):
            name = line[7:].decode().strip()
        elif line.startswith(b"data: ") and name:
            at, data = time.time(), json.loads(line[6:])
            key = data.get("submission") or data.get("title") or data.get("version")
            arrivals.setdefault(name, []).append((key, at))
            name = ""


def listen(port: int, players: list[dict[str, str]], challenge: int, pipe: Connection) -> None:
    """The process of the listening clients: it says when all are open, and what arrived when it is asked."""

    async def main() -> None:
        arrivals: Arrivals = {"ready": []}
        opening = asyncio.Semaphore(OPENING)
        tasks = [asyncio.create_task(_listen(port, headers, challenge, arrivals, opening)) for headers in players]
        while len(arrivals["ready"]) < len(players):
            await asyncio.sleep(0.1)
            if ended := next((task for task in tasks if task.done()), None):
                ended.result()
                raise SystemExit("a stream ended")
        pipe.send("open")
        while True:
            await asyncio.to_thread(pipe.recv)
            pipe.send((arrivals, sum(task.done() for task in tasks)))
            for name in arrivals:
                arrivals[name] = []

    asyncio.run(main())


class Announcer(threading.Thread):
    """Announces something to everybody again and again, and notes when."""

    def __init__(self, redis: Redis) -> None:
        super().__init__(daemon=True)
        self.redis = redis
        self.sent: dict[str, float] = {}
        self.is_stopped = threading.Event()

    def run(self) -> None:
        while not self.is_stopped.wait(ANNOUNCE_SECONDS):
            title = f"announcement {len(self.sent)} of {id(self)}"
            moment = "2026-01-01T00:00:00+00:00"
            self.sent[title] = time.time()
            facts = json.dumps([0, "ft-n", None, title, moment, moment])
            self.redis.xadd("qv:live", {"kind": "cancelled", "facts": facts})

    def stop(self) -> dict[str, float]:
        """When each was announced."""
        self.is_stopped.set()
        self.join()
        return self.sent


def quantiles(title: str, seconds: list[float]) -> None:
    """Print the median and the 99th percentile."""
    cuts = statistics.quantiles(seconds, n=100)
    print(f"  {title}: p50 {cuts[49] * 1000:.0f} ms, p99 {cuts[98] * 1000:.0f} ms  ({len(seconds)} arrivals)")


class Games:
    """Players who play through the web and wait at the live service."""

    def __init__(self, stack: Stack, challenge: int, log: str) -> None:
        self.stack, self.challenge, self.log = stack, challenge, log
        self.submitted: dict[int, float] = {}
        self.web_calls = 0

    def play(self, player: Player) -> float:
        """One game; returns the seconds from the submission to the verdict's answer."""
        attempt = player.call("POST", f"challenges/{self.challenge}/attempts/")
        began, wall = time.perf_counter(), time.time()
        submission = player.call("PUT", f"attempts/{attempt['id']}/submission/", {"log": self.log})["id"]
        self.submitted[submission] = wall
        live = http.client.HTTPConnection("127.0.0.1", self.stack.port + 1, timeout=60)
        live.request("GET", f"/live/submissions/{submission}/?wait=30", headers=player.headers)
        shown = json.loads(live.getresponse().read())
        live.close()
        if shown["state"] != "verified":
            raise SystemExit(f"no verdict: {shown}")
        seconds = time.perf_counter() - began
        player.call("GET", f"leaderboards/challenges/{self.challenge}/?limit=10")
        self.web_calls += 3
        return seconds

    def measure(self, title: str, players: list[Player], unit: float) -> None:
        """Let them play and print what it took."""
        self.web_calls = 0
        before = self.stack.cpu_seconds()
        seconds, waits = run(players, self.play)
        used = self.stack.cpu_seconds() - before
        print(f"{title}: {len(players) / seconds:.0f} games/s, {self.web_calls / seconds:.0f} web requests/s beside")
        parts = ", ".join(f"{part} {used[part] / len(players) * 1000:.2f}" for part in sorted(used))
        total = sum(used.values()) / len(players) * 1e6
        print(f"  CPU per game: {total / 1000:.2f} ms = {total / unit:.0f} units  ({parts})")
        quantiles("submitted to answered by /live/submissions/", waits)


def live_memory(stack: Stack) -> float:
    """Resident MiB of the live service's processes."""
    processes = psutil.Process(stack.up.pid).children(recursive=True)
    return sum(p.memory_info().rss for p in processes if part_of(" ".join(p.cmdline())) == "live") / 2**20


def arrived(pipe: Connection) -> Arrivals:
    """What arrived since the last time."""
    pipe.send("report")
    arrivals, ended = pipe.recv()
    if ended:
        print(f"  {ended} streams ended meanwhile")
    return arrivals


def fan_out(title: str, sent: dict[str, float], arrivals: Arrivals) -> None:
    """Print how long announcements took to all."""
    seconds = [at - sent[key] for key, at in arrivals.get("cancelled", []) if key in sent]
    quantiles(title, seconds)
    if len(seconds) != STREAMS * len(sent):
        print(f"  {STREAMS * len(sent) - len(seconds)} announcements didn't arrive")


def main() -> None:
    """Run the benchmark on a server of its own and print the figures."""
    unit = unit_microseconds()
    print(f"unit: {unit:.1f} microseconds")
    with Stack() as stack:
        players = [Player(stack.port) for _ in range(STREAMS)]
        challenge = next(c["id"] for c in players[0].call("GET", "challenges/today/")["items"] if c["mode"] == "ft-n")
        run(players, lambda player: player.sign_up() or 0.0)
        games = Games(stack, challenge, won_log())
        run(players[:64], games.play)
        games.measure("without open streams", players[:GAMES], unit)
        bare = live_memory(stack)

        context = multiprocessing.get_context("spawn")
        pipe, their_end = context.Pipe()
        headers = [player.headers for player in players]
        clients = context.Process(target=listen, args=(stack.port + 1, headers, challenge, their_end), daemon=True)
        began, cpu = time.perf_counter(), stack.cpu_seconds()
        clients.start()
        # With an end left here nobody would hear that the clients have died.
        their_end.close()
        pipe.recv()
        seconds, used = time.perf_counter() - began, stack.cpu_seconds() - cpu
        print(f"{STREAMS} streams opened in {seconds:.1f} s, CPU {sum(used.values()) / STREAMS * 1000:.2f} ms each")
        memory = live_memory(stack)
        print(f"  memory of live: {bare:.0f} MiB before, {memory:.0f} MiB with them")

        redis = Redis.from_url(stack.redis_url)
        announcer = Announcer(redis)
        announcer.start()
        cpu, began = stack.cpu_seconds(), time.perf_counter()
        time.sleep(REST_SECONDS)
        sent = announcer.stop()
        time.sleep(2)
        used = stack.cpu_seconds() - cpu
        print(f"at rest, live takes {used['live'] / (time.perf_counter() - began) * 100:.0f} % of a core")
        fan_out("announced to arrived at all", sent, arrived(pipe))

        announcer = Announcer(redis)
        announcer.start()
        games.measure(f"with {STREAMS} open streams", players[:GAMES], unit)
        sent = announcer.stop()
        time.sleep(2)
        arrivals = arrived(pipe)
        fan_out("announced to arrived at all", sent, arrivals)
        verdicts = arrivals.get("verdict", [])
        quantiles("submitted to arrived as an event", [at - games.submitted[key] for key, at in verdicts])
        boards = Counter(key for key, _ in arrivals.get("board", []))
        print(f"  {sum(boards.values())} events of the watched board")
        print(f"  memory of live: {live_memory(stack):.0f} MiB")
        clients.kill()


if __name__ == "__main__":
    sys.exit(main())
