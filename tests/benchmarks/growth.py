"""What grows with the rows, and what doesn't: the statements of the hot calls on a database of many submissions.

Fills a PostgreSQL of its own with players who have played ten dailies each, then makes each call some times through
the whole of Django, notes the statements that it sends and how long PostgreSQL takes, and asks PostgreSQL by EXPLAIN
how it runs them. A hot call that reads a big table from end to end is named, and the command fails.

    manage.py bench growth --rows 10000000
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from qvserver.embedded import Postgres, RedisServer

ROWS = 10_000_000
#: Dailies that each player has played.
ROWS_A_PLAYER = 10
REPEATS = 20
#: Tables with more rows than this mustn't be read from end to end by a hot call.
BIG = 100_000
POSTGRES = {
    "shared_buffers": "2GB",
    "work_mem": "64MB",
    "maintenance_work_mem": "512MB",
    "max_wal_size": "16GB",
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "autovacuum": "off",
}


def token_of(player: int) -> str:
    """The token of a filled player, counted from 0."""
    return f"growth-{player + 1}"


def fill(database: str, rows: int, today: int, log: str, *, first: int = 1) -> int:
    """Store so many verified submissions of the daily ``today`` and nine before it; returns the number of one of these.

    Half of the players are guests, and their numbers begin with ``first``. Each row is whole: attempt, submission, log,
    standings, sums, final ranks.
    """
    import psycopg

    from games.engine import RULES_VERSION
    from leaderboards.periods import PERIODS_OF_DAILY
    from leaderboards.ranking import PACKED

    players = rows // ROWS_A_PLAYER
    with psycopg.connect(database, autocommit=True) as connection:
        run = connection.execute
        # Checks of foreign keys would only cost time.
        run("SET session_replication_role = replica")
        run(
            f"""
            INSERT INTO games_challenge (mode, family, number, date, title, opens_at, closes_at, published_at,
                winning_log, search_seconds, solver_version, difficulty, par)
            SELECT mode, family, number + n, date - n, '', opens_at - n * interval '1 day',
                closes_at - n * interval '1 day', published_at, winning_log, search_seconds, solver_version, difficulty,
                par
            FROM games_challenge, generate_series(1, {ROWS_A_PLAYER - 1}) n WHERE id = {today}
            """
        )
        run(
            f"""
            INSERT INTO games_player (id, name, skeleton, is_guest, password, is_superuser, is_staff, is_active)
            SELECT n, 'bench' || n, 'bench' || n, n % 2 = 0, '!', false, false, true
            FROM generate_series({first}, {first + players - 1}) n
            """
        )
        run(
            f"""
            INSERT INTO knox_authtoken (digest, token_key, user_id, created, expiry)
            SELECT encode(sha512(('growth-' || id)::bytea), 'hex'), 'growth', id, now(), now() + interval '90 days'
            FROM games_player WHERE id >= {first}
            """
        )
        # Row n is of player n modulo players; the oldest daily comes first.
        run(
            f"""
            CREATE TEMPORARY TABLE daily AS
            SELECT id, opens_at, row_number() OVER (ORDER BY date) - 1 AS place FROM games_challenge
            WHERE mode = (SELECT mode FROM games_challenge WHERE id = {today})
            """
        )
        place = f"SELECT n, n %% {players} + {first} AS player, daily.* FROM generate_series(0, {rows - 1}) n".replace(
            "%%", "%"
        )
        rows_of = f"({place} JOIN daily ON daily.place = n / {players}) row"
        run(
            f"""
            INSERT INTO games_attempt (id, challenge_id, player_id, number, started_at, ended_at)
            SELECT n + 1, id, player, 1, opens_at, opens_at + interval '10 minutes' FROM {rows_of}
            """
        )
        # Scores as spread as real ones: hashes of the row, not a sequence.
        run(
            f"""
            INSERT INTO games_submission (id, attempt_id, challenge_id, player_id, attempt_number, state, ranked,
                client, received_at, elapsed, tries, claimed_at, verified_at, rules_version, won, score, ranked_score,
                moves, draws, undos, recycles, foundation_cards, waste_to_column, taken_back)
            SELECT n + 1, n + 1, id, player, 1, 'verified', true, 'bench/1',
                opens_at + interval '10 minutes', hash % 20000, 1, opens_at, opens_at, {RULES_VERSION}, hash % 3 = 0,
                score, score, 100 + hash % 300, 96, 0, 0, score / 10, 0, 0
            FROM (
                SELECT *, abs(hashint8(n)::bigint) AS hash, abs(hashint8(n + 1)::bigint) % 120 * 10 AS score
                FROM {rows_of}
            ) made
            """
        )
        run(
            "INSERT INTO games_submissionlog (submission_id, text) SELECT n, %s FROM generate_series(1, %s) n",
            [log, rows],
        )
        for board, condition in (("best", "true"), ("first", "player_id % 2 = 1")):
            run(
                f"""
                INSERT INTO leaderboards_standing (challenge_id, board, player_id, submission_id, key, is_pushed)
                SELECT challenge_id, '{board}', player_id, id, {PACKED}, true FROM games_submission submission
                WHERE {condition}
                """
            )
        run(
            f"""
            INSERT INTO leaderboards_periodstanding
                (player_id, mode, period, starts_on, score, played, won, moves, is_pushed)
            SELECT player_id, mode, period.period, period.starts_on, sum(ranked_score), count(*), sum(won::integer),
                sum(moves), true
            FROM games_submission JOIN games_challenge challenge ON challenge.id = challenge_id
            CROSS JOIN LATERAL {PERIODS_OF_DAILY} GROUP BY 1, 2, 3, 4
            """
        )
        run(
            f"INSERT INTO leaderboards_closeddaily (challenge_id, players, is_current)"
            f" SELECT id, {players}, true FROM daily WHERE id <> {today}"
        )
        run(
            f"""
            INSERT INTO leaderboards_finalrank (player_id, challenge_id, rank)
            SELECT player_id, challenge_id, id % {players} + 1 FROM games_submission WHERE challenge_id <> {today}
            """
        )
        for table in ("games_player", "games_attempt", "games_submission"):
            run(f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), (SELECT max(id) FROM {table}))")
        run("VACUUM ANALYZE")
        return int(run("SELECT id FROM daily WHERE place = 0").fetchone()[0])  # type: ignore[index]


def sizes() -> list[str]:
    """How big the tables are, a line each, and what a submission takes of all together."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT relname, reltuples::bigint, pg_table_size(oid), pg_indexes_size(oid) FROM pg_class
            WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY pg_total_relation_size(oid) DESC
            """
        )
        found = cursor.fetchall()
    lines = [
        f"{name:<30}{rows:>12,} rows{table / 2**20:>10,.0f} MiB + indexes {index / 2**20:,.0f} MiB"
        for name, rows, table, index in found[:8]
    ]
    return [*lines, f"all tables and indexes {sum(table + index for *_, table, index in found) / 2**20:,.0f} MiB"]


@dataclass
class Seen:
    """What a call sent to PostgreSQL: each statement with its arguments, and the milliseconds that all took."""

    statements: dict[str, Any] = field(default_factory=dict)
    milliseconds: float = 0.0


@contextmanager
def watched() -> Iterator[Seen]:
    """Note the statements of a block."""
    from django.db import connection

    seen = Seen()

    def note(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        began = time.perf_counter()
        try:
            return execute(sql, params, many, context)
        finally:
            seen.milliseconds += (time.perf_counter() - began) * 1000
            seen.statements[sql] = params

    with connection.execute_wrapper(note):
        yield seen


def full_reads(sql: str, params: Any) -> set[str]:
    """The big tables that PostgreSQL would read from end to end for a statement."""
    from django.db import connection

    if sql.split(None, 1)[0].upper() not in ("SELECT", "INSERT", "UPDATE", "DELETE", "WITH"):
        return set()
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (FORMAT JSON) {sql}", params)
        plan = cursor.fetchone()[0]
        cursor.execute("SELECT relname FROM pg_class WHERE relkind = 'r' AND reltuples > %s", [BIG])
        big = {name for (name,) in cursor.fetchall()}
    plan = json.loads(plan) if isinstance(plan, str) else plan
    return {node["Relation Name"] for node in _nodes(plan[0]["Plan"]) if _reads_all(node)} & big


def _nodes(plan: Any) -> Iterator[Any]:
    yield plan
    for child in plan.get("Plans", ()):
        yield from _nodes(child)


def _reads_all(node: Any) -> bool:
    return bool(node["Node Type"] == "Seq Scan")


@dataclass
class Call:
    """A call of the API, or work of a worker; each time with the number of the repetition, from 0.

    ``before`` is done first, and not measured.
    """

    title: str
    do: Callable[[int], Any]
    is_hot: bool = True
    before: Callable[[int], Any] = lambda n: None


class Api:
    """Calls made as one of the players, inside this process."""

    def __init__(self, player: int) -> None:
        self.headers = {"Authorization": f"Token {token_of(player)}"}

    def call(self, method: str, address: str, body: Any = None) -> Any:
        """The JSON of an answer. Raises `SystemExit` where it's an error."""
        from django.test import Client

        answer = Client().generic(
            method,
            f"/api/v1/{address}",
            b"" if body is None else json.dumps(body).encode(),
            content_type="application/json",
            headers=self.headers,
        )
        if answer.status_code >= 400:
            raise SystemExit(f"{method} {address}: {answer.status_code} {answer.content[:300]!r}")
        return json.loads(answer.content) if answer.content else None


