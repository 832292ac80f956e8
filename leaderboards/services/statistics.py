"""What a player has come to: streaks, statistics of each mode, medals, months. All read from what counts."""

from __future__ import annotations

import datetime
from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from django.conf import settings
from django.db import connection

from leaderboards.counting import COUNTED_SUBMISSIONS, COUNTS
from leaderboards.models.final_rank import medal, percentile
from leaderboards.ranking import unpacked
from leaderboards.streaks import Month, Streak, months, streak

#: So many of the last finished dailies of a mode make up the history of percentiles.
HISTORY = 30


class FinalPlace(NamedTuple):
    """What a finished daily came to for a player."""

    date: datetime.date
    rank: int
    players: int

    @property
    def percentile(self) -> float:
        """Of 100 other players so many didn't stand above."""
        return percentile(self.rank, self.players)


@dataclass(slots=True)
class ModeStatistics:
    """A player's dailies of one mode: ``played``, ``won`` and ``average`` by the submission that counts for each.

    ``best_score`` and ``fewest_moves`` (of a win) are those of any submission to them. Scores are ranked scores.
    """

    played: int = 0
    won: int = 0
    average: float = 0.0
    best_score: int = 0
    fewest_moves: int | None = None
    history: list[FinalPlace] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Statistics:
    """All of it. ``medals`` counts finished dailies by the share (1, 3 or 10 per cent) that the player was in."""

    today: datetime.date
    days_played: int
    has_played_today: bool
    days: Streak
    wins: Streak
    modes: dict[str, ModeStatistics]
    medals: dict[int, int]
    months: list[Month]


def read_statistics(*, player_id: int, now: datetime.datetime) -> Statistics:
    """A player's statistics as of now."""
    today = now.astimezone(datetime.UTC).date()
    played = days_played(player_id=player_id)
    modes = _modes(player_id)
    medals: Counter[int] = Counter()
    for mode, place in _final_places(player_id):
        if won := medal(place.rank, place.players):
            medals[won] += 1
        history = modes[mode].history if mode in modes else []
        if len(history) < HISTORY:
            history.append(place)
    return Statistics(
        today=today,
        days_played=len(played),
        has_played_today=today in played,
        days=streak(played, today=today),
        wins=streak((day for day, won in played.items() if won), today=today),
        modes=modes,
        medals=dict(medals),
        months=months(played),
    )


def days_played(*, player_id: int) -> dict[datetime.date, bool]:
    """The UTC dates of which the player has played a daily, and whether one of that date was won.

    A daily is played by a submission of at least one action that counts for its board, whatever its score.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            SELECT challenge.date, bool_or(submission.won) FROM {COUNTED_SUBMISSIONS}
            WHERE submission.player_id = %s AND {COUNTS} AND challenge.date IS NOT NULL AND submission.moves > 0
            GROUP BY challenge.date
            """,
            [player_id],
        )
        return dict(cursor.fetchall())


class RankedGame(NamedTuple):
    """A submission that counts, with its challenge: a daily has a date, an event a title; ``elapsed`` in tenths."""

    submission_id: int
    challenge_id: int
    mode: str
    date: datetime.date | None
    title: str
    is_over: bool
    won: bool
    score: int
    moves: int
    elapsed: int


def recent_games(*, player_id: int, now: datetime.datetime, limit: int = 10) -> list[RankedGame]:
    """The last submissions of a player that count, the latest first."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            SELECT submission.id, challenge.id, challenge.mode, challenge.date, challenge.title,
                challenge.closes_at <= %(over)s, submission.won, submission.ranked_score, submission.moves,
                submission.elapsed
            FROM {COUNTED_SUBMISSIONS} WHERE submission.player_id = %(player)s AND {COUNTS}
            ORDER BY submission.id DESC LIMIT %(limit)s
            """,
            {"player": player_id, "over": now - settings.QV_GRACE, "limit": limit},
        )
        return [RankedGame(*row) for row in cursor.fetchall()]


_SCORE, _WON, _ = unpacked("standing.key")


def _modes(player_id: int) -> dict[str, ModeStatistics]:
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            SELECT challenge.mode, count(*), sum({_WON}), avg({_SCORE})
            FROM leaderboards_standing standing JOIN games_challenge challenge ON challenge.id = standing.challenge_id
            WHERE standing.player_id = %s AND standing.board = 'best' AND standing.key IS NOT NULL
                AND challenge.date IS NOT NULL
            GROUP BY challenge.mode ORDER BY challenge.mode
            """,
            [player_id],
        )
        modes = {
            mode: ModeStatistics(played, int(won), round(float(average), 1))
            for mode, played, won, average in cursor.fetchall()
        }
        cursor.execute(
            f"""
            SELECT challenge.mode, max(submission.ranked_score), min(submission.moves) FILTER (WHERE submission.won)
            FROM {COUNTED_SUBMISSIONS}
            WHERE submission.player_id = %s AND {COUNTS} AND challenge.date IS NOT NULL GROUP BY challenge.mode
            """,
            [player_id],
        )
        for mode, best_score, fewest_moves in cursor.fetchall():
            if mode in modes:
                modes[mode].best_score, modes[mode].fewest_moves = best_score, fewest_moves
    return modes


def _final_places(player_id: int) -> list[tuple[str, FinalPlace]]:
    """Mode and place of the finished dailies, the latest first."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT challenge.mode, challenge.date, final.rank, closed.players
            FROM leaderboards_finalrank final
            JOIN leaderboards_closeddaily closed ON closed.challenge_id = final.challenge_id
            JOIN games_challenge challenge ON challenge.id = final.challenge_id
            WHERE final.player_id = %s ORDER BY challenge.date DESC, challenge.mode
            """,
            [player_id],
        )
        return [(mode, FinalPlace(*place)) for mode, *place in cursor.fetchall()]
