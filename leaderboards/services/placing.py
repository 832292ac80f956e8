"""Who stands where, and what it sums to: rows in PostgreSQL, from the submissions that count.

`record_standings` lets new verdicts take their places and changes the sums by the differences. `recompute_players` and
`recompute_challenge` make places and sums anew whatever they were, when something that counts is changed otherwise.

Locks are taken in one order: the lock on counting (shared by batches of verdicts, alone for a recomputation), then
standings by (challenge, board, player), then period standings by (player, mode, period, first day). A recomputation
therefore sees every verdict given before it, and every later verdict sees what it was done for.
"""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.db.models.functions import Now

from games.models import Challenge
from games.signals import Ruling
from leaderboards.addresses import PERIOD_STANDINGS, STANDINGS, PeriodBoard, challenge_boards
from leaderboards.counting import BOARD_NAMES, COMPETES, COUNTED_SUBMISSIONS, COUNTING_LOCK, COUNTS, STAKE
from leaderboards.models import PendingRecount
from leaderboards.periods import PERIODS_OF_DAILY, Period, first_day
from leaderboards.ranking import PACKED, unpacked

from .closing import note_changed
from .standings import push_groups

#: So many players of a challenge are recomputed in one transaction: verdicts wait for no more.
SLICE = 1000
#: Whoever works at a recomputation notes that with each slice; after so long it was left.
LEFT_AFTER = datetime.timedelta(minutes=1)


def record_standings(*, rulings: Sequence[Ruling]) -> list[int]:
    """Let verified submissions take their places where they are better; returns the challenges concerned.

    Call it inside the transaction that writes the verdicts.
    """
    submissions = [ruling.submission_id for ruling in rulings if ruling.verified and ruling.ranked]
    if not submissions:
        return []
    with connection.cursor() as cursor:
        # A statement of its own: the next one sees what was committed before the lock was had.
        cursor.execute("SELECT pg_advisory_xact_lock_shared(%s)", [COUNTING_LOCK])
        cursor.execute(_RECORD, [submissions])
        found = cursor.fetchall()
    note_changed(challenge_ids=[challenge_id for challenge_id, is_closed, _ in found if is_closed])
    return sorted(challenge_id for challenge_id, *_ in found)


def _wanted(condition: str) -> str:
    """The standings that the submissions of a condition give: the best of each player on each board, in lock order."""
    return f"""
        SELECT DISTINCT ON (submission.challenge_id, board.name, submission.player_id)
            submission.challenge_id, board.name AS board, submission.player_id, submission.id AS submission_id,
            {PACKED} AS key
        FROM {COUNTED_SUBMISSIONS} CROSS JOIN {BOARD_NAMES}
        WHERE {COUNTS} AND {COMPETES} AND {condition}
        ORDER BY submission.challenge_id, board.name, submission.player_id, key, submission.id
    """


def _place(condition: str) -> str:
    """Put those standings where they are better than what is there."""
    return f"""
        INSERT INTO leaderboards_standing (challenge_id, board, player_id, submission_id, key)
        SELECT * FROM ({_wanted(condition)}) wanted
        ON CONFLICT (challenge_id, board, player_id) DO UPDATE
        SET submission_id = excluded.submission_id, key = excluded.key, {STANDINGS.change}
        WHERE leaderboards_standing.key IS NULL
            OR (excluded.key, excluded.submission_id) < (leaderboards_standing.key, leaderboards_standing.submission_id)
        RETURNING new.challenge_id, new.board, new.player_id, old.key AS old_key, new.key AS new_key
    """


_OLD_SCORE, _OLD_WON, _OLD_MOVES = unpacked("placed.old_key")
_NEW_SCORE, _NEW_WON, _NEW_MOVES = unpacked("placed.new_key")