def calls(today: int, past: int, log: str) -> list[Call]:
    """What is measured: each repetition as another player, at the daily ``today`` and one that is ``past``."""
    from django.utils import timezone

    from games.services.calendar import missing_dailies
    from games.services.moderation import end_bans
    from games.services.review import review_submissions
    from games.services.verification import verify_pending
    from leaderboards import stored_boards
    from leaderboards.addresses import ChallengeBoard
    from leaderboards.services.closing import close_dailies
    from leaderboards.services.standings import push_all_unpushed
    from qvserver.state import read_queue

    stored = ChallengeBoard(today, "best")
    own = stored_boards.page(stored, after=None, limit=100).entries[-1]
    attempts: dict[int, int] = {}
    submissions: dict[int, int] = {}

    def get(address: str) -> Callable[[int], Any]:
        return lambda n: Api(n).call("GET", address)

    def start(n: int) -> None:
        attempts[n] = Api(n).call("POST", f"challenges/{today}/attempts/")["id"]

    def submit(n: int) -> None:
        submissions[n] = Api(n).call("PUT", f"attempts/{attempts[n]}/submission/", {"log": log})["id"]

    def play(n: int) -> None:
        start(n)
        submit(n)

    def name(n: int) -> str:
        return f"bench{n + 1}"

    board, week = f"leaderboards/challenges/{today}/", "leaderboards/ft-n/week/"
    return [
        Call("new guest", lambda n: Api(n).call("POST", "players/guest/")),
        Call("today's challenges", get("challenges/today/")),
        Call("start an attempt", start),
        Call("keep a draft", lambda n: Api(n).call("PUT", f"attempts/{attempts[n]}/draft/", {"log": "d"})),
        Call("submit a log", submit),
        Call("worker: verify, place, tell Redis", lambda n: verify_pending(clock=timezone.now), before=play),
        Call("worker: nothing to verify", lambda n: verify_pending(clock=timezone.now)),
        Call("worker: nothing to tell Redis", lambda n: push_all_unpushed()),
        Call("a submission with its ranks", lambda n: Api(n).call("GET", f"submissions/{submissions[n]}/")),
        Call("a replay", lambda n: Api(n).call("GET", f"submissions/{submissions[n]}/replay/")),
        Call("board, first 100", get(f"{board}?limit=100")),
        Call("board, around me", get(f"{board}around/?span=5")),
        Call("board, distribution", get(f"{board}distribution/")),
        Call("board of a past daily", get(f"leaderboards/challenges/{past}/?limit=100")),
        Call("week, first 100", get(f"{week}?limit=100")),
        Call("week, around me", get(f"{week}around/?span=5")),
        Call("own profile", get("players/me/")),
        Call("own history", get("players/me/submissions/")),
        Call("own statistics", get("players/me/statistics/")),
        Call("a player by name", lambda n: Api(n).call("GET", f"players/{name(n)}/")),
        Call("past challenges", get("challenges/?mode=ft-n")),
        Call("board without Redis", lambda n: stored_boards.page(stored, after=None, limit=100), is_hot=False),
        Call("around me without Redis", lambda n: stored_boards.around(stored, own=own, span=5), is_hot=False),
        Call("readiness: queue", lambda n: read_queue()),
        Call("beat: missing dailies", lambda n: missing_dailies(today=timezone.now().date()), is_hot=False),
        Call("beat: end bans", lambda n: end_bans(now=timezone.now()), is_hot=False),
        Call("beat: review", lambda n: review_submissions(now=timezone.now()), is_hot=False),
        Call("beat: close dailies", lambda n: close_dailies(now=timezone.now()), is_hot=False),
    ]


