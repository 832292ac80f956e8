"""What reading a board costs, and how that grows: the first page, a player's neighbours and the distribution.

A board of 10,000, of 100,000 and of 1,000,000 players, beside a call that reads nothing (`GET /api/v1/`), in one run.
CPU is that of web, PostgreSQL and Redis together, in the unit of `pipeline`. The rows are made by PostgreSQL.

Each is measured twice: of a board at rest, whose first page and distribution the web has packed before, and of one that
changes before every read, in its first line, as a push would change it (`changed`; Redis' cost of that is counted too).
Names are known to the web in both: each caller reads before anything is measured, and nobody is renamed.
"""

from __future__ import annotations

import contextlib
import random
import subprocess
from collections.abc import Callable
from dataclasses import dataclass

import psycopg
from redis import Redis

from games.services.players import token_digest
from leaderboards.addresses import ChallengeBoard
from leaderboards.layouts import BY_SCORE, COMPLETE
from leaderboards.ranking import PACKED

from .pipeline import Player, Stack, Unit, run

SIZES = (10_000, 100_000, 1_000_000)
READS = 2_000
#: Players who have a token and call, spread over the whole board.
CALLERS = 500
#: The number of the first; others are there already.
FIRST = 1000
PARTS = ("web", "postgres", "redis")


def fill(database: str, challenge: int, first: int, last: int) -> None:
    """Let the players with these numbers stand on the ``best`` board, as half of them winners would."""
    with psycopg.connect(database, autocommit=True) as connection:
        # What the rows refer to isn't read: no attempts, submissions and logs are made for them.
        connection.execute("SET session_replication_role = replica")
        connection.execute("SELECT setseed(0.5)")
        connection.execute(
            f"""
            WITH player AS (
                INSERT INTO games_player (id, name, skeleton, is_guest, password, is_superuser, is_staff, is_active)
                SELECT n, 'Reader' || n, 'reader' || n, n % 2 = 0, '!', false, false, true
                FROM generate_series({first}, {last}) n
            ), submission AS (
                SELECT n AS id, random() < 0.5 AS won, (random() * 250)::integer * 5 AS ranked_score,
                    250 + (random() * 400)::integer AS moves, (random() * 20000)::bigint AS elapsed
                FROM generate_series({first}, {last}) n
            )
            INSERT INTO leaderboards_standing
                (challenge_id, board, player_id, submission_id, key, is_pushed, pushed_submission_id)
            SELECT {challenge}, 'best', id, id, {PACKED}, true, id FROM submission
            """
        )
        connection.execute("VACUUM ANALYZE games_player, leaderboards_standing")


def rebuild(stack: Stack, challenge: int) -> None:
    """Put the board into Redis; on a very busy machine it takes several tries until Redis answers each time in time."""
    while True:
        with contextlib.suppress(subprocess.CalledProcessError):
            return stack.manage("rebuild_boards", "--challenge", str(challenge))


def make_callers(stack: Stack, database: str, smallest: int) -> list[Player]:
    """Clients with the tokens of some of the first players."""
    callers = []
    with psycopg.connect(database) as connection:
        for number in random.Random(7).sample(range(FIRST, FIRST + smallest), CALLERS):
            token = f"reads-{number}"
            connection.execute(
                "INSERT INTO knox_authtoken (digest, token_key, user_id, created, expiry)"
                " VALUES (%s, 'reads', %s, now(), now() + interval '90 days')",
                [token_digest(token), number],
            )
            callers.append(Player(stack.port))
            callers[-1].headers["Authorization"] = f"Token {token}"
    return callers


def changing(read: Callable[[Player], float], redis: Redis, board: ChallengeBoard) -> Callable[[Player], float]:
    """The read after the first line's time has become a tenth of a second shorter, in a new version of the board."""
    key = board.redis_key

    def read_changed(player: Player) -> float:
        [first], pipeline = redis.zrange(key, 0, 0), redis.pipeline()
        pipeline.zincrby(key, -1, first)
        pipeline.zadd(key, {COMPLETE: BY_SCORE.mark_score()})
        pipeline.execute()
        return read(player)

    return read_changed


@dataclass
class Cost:
    """What a read costs: milliseconds of CPU, the same in units, and how many were answered a second."""

    milliseconds: float
    units: float
    rate: float
    parts: str


def measure(stack: Stack, callers: list[Player], read: Callable[[Player], float], unit: Unit) -> Cost:
    """Have it read many times."""
    readers = callers * (READS // len(callers))
    unit.begin()
    before = stack.cpu_seconds()
    seconds, _ = run(readers, read)
    used = stack.cpu_seconds() - before
    milliseconds = {part: used[part] / len(readers) * 1000 for part in PARTS}
    total = sum(milliseconds.values())
    shown = ", ".join(f"{part} {milliseconds[part]:.2f}" for part in PARTS)
    return Cost(total, total * 1000 / unit.end(), len(readers) / seconds, shown)


def main() -> None:
    """Run the benchmark on a server of its own and print the figures."""
    with Stack() as stack, Unit() as unit:
        database, redis = stack.database_url, Redis.from_url(stack.redis_url)
        challenge = next(
            c["id"] for c in Player(stack.port).call("GET", "challenges/today/")["items"] if c["mode"] == "ft-n"
        )
        board, address = ChallengeBoard(challenge, "best"), f"leaderboards/challenges/{challenge}/"

        def reading(address: str) -> Callable[[Player], float]:
            return lambda player: len(player.call("GET", address))

        reads = {
            "nothing": reading(""),
            "first 100": reading(address),
            "around me": reading(f"{address}around/"),
            "distribution": reading(f"{address}distribution/"),
        }
        reads |= {f"{name}, changed": changing(read, redis, board) for name, read in reads.items() if name != "nothing"}
        costs: dict[tuple[str, int], Cost] = {}
        callers: list[Player] = []
        for before, size in zip((0, *SIZES), SIZES, strict=False):
            fill(database, challenge, FIRST + before, FIRST + size - 1)
            rebuild(stack, challenge)
            callers = callers or make_callers(stack, database, size)
            print(f"{size:,} players: Redis holds the board in {redis.memory_usage(board.redis_key, 0) / 1e6:.0f} MB")
            for name, read in reads.items():
                run(callers, read)
                cost = costs[name, size] = measure(stack, callers, read, unit)
                ratio = cost.rate / costs["nothing", size].rate
                print(
                    f"  {name:<21} {cost.milliseconds:6.2f} ms of CPU = {cost.units:5.1f} units ({cost.parts});"
                    f" {cost.rate:5.0f}/s, {ratio:.2f} of reading nothing"
                )
        print(f"Redis as a whole uses {redis.info('memory')['used_memory'] / 1e6:.0f} MB")
        for name in reads:
            growth = costs[name, SIZES[-1]].units / costs[name, SIZES[0]].units
            print(f"  {name:<21} grows {growth:.2f} times in units from {SIZES[0]:,} to {SIZES[-1]:,}")


if __name__ == "__main__":
    main()
