"""Many players over HTTP: each a guest that plays today's dailies and wants to see its games verified and ranked."""

from __future__ import annotations

import json
import statistics
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple, TypeVar

import urllib3

from games.bot import play_game, spoil
from games.engine import Deal, verify

T = TypeVar("T")

CLIENT = "qvserver-simulate/1"
#: How long a submission may wait for its verdict, and a call for an answer however often it is repeated.
PATIENCE_SECONDS = 60.0
#: The very first call isn't repeated for so long: the address may be wrong.
FIRST_CALL_SECONDS = 5.0
#: One player in so many sends an illegal log; every other of them corrects it.
ILLEGAL_EVERY = 25
#: Answers after which the same call may succeed.
RETRIED = (429, 502, 503, 504)


class CallFailed(Exception):
    """The server answered with an error, or not at all, however often it was asked."""


class Answered(NamedTuple):
    """A log that the server said it has: whose (their token), where, and the verdict that the engine gives on it."""

    submission: int
    token: str
    attempt: int
    challenge: int
    log: str
    verdict: dict[str, Any]


@dataclass
class Totals:
    """What a simulation came to. ``latencies`` are seconds from a submission to its verdict.

    ``answered`` are the logs that were taken in, each once, in no order.
    ``contradictions`` are answers that can't be true, ``failures`` are games that got none; ``retries`` counts the
    calls that had to be repeated, by what was answered to them.
    """

    players: int = 0
    seconds: float = 0.0
    submitted: Counter[str] = field(default_factory=Counter)
    verified: Counter[str] = field(default_factory=Counter)
    rejected: Counter[str] = field(default_factory=Counter)
    won: Counter[str] = field(default_factory=Counter)
    ranked: Counter[str] = field(default_factory=Counter)
    actions: list[int] = field(default_factory=list)
    latencies: list[float] = field(default_factory=list)
    answered: list[Answered] = field(default_factory=list)
    retries: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    contradictions: list[str] = field(default_factory=list)

    @property
    def games_per_second(self) -> float:
        """Games verified and ranked, by the time that all of them took (prepared: that all submissions took)."""
        return self.ranked.total() / self.seconds if self.seconds else 0.0

    def latency(self, percent: int) -> float:
        """A percentile of the seconds from a submission to its verdict."""
        if len(self.latencies) < 2:
            return self.latencies[0] if self.latencies else 0.0
        return statistics.quantiles(self.latencies, n=100, method="inclusive")[percent - 1]


def simulate(
    url: str,
    *,
    players: int,
    games: int = 1,
    threads: int = 8,
    seed: int | None = None,
    prepared: bool = False,
    rate: float | None = None,
    patience: float = PATIENCE_SECONDS,
    progress: Callable[[], None] = lambda: None,
) -> Totals:
    """Let new guests play so many games each of today's dailies, so many players at once.

    Every verdict is compared with the engine's own, in this process. ``progress`` is called once a game; the same
    ``seed`` plays the same games on the same dailies.
    Prepared games are all started and played before the first is sent, and only the sending counts as time (with
    several games each, one round after the other). ``rate`` games a second are begun, prepared: sent, at most.
    ``patience`` seconds long a call is repeated, and a verdict waited for.
    Raises `CallFailed` where the server isn't there or has no open daily; what fails later is in the totals.
    """
    simulation = _Simulation(url, threads=threads, patience=patience)
    with closing(simulation):
        simulation.find_server()
        seeds = Random(seed)
        guests = [_Player(number, Random(seeds.getrandbits(64))) for number in range(players)]
        for _ in range(games):
            simulation.play_round(guests, prepared=prepared, rate=rate, progress=progress)
    return simulation.totals


class _Server:
    """Calls to a server, repeated until they are answered: each of them is safe to repeat."""

    def __init__(self, url: str, threads: int, note: Callable[[str], None], patience: float = PATIENCE_SECONDS) -> None:
        self._url = url.rstrip("/")
        self._patience = patience
        self._note = note
        self._pool = urllib3.PoolManager(maxsize=threads, timeout=30.0)

    def close(self) -> None:
        """Hang up, so that the server's threads don't wait for more."""
        self._pool.clear()

    def call(
        self, method: str, address: str, body: Any = None, *, token: str = "", seconds: float | None = None
    ) -> Any:
        """The JSON of an answer. Raises `CallFailed`."""
        headers = {"Content-Type": "application/json"}
        if token:
            headers["Authorization"] = f"Token {token}"
        data = None if body is None else json.dumps(body)
        deadline = time.monotonic() + (self._patience if seconds is None else seconds)
        pause = 0.05
        while True:
            try:
                answer = self._pool.request(
                    method, f"{self._url}/api/v1/{address}", body=data, headers=headers, retries=False
                )
            except urllib3.exceptions.HTTPError as error:
                what, wait = type(error).__name__, pause
            else:
                if answer.status < 300:
                    return _json(answer, f"{method} {address}")
                what, wait = str(answer.status), _retry_after(answer, pause)
                if answer.status not in RETRIED:
                    raise CallFailed(f"{method} {address}: {what} {answer.data[:300]!r}")
            if time.monotonic() + wait > deadline:
                raise CallFailed(f"{method} {address}: {what}, however often it was asked")
            self._note(f"{method} {what}")
            time.sleep(wait)
            pause = min(2.0, pause * 2)