def _with_sums(placed: str) -> str:
    """Change the sums with the places, by the differences of their old and new keys, as they were under the row lock.

    ``placed`` returns challenge, board, player, and the two keys; null for no place. Gives the challenges concerned,
    whether each is closed, and how many places it was that changed.
    """
    return f"""
        WITH {placed}, change AS (
            SELECT placed.player_id, challenge.mode, period.period, period.starts_on,
                sum(coalesce({_NEW_SCORE} + {STAKE}, 0) - coalesce({_OLD_SCORE} + {STAKE}, 0)) AS score,
                sum((placed.new_key IS NOT NULL)::integer - (placed.old_key IS NOT NULL)::integer) AS played,
                sum(coalesce({_NEW_WON}, 0) - coalesce({_OLD_WON}, 0)) AS won,
                sum(coalesce({_NEW_MOVES}, 0) - coalesce({_OLD_MOVES}, 0)) AS moves
            FROM placed JOIN games_challenge challenge ON challenge.id = placed.challenge_id
            CROSS JOIN LATERAL {PERIODS_OF_DAILY}
            WHERE placed.board = 'best' AND challenge.date IS NOT NULL
            GROUP BY placed.player_id, challenge.mode, period.period, period.starts_on
        ), summed AS (
            INSERT INTO leaderboards_periodstanding
                (player_id, mode, period, starts_on, score, played, won, moves)
            SELECT * FROM change WHERE (score, played, won, moves) <> (0, 0, 0, 0)
            ORDER BY player_id, mode, period, starts_on
            ON CONFLICT (player_id, mode, period, starts_on) DO UPDATE
            SET score = leaderboards_periodstanding.score + excluded.score,
                played = leaderboards_periodstanding.played + excluded.played,
                won = leaderboards_periodstanding.won + excluded.won,
                moves = leaderboards_periodstanding.moves + excluded.moves, {PERIOD_STANDINGS.change}
        )
        SELECT challenge_id, EXISTS (SELECT FROM leaderboards_closeddaily WHERE challenge_id = placed.challenge_id),
            count(*)
        FROM placed GROUP BY challenge_id
    """


# psycopg remembers how it prepared statements of up to 4096 characters.
_RECORD = " ".join(_with_sums(f"placed AS ({_place('submission.id = ANY(%s)')})").split())


class _Scope(NamedTuple):
    """What is recomputed: conditions on submissions, standings and sums. Each ``%s`` in them is ``argument``."""

    submissions: str
    standings: str
    sums: str
    argument: Any

    def run(self, cursor: Any, statement: str) -> None:
        """Run a statement made of these conditions, and of no other arguments."""
        cursor.execute(statement, [self.argument] * statement.count("%s"))


def _of_players(players: list[int]) -> _Scope:
    return _Scope("submission.player_id = ANY(%s)", "standing.player_id = ANY(%s)", "player_id = ANY(%s)", players)


def _of_challenge(challenge_id: int, players: list[int]) -> _Scope:
    return _Scope(
        f"submission.challenge_id = {challenge_id:d} AND submission.player_id = ANY(%s)",
        f"standing.challenge_id = {challenge_id:d} AND standing.player_id = ANY(%s)",
        f"""player_id = ANY(%s) AND (mode, period, starts_on) IN (
            SELECT challenge.mode, period.period, period.starts_on
            FROM games_challenge challenge CROSS JOIN LATERAL {PERIODS_OF_DAILY}
            WHERE challenge.id = {challenge_id:d} AND challenge.date IS NOT NULL
        )""",
        players,
    )


def recompute_players(*, player_ids: Iterable[int]) -> int:
    """Make the standings and sums of these players what their submissions say, on all boards, here and in Redis.

    Returns how many rows that changed.

    Call it inside the transaction that changed what counts: a submission of theirs was disqualified or verified anew,
    they were banned, let in again, deleted, made full players, or took over a guest's results (then for both).
    Safe to repeat, and beside workers that give verdicts.
    """
    players = sorted(set(player_ids))
    with transaction.atomic(), connection.cursor() as cursor:
        challenges = _recompute(cursor, _of_players(players))
        cursor.execute(_SUM, [players])
        sums = [PeriodBoard(*row) for row in cursor.fetchall()]
        _push_after_commit(sorted(challenges), set(sums))
    return challenges.total() + len(sums)


