"""How many stored games a second `manage.py reverify` replays and writes.

Won Forty Thieves games with verdicts of older rules, each of a player of its own: all are replayed, and all verdicts
are written. Beside it the engine's own speed in the same run, which is what one process could reach at most.
"""

from __future__ import annotations

import re
import time

import psycopg

from games.engine import FIGURES, Code, Deal, verify

from .pipeline import CODE, Stack, won_log

GAMES = 20_000
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


def engine_speed() -> float:
    """Games a second that the engine verifies in one process."""
    deal, log = Deal.parse(Code.parse(CODE)), won_log()
    started, games = time.perf_counter(), 2000
    for _ in range(games):
        verify(deal, log)
    return games / (time.perf_counter() - started)


def main() -> None:
    """Measure, and print the figures."""
    with Stack() as stack:
        database = re.findall(r"DATABASE_URL=(\S+)", (stack.folder / "data" / "up.env").read_text())[0].strip("'\"")
        fill(database, GAMES)
        stack.manage("recount")
        for processes in PROCESSES:
            with psycopg.connect(database, autocommit=True) as connection:
                connection.execute("UPDATE games_submission SET rules_version = 0")
                connection.execute("VACUUM ANALYZE games_submission")
            alone = engine_speed()
            started = time.perf_counter()
            stack.manage("reverify", "--rules-below", "1", "--processes", str(processes))
            speed = GAMES / (time.perf_counter() - started)
            print(
                f"{processes} process{'es' if processes > 1 else ''}: {speed:.0f} games/s with all verdicts written;"
                f" the engine alone {alone:.0f}/s in one: ratio {speed / alone:.2f}"
            )
