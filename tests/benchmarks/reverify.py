"""How many stored games a second `manage.py reverify` replays and writes.

Won Forty Thieves games with verdicts of older rules, each of a player of its own: all are replayed, and all verdicts
are written. Beside it the CPU of the engine alone in the same run, the least that a replay can cost.
"""

from __future__ import annotations

import re
import resource
import time

import psycopg

from games.engine import FIGURES, Code, Deal, verify

from .pipeline import CODE, Stack, won_log

GAMES = 100_000
PROCESSES = (1, 2)


def fill(database: str, games: int) -> None:
    """Store verified submissions of the Forty Thieves daily, judged by rules version 0."""
    log = won_log()
    verdict = verify(Deal.parse(Code.parse(CODE)), log)
    figures = ", ".join(str(int(value)) if name != "won" else str(value) for name, value in _figures(verdict))
    with psycopg.connect(database) as connection:
        connection.execute(
            f"""
            WITH player AS (
                INSERT INTO games_player (name, is_guest, password, is_superuser, is_staff, is_active)
                SELECT 'bench' || n, true, '!', false, false, true FROM generate_series(1, {games}) n RETURNING id
            ), attempt AS (
                INSERT INTO games_attempt (challenge_id, player_id, number, started_at, ended_at)
                SELECT challenge.id, player.id, 1, now(), now() FROM player, games_challenge challenge
                WHERE challenge.mode = 'ft-n' RETURNING id, challenge_id, player_id
            ), submission AS (
                INSERT INTO games_submission (attempt_id, challenge_id, player_id, attempt_number, state, ranked,
                    client, received_at, elapsed, verified_at, rules_version, {", ".join(FIGURES)})
                SELECT id, challenge_id, player_id, 1, 'verified', true,
                    '', now(), 1000 + id %% 5000, now(), 0, {figures}
                FROM attempt RETURNING id
            )
            INSERT INTO games_submissionlog (submission_id, text) SELECT id, %s FROM submission
            """,
            [log],
        )
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")


def _figures(verdict: object) -> list[tuple[str, int]]:
    return [(name, getattr(verdict, name)) for name in FIGURES]


def engine_ms() -> float:
    """CPU that one game costs the engine alone, in milliseconds."""
    deal, log = Deal.parse(Code.parse(CODE)), won_log()
    started, games = time.process_time(), 1000
    for _ in range(games):
        verify(deal, log)
    return 1000 * (time.process_time() - started) / games


def run(stack: Stack, *arguments: str) -> tuple[str, float]:
    """What a command prints, and the CPU seconds of its processes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = stack.manage(*arguments)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Measure, and print the figures."""
    with Stack() as stack:
        database = stack.database_url
        fill(database, GAMES)
        stack.manage("recount")
        # What starting the command costs is taken off; what starting further processes costs is in the figure.
        for processes in PROCESSES:
            _, idle = run(stack, "reverify", "--rules-below", "1", "--until", "2000-01-01", f"--processes={processes}")
            with psycopg.connect(database, autocommit=True) as connection:
                connection.execute("UPDATE games_submission SET rules_version = 0")
                connection.execute("VACUUM ANALYZE games_submission")
            alone, postgres = engine_ms(), stack.cpu_seconds()["postgres"]
            printed, used = run(stack, "reverify", "--rules-below", "1", f"--processes={processes}")
            speed = re.findall(r"(\d+) a second", printed)[0]
            python = 1000 * (used - idle) / GAMES
            database_ms = 1000 * (stack.cpu_seconds()["postgres"] - postgres) / GAMES
            alone = (alone + engine_ms()) / 2
            print(
                f"--processes {processes}: {speed} games a second, all verdicts written; CPU a game: {python:.3f} ms"
                f" replaying and {database_ms:.3f} ms PostgreSQL, of which the engine alone {alone:.3f} ms:"
                f" {2000 / (python + database_ms):.0f} a second on 2 free cores"
            )
