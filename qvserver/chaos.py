"""Proves that nothing is lost and nothing doubled: players play on a server that is being broken all the time.

The players keep a ledger of the logs that the server said it has (`simulation.Answered`), each with the verdict that
the engine gives on it in their process. Afterwards PostgreSQL has to hold exactly those, each once, with these
verdicts; statistics and streaks, recomputed from the ledger, have to be what the API shows; `manage.py audit` compares
the boards and sums.
"""

from __future__ import annotations

import datetime
import itertools
import json
import re
import threading
import time
import urllib.request
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import psycopg

from games.engine import FIGURES

from .faults import Breaker, Victims
from .simulation import Answered, Totals, simulate
from .throwaway import Throwaway

GAMES_A_PLAYER = 4
#: A part that ends again and again is started after 30 s only: so long, and then some, do players go on asking.
PATIENCE_SECONDS = 300.0
#: From the last blow until all that waited then is judged and all parts answer.
RECOVERY_SECONDS = 60.0
#: The last blow is struck after this share of the games, so that others are played while the server recovers.
LAST_BLOW_AT = 0.9

_POLL_SECONDS = 0.1
_THREADS = 8


class Row(NamedTuple):
    """A submission in PostgreSQL. ``verdict`` has the engine's figures and its error."""

    id: int
    attempt: int
    state: str
    log: str
    verdict: dict[str, Any]


@dataclass
class Proof:
    """What a run came to. ``violations`` is empty where every promise was kept."""

    totals: Totals
    faults: Counter[tuple[str, str]]
    waiting: int = 0
    recovery: float | None = None
    rows: int = 0
    players: int = 0
    audit: str = ""
    violations: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Plan:
    """How many games are submitted, by how many players at once, at most how many a second (None: as many as can be).

    ``pause`` is the mean of the seconds between two faults, ``recovery`` the seconds that the server may take after
    the last one.
    """

    submissions: int
    seed: int
    threads: int
    pause: float
    rate: float | None = None
    recovery: float = RECOVERY_SECONDS


def run_chaos(plan: Plan, *, proofs: Path, progress: Callable[[], None]) -> Proof:
    """Let players submit games to a server of its own, which is being broken, and judge. Raises `Violated`."""
    with Throwaway(workers=2) as server:
        published = server.manage("publish_daily", "--days", "1", "--proofs", str(proofs))
        if published.returncode:
            raise RuntimeError(published.stderr)
        proof = _break_and_judge(server, plan, progress)
        if proof.violations:
            raise Violated(proof, server.folder)
        return proof


class Violated(Exception):
    """A promise was broken; the server's data and log stay in ``folder``."""

    def __init__(self, proof: Proof, folder: Path) -> None:
        super().__init__(f"{len(proof.violations)} violations; data and log are in {folder}")
        self.proof = proof


def _break_and_judge(server: Throwaway, plan: Plan, progress: Callable[[], None]) -> Proof:
    breaker = Breaker(
        Victims(server.up.pid, server.data),
        seed=plan.seed,
        pause=plan.pause,
        count_waiting=lambda: _waiting(server.database_url, time.time()),
    )
    recovery = _Recovery(server, breaker)
    played = itertools.count(1)

    def step() -> None:
        progress()
        if next(played) == int(plan.submissions * LAST_BLOW_AT):
            breaker.finish()

    breaker.start()
    recovery.start()
    totals = simulate(
        server.url,
        players=-(-plan.submissions // GAMES_A_PLAYER),
        games=GAMES_A_PLAYER,
        threads=plan.threads,
        seed=plan.seed,
        rate=plan.rate,
        patience=PATIENCE_SECONDS,
        progress=step,
    )
    breaker.finish()
    recovery.join()
    proof = Proof(totals, breaker.struck, breaker.waiting, recovery.seconds)
    _judge(server, proof, plan.recovery)
    return proof


class _Recovery(threading.Thread):
    """Measures from the last blow until all submissions received before are judged, and web and live are ready.

    ``seconds`` is how long it took, None where it took longer than anybody waits.
    """

    def __init__(self, server: Throwaway, breaker: Breaker) -> None:
        super().__init__(name="recovery", daemon=True)
        self.seconds: float | None = None
        self._server = server
        self._breaker = breaker

    def run(self) -> None:
        """Wait for the last blow, and then for the recovery."""
        self._breaker.join()
        struck = self._breaker.ended_at
        while time.time() < struck + PATIENCE_SECONDS:
            if self._is_whole(struck):
                self.seconds = time.time() - struck
                return
            time.sleep(_POLL_SECONDS)

    def _is_whole(self, struck: float) -> bool:
        return _waiting(self._server.database_url, struck) == 0 and all(
            _answers(address) for address in (f"{self._server.url}/readyz", f"{self._server.live_url}/healthz")
        )


def _waiting(database: str, before: float) -> int | None:
    """How many submissions received before that moment wait for their verdict; None where nobody answers."""
    try:
        with psycopg.connect(database, connect_timeout=2, autocommit=True) as connection:
            connection.execute("SET statement_timeout = '2s'")
            row = connection.execute(
                "SELECT count(*) FROM games_submission WHERE state = 'pending' AND received_at <= to_timestamp(%s)",
                [before],
            ).fetchone()
            return row[0] if row else None
    except psycopg.Error:
        return None


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=2) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