def measure(call: Call) -> tuple[str, set[str]]:
    """A line about a call, and the big tables that it reads from end to end."""
    seen = []
    for n in range(REPEATS):
        call.before(n)
        with watched() as one:
            call.do(n)
        seen.append(one)
    statements = {sql: params for one in seen for sql, params in one.statements.items()}
    found: set[str] = set().union(*(full_reads(sql, params) for sql, params in statements.items()))
    milliseconds = [one.milliseconds for one in seen]
    sent = statistics.median(len(one.statements) for one in seen)
    words = f"reads all of {', '.join(sorted(found))}" if found else "by indexes"
    return (
        f"{call.title:<36}{sent:>4.0f}{statistics.median(milliseconds):>10.2f}{max(milliseconds):>10.2f}  {words}",
        found,
    )


def memory() -> int:
    """Bytes that Redis holds."""
    from games.redis_client import ask

    found: Any = ask(lambda redis: redis.info("memory"))
    return int(found["used_memory"])


def inside(rows: int) -> int:
    """Fill the database of the settings, measure, print; how many hot calls read a big table from end to end."""
    import django

    django.setup()
    from django.core.management import call_command
    from django.utils import timezone

    from games.services.proving import publish_daily
    from leaderboards.addresses import ChallengeBoard, PeriodBoard
    from leaderboards.periods import first_day
    from leaderboards.services.standings import rebuild_board
    from tests.dailies import a_proof

    call_command("migrate", verbosity=0)
    proof = a_proof("ft-n")
    today = timezone.now().date()
    challenge, _ = publish_daily(date=today, proof=proof, now=timezone.now())
    began = time.perf_counter()
    past = fill(os.environ["DATABASE_URL"], rows, challenge.pk, proof.log)
    print(f"{rows:,} submissions of {rows // ROWS_A_PLAYER:,} players in {time.perf_counter() - began:.0f} s")
    for line in sizes():
        print(f"  {line}")
    began = time.perf_counter()
    for board in (
        ChallengeBoard(challenge.pk, "best"),
        ChallengeBoard(challenge.pk, "first"),
        PeriodBoard("ft-n", "week", first_day("week", today)),
    ):
        before = memory()
        total = rebuild_board(board=board)
        taken = (memory() - before) / 2**20
        print(f"  {board} made in Redis: {total:,} lines, {taken:,.0f} MiB, {time.perf_counter() - began:.0f} s so far")
    print(f"{'call':<32}statements, PostgreSQL ms: median, greatest of {REPEATS}")
    failed = 0
    for call in calls(challenge.pk, past, proof.log):
        line, found = measure(call)
        failed += bool(found and call.is_hot)
        print(line, flush=True)
    return failed


def main(rows: int = ROWS) -> None:
    """Start services of its own, and measure in a process whose settings know them."""
    root = Path("/var/lib/qvserver") if os.geteuid() == 0 else None
    if root is not None:
        root.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="growth-", dir=root))
    (folder / "static").mkdir()
    postgres, redis = Postgres(folder / "postgres", settings=POSTGRES), RedisServer(folder / "redis")
    environment = {
        **os.environ,
        "DATABASE_URL": postgres.start(),
        "REDIS_URL": redis.start(output=subprocess.DEVNULL),
        "SECRET_KEY": "only for this benchmark",
        "QV_DATA": str(folder),
        "QV_RATE_EXEMPT": "127.0.0.1",
        "ALLOWED_HOSTS": "testserver",
        "LOG_LEVEL": "WARNING",
    }
    try:
        done = subprocess.run([sys.executable, "-m", __name__, str(rows)], env=environment, check=False)
    finally:
        redis.stop()
        postgres.stop(crash=True)
        shutil.rmtree(folder, ignore_errors=True)
    if done.returncode:
        raise SystemExit(done.returncode)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "qvserver.settings")
    sys.exit(inside(int(sys.argv[1])))