def _json(answer: Any, what: str) -> Any:
    try:
        return answer.json()
    except ValueError:
        raise CallFailed(f"{what}: no JSON, so no qvserver: {answer.data[:100]!r}") from None


def _retry_after(answer: Any, otherwise: float) -> float:
    """The seconds that the server asks to wait for, if it names seconds."""
    text = answer.headers.get("Retry-After", "")
    return max(float(text), 0.05) if text.isdecimal() else otherwise


@dataclass
class _Player:
    """A guest."""

    number: int
    random: Random
    token: str = ""


@dataclass
class _Log:
    """A log ready to be sent, and the verdict that has to come back."""

    body: dict[str, Any]
    actions: int
    verdict: dict[str, Any]


@dataclass
class _Game:
    """A game ready to be submitted: its log, or an illegal one and then perhaps the right one."""

    player: _Player
    attempt: int
    challenge: int
    mode: str
    logs: list[_Log]


class _Pace:
    """Lets so many through a second."""

    def __init__(self, rate: float | None) -> None:
        self._gap = 1 / rate if rate else 0.0
        self._next = time.monotonic()
        self._lock = threading.Lock()

    def keep(self, task: Callable[[T], None]) -> Callable[[T], None]:
        """The task, done when it is its turn."""

        def wait_and_do(subject: T) -> None:
            with self._lock:
                turn = max(self._next, time.monotonic())
                self._next = turn + self._gap
            time.sleep(max(0.0, turn - time.monotonic()))
            task(subject)

        return wait_and_do