def recompute_challenge(*, challenge_id: int) -> int:
    """Make the boards of a challenge what its submissions say, and with them all sums, here and in Redis.

    Call it inside the transaction that changed what counts: the challenge was cancelled or brought back, or many of its
    submissions were verified anew. Safe to repeat, and beside workers that give verdicts.

    `SLICE` players follow in that transaction, further ones right after its commit, as many at a time: so no verdict
    waits for all of them. A worker goes on where the process dies. Returns how many places changed in the transaction.
    """
    with transaction.atomic():
        rest = PendingRecount.objects.select_for_update().filter(challenge_id=challenge_id)
        # Before the lock on counting, as whoever works at the rest takes them.
        list(rest)
        changed, last = _recompute_slice(challenge_id, after=0)
        if last is None:
            rest.delete()
        else:
            PendingRecount.objects.update_or_create(
                challenge_id=challenge_id, defaults={"after": last, "worked_at": Now()}
            )
            transaction.on_commit(lambda: _finish(challenge_id), robust=True)
    return changed


def finish_left_recounts() -> None:
    """Go on with recomputations of challenges that were left by processes that died. Safe to repeat."""
    left = PendingRecount.objects.filter(worked_at__lt=Now() - LEFT_AFTER)
    for challenge_id in list(left.values_list("challenge_id", flat=True)):
        _finish(challenge_id)


def _finish(challenge_id: int) -> None:
    while _recompute_next_slice(challenge_id):
        pass


def _recompute_next_slice(challenge_id: int) -> bool:
    """Whether there may be more to do; not where somebody else does it."""
    with transaction.atomic():
        rest = PendingRecount.objects.select_for_update(skip_locked=True).filter(challenge_id=challenge_id)
        if not (pending := rest.first()):
            return False
        _, last = _recompute_slice(challenge_id, after=pending.after)
        if last is None:
            pending.delete()
        else:
            rest.update(after=last, worked_at=Now())
    return last is not None


def _recompute_slice(challenge_id: int, *, after: int) -> tuple[int, int | None]:
    """Recompute the next players by number; returns how many places changed, and the last player if there are more."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [COUNTING_LOCK])
        cursor.execute(_NEXT_PLAYERS, {"challenge": challenge_id, "after": after, "limit": SLICE})
        players = [row[0] for row in cursor.fetchall()]
        challenges = _recompute(cursor, _of_challenge(challenge_id, players)) if players else Counter[int]()
    _push_after_commit(sorted(challenges), set())
    return challenges.total(), players[-1] if len(players) == SLICE else None


_NEXT_PLAYERS = """
(SELECT DISTINCT player_id FROM games_submission
    WHERE challenge_id = %(challenge)s AND player_id > %(after)s ORDER BY player_id LIMIT %(limit)s)
UNION
(SELECT DISTINCT player_id FROM leaderboards_standing
    WHERE challenge_id = %(challenge)s AND player_id > %(after)s ORDER BY player_id LIMIT %(limit)s)
