"""Many players over HTTP: each a guest that plays one of today's dailies and wants to see it verified and ranked."""

from __future__ import annotations

import json
import statistics
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from random import Random
from typing import Any

import urllib3

from games.bot import play_game, spoil
from games.engine import Deal, parse_log, verify

CLIENT = "qvserver-simulate/1"
VERDICT_SECONDS = 60.0
#: One player in so many sends an illegal log; every other of them corrects it.
ILLEGAL_EVERY = 25

_TRIES = 8


class CallFailed(Exception):
    """The server answered with an error, or not at all, however often it was asked."""


@dataclass
class Totals:
    """What a simulation came to. ``latencies`` are seconds from a submission to its verdict."""

    players: int = 0
    seconds: float = 0.0
    submitted: Counter[str] = field(default_factory=Counter)
    verified: Counter[str] = field(default_factory=Counter)
    rejected: Counter[str] = field(default_factory=Counter)
    won: Counter[str] = field(default_factory=Counter)
    actions: list[int] = field(default_factory=list)
    latencies: list[float] = field(default_factory=list)
    retries: Counter[str] = field(default_factory=Counter)
    contradictions: list[str] = field(default_factory=list)

    @property
    def games_per_second(self) -> float:
        """Games verified and ranked, by the time that all submissions took."""
        return self.verified.total() / self.seconds if self.seconds else 0.0

    def latency(self, percent: int) -> float:
        """A percentile of the seconds from a submission to its verdict."""
        if len(self.latencies) < 2:
            return self.latencies[0] if self.latencies else 0.0
        return statistics.quantiles(self.latencies, n=100)[percent - 1]


@dataclass
class _Game:
    """A game ready to be submitted."""

    player: _Player
    attempt: int
    deal: Deal
    log: str
    correction: str | None


class _Player:
    """A guest, and its calls: each may be repeated until it is answered."""

    def __init__(self, url: str, pool: urllib3.PoolManager, note: Callable[[str], None]) -> None:
        self._url = url
        self._pool = pool
        self._note = note
        self._headers = {"Content-Type": "application/json"}
        self._headers["Authorization"] = "Token " + self.call("POST", "players/guest/")["token"]

    def call(self, method: str, address: str, body: Any = None) -> Any:
        """The JSON of an answer. Raises `CallFailed`."""
        data = None if body is None else json.dumps(body)
        what = "no answer"
        for attempt in range(_TRIES):
            pause = min(2.0, 0.05 * 2**attempt)
            try:
                answer = self._pool.request(
                    method, f"{self._url}/api/v1/{address}", body=data, headers=self._headers, retries=False
                )
            except urllib3.exceptions.HTTPError as error:
                what = type(error).__name__
            else:
                if answer.status < 300:
                    return answer.json()
                what = f"{answer.status} {answer.data[:300]!r}"
                if answer.status not in (429, 502, 503, 504):
                    break
                pause = float(answer.headers.get("Retry-After", pause))
            self._note(f"{method} {what[:3]}")
            time.sleep(pause)
        raise CallFailed(f"{method} {address}: {what}")


class Simulation:
    """Plays and judges: every verdict is compared with the engine's own, in this process."""

    def __init__(self, url: str, *, seed: int | None = None, threads: int = 8) -> None:
        self.totals = Totals()
        self._url = url.rstrip("/")
        self._threads = threads
        self._pool = urllib3.PoolManager(maxsize=threads, timeout=30.0)
        self._seeds = Random(seed)
        self._deals: dict[str, Deal] = {}
        self._lock = threading.Lock()

    def run(self, players: int, *, prepared: bool = False, progress: Callable[[], None] = lambda: None) -> Totals:
        """Let players play; ``progress`` is called once a player. Prepared games are all played before any is sent."""
        seeds = [(number, self._seeds.getrandbits(64)) for number in range(players)]
        with ThreadPoolExecutor(self._threads) as threads:
            began = time.perf_counter()
            if prepared:
                games = list(threads.map(self._prepare, seeds))
                began = time.perf_counter()
                done = threads.map(self._submit, games)
            else:
                done = threads.map(lambda seed: self._submit(self._prepare(seed)), seeds)
            for _ in done:
                progress()
        self.totals.seconds = time.perf_counter() - began
        self.totals.players += players
        return self.totals

    def _prepare(self, numbered_seed: tuple[int, int]) -> _Game:
        number, seed = numbered_seed
        random = Random(seed)
        player = _Player(self._url, self._pool, self._note_retry)
        dailies = [item for item in player.call("GET", "challenges/today/")["items"] if item["is_open"]]
        if not dailies:
            raise CallFailed("no daily is open: manage.py publish_daily publishes today's")
        attempt = player.call("POST", f"challenges/{random.choice(dailies)['id']}/attempts/")
        deal = self._deal(attempt["code"])
        log = play_game(deal, random=random)
        if number % ILLEGAL_EVERY == ILLEGAL_EVERY // 2:
            correction = log if number // ILLEGAL_EVERY % 2 == 0 else None
            return _Game(player, attempt["id"], deal, spoil(deal, log, random=random), correction)
        return _Game(player, attempt["id"], deal, log, None)

    def _deal(self, code: str) -> Deal:
        with self._lock:
            if code not in self._deals:
                self._deals[code] = Deal.parse(code)
            return self._deals[code]

    def _submit(self, game: _Game) -> None:
        self._judge(game, game.log)
        if game.correction is not None:
            self._judge(game, game.correction)

    def _judge(self, game: _Game, log: str) -> None:
        expected = verify(game.deal, log).to_dict()
        actions = len(parse_log(log))
        body = {
            "log": log,
            "claimed_score": expected["score"],
            "client": CLIENT,
            "times": [450 * n for n in range(1, actions + 1)],
        }
        began = time.perf_counter()
        submission = game.player.call("PUT", f"attempts/{game.attempt}/submission/", body)
        shown = self._wait_for_verdict(game.player, submission["id"])
        self._count(game.deal.mode, shown, expected, actions, time.perf_counter() - began)

    def _wait_for_verdict(self, player: _Player, submission: int) -> Any:
        deadline = time.perf_counter() + VERDICT_SECONDS
        pause = 0.02
        while time.perf_counter() < deadline:
            shown = player.call("GET", f"submissions/{submission}/")
            if shown["state"] != "pending":
                return shown
            time.sleep(pause)
            pause = min(0.5, pause * 1.5)
        raise CallFailed(f"submission {submission} has no verdict after {VERDICT_SECONDS:g} s")

    def _count(self, mode: str, shown: Any, expected: dict[str, Any], actions: int, seconds: float) -> None:
        verdict = {name: value for name, value in (shown["verdict"] or {}).items() if name != "rules_version"}
        with self._lock:
            totals = self.totals
            totals.submitted[mode] += 1
            totals.verified[mode] += shown["state"] == "verified"
            totals.rejected[mode] += shown["state"] == "rejected"
            totals.won[mode] += expected["won"] and expected["valid"]
            totals.actions.append(actions)
            totals.latencies.append(seconds)
            if verdict != expected:
                totals.contradictions.append(f"submission {shown['id']}: {verdict} is not {expected}")

    def _note_retry(self, what: str) -> None:
        with self._lock:
            self.totals.retries[what] += 1