class _Simulation:
    """Plays and judges."""

    def __init__(self, url: str, *, threads: int, patience: float) -> None:
        self.totals = Totals()
        self._patience = patience
        self._threads = ThreadPoolExecutor(threads)
        self._server = _Server(url, threads, self._note_retry, patience)
        self._deals: dict[str, Deal] = {}
        self._lock = threading.Lock()

    def close(self) -> None:
        """Stop the threads and hang up."""
        self._threads.shutdown(cancel_futures=True)
        self._server.close()

    def find_server(self) -> None:
        """Raises `CallFailed` where the server isn't there or has no open daily."""
        self._open_dailies(seconds=FIRST_CALL_SECONDS)

    def play_round(
        self, guests: list[_Player], *, prepared: bool, rate: float | None, progress: Callable[[], None]
    ) -> None:
        """Let each guest play a game; new guests sign up first."""
        self.totals.players += sum(not guest.token for guest in guests)
        ready = list(self._threads.map(self._prepare, guests)) if prepared else []
        began = time.perf_counter()
        pace = _Pace(rate)
        done = (
            self._threads.map(pace.keep(self._submit), ready)
            if prepared
            else self._threads.map(pace.keep(self._play), guests)
        )
        for _ in done:
            progress()
        self.totals.seconds += time.perf_counter() - began

    def _open_dailies(self, token: str = "", seconds: float | None = None) -> list[Any]:
        items = self._server.call("GET", "challenges/today/", token=token, seconds=seconds)["items"]
        if dailies := [item for item in items if item["is_open"]]:
            return dailies
        raise CallFailed("no daily is open: manage.py publish_daily publishes today's")

    def _play(self, player: _Player) -> None:
        self._submit(self._prepare(player))

    def _prepare(self, player: _Player) -> _Game | None:
        """Start an attempt and play it; None where that failed."""
        try:
            if not player.token:
                player.token = self._server.call("POST", "players/guest/")["token"]
            challenge = player.random.choice(self._open_dailies(player.token))["id"]
            attempt = self._server.call("POST", f"challenges/{challenge}/attempts/", token=player.token)
        except CallFailed as error:
            self._note_failure(str(error))
            return None
        deal = self._deal(attempt)
        return _Game(player, attempt["id"], challenge, deal.mode, _logs(deal, player))

    def _deal(self, attempt: Any) -> Deal:
        """The cards of an attempt's code, which are the cards that the server shows, or that is a contradiction."""
        with self._lock:
            code = attempt["code"]
            if code not in self._deals:
                self._deals[code] = Deal.parse(code)
            if attempt["deal"] != self._deals[code].to_dict():
                self.totals.contradictions.append(f"attempt {attempt['id']}: other cards than those of {code}")
            return self._deals[code]

    def _submit(self, game: _Game | None) -> None:
        if game is None:
            return
        try:
            for log in game.logs:
                self._judge(game, log)
        except CallFailed as error:
            self._note_failure(str(error))

    def _judge(self, game: _Game, log: _Log) -> None:
        began = time.perf_counter()
        token = game.player.token
        submission = self._server.call("PUT", f"attempts/{game.attempt}/submission/", log.body, token=token)["id"]
        answered = Answered(submission, token, game.attempt, game.challenge, log.body["log"], log.verdict)
        with self._lock:
            self.totals.answered.append(answered)
        shown = self._wait_for_verdict(submission, token)
        self._count(game, log, shown, time.perf_counter() - began)

    def _wait_for_verdict(self, submission: int, token: str) -> Any:
        deadline = time.monotonic() + self._patience
        pause = 0.02
        while time.monotonic() < deadline:
            shown = self._server.call("GET", f"submissions/{submission}/", token=token)
            if shown["state"] != "pending":
                return shown
            time.sleep(pause)
            pause = min(0.5, pause * 1.5)
        raise CallFailed(f"submission {submission} has no verdict after {self._patience:g} s")

    def _count(self, game: _Game, log: _Log, shown: Any, seconds: float) -> None:
        differences = contradictions(shown, log.verdict, log.body["claimed_score"])
        with self._lock:
            totals, mode = self.totals, game.mode
            totals.submitted[mode] += 1
            totals.verified[mode] += shown["state"] == "verified"
            totals.rejected[mode] += shown["state"] == "rejected"
            totals.won[mode] += log.verdict["won"] and log.verdict["valid"]
            totals.ranked[mode] += shown["state"] == "verified" and shown["ranked"]
            totals.actions.append(log.actions)
            totals.latencies.append(seconds)
            totals.contradictions += [f"submission {shown['id']}: {difference}" for difference in differences]

    def _note_retry(self, what: str) -> None:
        with self._lock:
            self.totals.retries[what] += 1

    def _note_failure(self, what: str) -> None:
        with self._lock:
            self.totals.failures.append(what)


def contradictions(shown: Any, expected: dict[str, Any], claimed_score: int) -> list[str]:
    """What in a guest's submission, as the server shows it, can't be true if the engine's verdict is ``expected``.

    Each figure is compared; a ranked one that is verified has a place if it is the player's best, and no guest stands
    on the `first` board.
    """
    verdict = dict(shown["verdict"] or {})
    verdict.pop("rules_version", None)
    state = "verified" if expected["valid"] else "rejected"
    found = [
        f"{name} is {verdict.get(name)!r} instead of {expected.get(name)!r}"
        for name in sorted({*verdict, *expected})
        if verdict.get(name) != expected.get(name)
    ]
    if shown["state"] != state:
        found.append(f"it is {shown['state']} instead of {state}")
    if shown["claimed_score"] != claimed_score:
        found.append(f"the claimed score is {shown['claimed_score']} instead of {claimed_score}")
    if shown["first"] is not None:
        found.append("a guest stands on the first board")
    place = shown["best"]
    if place is not None and not (shown["ranked"] and expected["valid"] and 1 <= place["rank"] <= place["total"]):
        found.append(f"it can't have the place {place}")
    if place is None and shown["ranked"] and expected["valid"] and shown["attempt_number"] == 1:
        found.append("it has no place")
    return found


def _logs(deal: Deal, player: _Player) -> list[_Log]:
    log = play_game(deal, random=player.random)
    if player.number % ILLEGAL_EVERY != ILLEGAL_EVERY // 2:
        return [_log(deal, log, player.random)]
    corrected = [log] if player.number // ILLEGAL_EVERY % 2 == 0 else []
    return [_log(deal, text, player.random) for text in (spoil(deal, log, random=player.random), *corrected)]


def _log(deal: Deal, text: str, random: Random) -> _Log:
    verdict = verify(deal, text).to_dict()
    times: list[int] = []
    for _ in text.split():
        times.append((times[-1] if times else 0) + random.randint(300, 1500))
    body = {"log": text, "claimed_score": verdict["score"], "client": CLIENT, "times": times}
    return _Log(body, len(times), verdict)