# Judging.


def _judge(server: Throwaway, proof: Proof, recovery_limit: float) -> None:
    totals = proof.totals
    proof.violations += totals.failures + totals.contradictions
    if not proof.waiting:
        proof.violations.append("no game waited when all parts were killed at once: that proves nothing")
    if proof.recovery is None or proof.recovery > recovery_limit:
        proof.violations.append(f"recovery took {proof.recovery or PATIENCE_SECONDS:.1f} s and more")
    rows = _rows(server.database_url)
    proof.rows = len(rows)
    proof.violations += compare_ledger(totals.answered, rows)
    proof.players, wrong = _compare_statistics(server, totals.answered)
    proof.violations += wrong
    _read_boards(server)
    audit = server.manage("audit")
    proof.audit = audit.stdout
    if audit.returncode:
        proof.violations.append(f"audit: {audit.stderr}")
    elif unmade := re.search(r"not in Redis\D+([1-9]\d*)", audit.stdout):
        proof.violations.append(f"{unmade[1]} boards aren't in Redis though they were asked for")


def _rows(database: str) -> list[Row]:
    columns = ", ".join(f"submission.{name}" for name in FIGURES)
    with psycopg.connect(database) as connection:
        found = connection.execute(
            f"SELECT submission.id, attempt_id, state, log.text, rejection, {columns} FROM games_submission submission"
            " JOIN games_submissionlog log ON log.submission_id = submission.id ORDER BY submission.id"
        )
        return [
            Row(pk, attempt, state, log, {"error": error, **dict(zip(FIGURES, figures, strict=True))})
            for pk, attempt, state, log, error, *figures in found
        ]


def compare_ledger(ledger: Sequence[Answered], rows: Sequence[Row]) -> list[str]:
    """What contradicts: each answered log is stored once, under the number that was answered, with its verdict.

    And nothing else is stored.
    """
    stored: dict[tuple[int, str], list[Row]] = defaultdict(list)
    for row in rows:
        stored[row.attempt, row.log].append(row)
    found = [wrong for answered in ledger for wrong in _wrong(answered, stored[answered.attempt, answered.log])]
    asked = {(answered.attempt, answered.log) for answered in ledger}
    found += [f"submission {row.id} is nobody's" for row in rows if (row.attempt, row.log) not in asked]
    found += [f"submission {row.id} is still {row.state}" for row in rows if row.state in ("pending", "failed")]
    repeated = [pk for pk, count in Counter(answered.submission for answered in ledger).items() if count > 1]
    return found + [f"submission {pk} was the answer to several logs" for pk in repeated]


def _wrong(answered: Answered, rows: list[Row]) -> Iterable[str]:
    name = f"submission {answered.submission} of attempt {answered.attempt}"
    if [row.id for row in rows] != [answered.submission]:
        yield f"{name} is stored as {[row.id for row in rows]}"
    state = "verified" if answered.verdict["valid"] else "rejected"
    for row in rows:
        if row.state != state:
            yield f"{name} is {row.state}, not {state}"
        yield from (
            f"{name}: {key} is {value!r} instead of {answered.verdict[key]!r}"
            for key, value in row.verdict.items()
            if value != answered.verdict[key]
        )