ORDER BY player_id LIMIT %(limit)s
"""


def _recompute(cursor: Any, scope: _Scope) -> Counter[int]:
    """Put the standings right, and sums and final ranks with them; returns how many changed of each challenge."""
    cursor.execute("SELECT pg_advisory_xact_lock(%s)", [COUNTING_LOCK])
    # Whoever tells Redis locks rows too, and several statements to come would lock them in an order of their own.
    scope.run(cursor, _lock("leaderboards_standing standing", scope.standings, "challenge_id, board, player_id"))
    scope.run(cursor, _lock("leaderboards_periodstanding", scope.sums, "player_id, mode, period, starts_on"))
    scope.run(cursor, _with_sums(_remove(scope)))
    found = cursor.fetchall()
    scope.run(cursor, _with_sums(f"placed AS ({_place(scope.submissions)})"))
    challenges: Counter[int] = Counter()
    for challenge_id, _, count in [*found, *cursor.fetchall()]:
        challenges[challenge_id] += count
    note_changed(challenge_ids=sorted(challenges))
    return challenges


def _lock(table: str, condition: str, order: str) -> str:
    """Lock rows in order; says only how many, since nobody reads them."""
    return f"""
        WITH locked AS MATERIALIZED (SELECT 1 FROM {table} WHERE {condition} ORDER BY {order} FOR UPDATE)
        SELECT count(*) FROM locked
    """


def _push_after_commit(challenge_ids: list[int], periods: set[PeriodBoard]) -> None:
    for mode, date in Challenge.objects.filter(pk__in=challenge_ids).values_list("mode", "date"):
        if date is not None:
            periods.update(PeriodBoard(mode, period, first_day(period, date)) for period in Period.values)
    groups = [*map(challenge_boards, challenge_ids), *(board.group for board in sorted(periods, key=str))]
    # Boards of long ago aren't in Redis, and nobody asked for them: they stay away.
    transaction.on_commit(lambda: push_groups(groups, revive=False), robust=True)


def _remove(scope: _Scope) -> str:
    """Take the places away that no submission gives; `_place` gives the right ones."""
    return f"""
        wrong AS (
            SELECT standing.id FROM leaderboards_standing standing
            LEFT JOIN ({_wanted(scope.submissions)}) wanted
                ON (wanted.challenge_id, wanted.board, wanted.player_id, wanted.submission_id, wanted.key)
                    = (standing.challenge_id, standing.board, standing.player_id, standing.submission_id, standing.key)
            WHERE {scope.standings} AND standing.key IS NOT NULL AND wanted.key IS NULL
            ORDER BY standing.challenge_id, standing.board, standing.player_id FOR UPDATE OF standing
        ), placed AS (
            UPDATE leaderboards_standing SET submission_id = NULL, key = NULL, {STANDINGS.change}
            WHERE id IN (SELECT id FROM wrong)
            RETURNING new.challenge_id, new.board, new.player_id, old.key AS old_key, new.key AS new_key
        )
    """


_SCORE, _WON, _MOVES = unpacked("standing.key")


# Makes the sums of players what their standings say; who has played nothing that counts has a row of zeros.
_SUM = f"""
INSERT INTO leaderboards_periodstanding (player_id, mode, period, starts_on, score, played, won, moves)
SELECT player_id, mode, period, starts_on, sum(score), sum(played), sum(won), sum(moves) FROM (
    SELECT standing.player_id, challenge.mode, period.period, period.starts_on,
        {_SCORE} + {STAKE} AS score, 1 AS played, {_WON} AS won, {_MOVES} AS moves
    FROM leaderboards_standing standing JOIN games_challenge challenge ON challenge.id = standing.challenge_id
    CROSS JOIN LATERAL {PERIODS_OF_DAILY}
    WHERE standing.board = 'best' AND standing.key IS NOT NULL AND challenge.date IS NOT NULL
    UNION ALL SELECT player_id, mode, period, starts_on, 0, 0, 0, 0 FROM leaderboards_periodstanding
) line
WHERE player_id = ANY(%s)
GROUP BY player_id, mode, period, starts_on ORDER BY player_id, mode, period, starts_on
ON CONFLICT (player_id, mode, period, starts_on) DO UPDATE
SET score = excluded.score, played = excluded.played, won = excluded.won, moves = excluded.moves,
    {PERIOD_STANDINGS.change}
WHERE (leaderboards_periodstanding.score, leaderboards_periodstanding.played, leaderboards_periodstanding.won,
        leaderboards_periodstanding.moves)
    <> (excluded.score, excluded.played, excluded.won, excluded.moves)
RETURNING new.mode, new.period, new.starts_on
"""