def _read_boards(server: Throwaway) -> None:
    """Ask for each board, as players do: one that Redis lost is made anew then, by a worker."""
    challenges = _get(server, "challenges/today/")["items"]
    addresses = [
        *(f"challenges/{item['id']}/?board={board}" for item in challenges for board in ("best", "first")),
        *(f"{item['mode']}/{period}/" for item in challenges for period in ("week", "month", "all")),
    ]
    for _ in range(2):
        for address in addresses:
            _get(server, f"leaderboards/{address}")
        time.sleep(1)


def _get(server: Throwaway, address: str, token: str = "") -> Any:
    request = urllib.request.Request(f"{server.url}/api/v1/{address}")
    if token:
        request.add_header("Authorization", f"Token {token}")
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


# Statistics and streaks, from the ledger alone.


class Daily(NamedTuple):
    """Which daily a challenge is."""

    mode: str
    date: datetime.date


def expected_statistics(
    games: Iterable[Answered], dailies: Mapping[int, Daily], today: datetime.date
) -> dict[str, Any]:
    """What the API has to show of a player who has played these games, as far as games alone tell it."""
    verified = [game for game in games if game.verdict["valid"]]
    by_mode: dict[str, dict[int, list[dict[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    for game in verified:
        by_mode[dailies[game.challenge].mode][game.challenge].append(game.verdict)
    played = [game for game in verified if game.verdict["moves"]]
    days = {dailies[game.challenge].date for game in played}
    won = {dailies[game.challenge].date for game in played if game.verdict["won"]}
    return {
        "modes": {mode: _mode(list(challenges.values())) for mode, challenges in by_mode.items()},
        "streaks": [*_runs(days, today), *_runs(won, today), len(days), today in days],
    }


def _mode(dailies: list[list[dict[str, Any]]]) -> dict[str, Any]:
    counted = [max(games, key=lambda v: (v["won"], v["ranked_score"], -v["moves"])) for games in dailies]
    games = [verdict for daily in dailies for verdict in daily]
    return {
        "dailies_played": len(counted),
        "dailies_won": sum(verdict["won"] for verdict in counted),
        "average_score": round(sum(verdict["ranked_score"] for verdict in counted) / len(counted), 1),
        "best_score": max(verdict["ranked_score"] for verdict in games),
        "fewest_moves_of_a_win": min((verdict["moves"] for verdict in games if verdict["won"]), default=None),
    }


def _runs(days: set[datetime.date], today: datetime.date) -> tuple[int, int]:
    """The streak that runs to today or yesterday, and the longest one."""
    day = datetime.timedelta(days=1)

    def run_to(end: datetime.date) -> int:
        return run_to(end - day) + 1 if end in days else 0

    return run_to(today) or run_to(today - day), max(map(run_to, days), default=0)


def _shown(answer: dict[str, Any]) -> dict[str, Any]:
    modes = {
        mode: {name: value for name, value in figures.items() if name not in ("win_rate", "percentiles")}
        for mode, figures in answer["modes"].items()
    }
    return {"modes": modes, "streaks": list(answer["streaks"].values())}


def _compare_statistics(server: Throwaway, ledger: Sequence[Answered]) -> tuple[int, list[str]]:
    """How many players were looked at, and whose statistics aren't what their games give."""
    dailies = {}
    for challenge in {answered.challenge for answered in ledger}:
        shown = _get(server, f"challenges/{challenge}/")
        dailies[challenge] = Daily(shown["mode"], datetime.date.fromisoformat(shown["date"]))
    games: dict[str, list[Answered]] = defaultdict(list)
    for answered in ledger:
        games[answered.token].append(answered)

    def compare(token: str) -> list[str]:
        answer = _get(server, "players/me/statistics/", token)
        expected = expected_statistics(games[token], dailies, datetime.date.fromisoformat(answer["today"]))
        shown = _shown(answer)
        return [] if shown == expected else [f"statistics of {answer['player']}: {shown} instead of {expected}"]

    with ThreadPoolExecutor(_THREADS) as threads:
        return len(games), [wrong for found in threads.map(compare, games) for wrong in found]
