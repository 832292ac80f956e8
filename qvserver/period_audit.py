"""Proves the boards of weeks, months and all time right, and the final ranks of dailies.

`sum_periods` is a second opinion in plain Python, which shares no code with what it checks. It begins at the standings
and the verdicts, which `qvserver.audit` compares with the stored logs.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .board_comparison import read_board, wrong_heads, wrong_lines

#: Vegas pays a stake for each game, which a period gives back for each daily played.
STAKES = {"kl-d1v": 52, "kl-d3v": 52}

_PAGE = 5000


class Played(NamedTuple):
    """What stands for a player on the `best` board of a daily."""

    mode: str
    date: datetime.date
    player: int
    ranked_score: int
    won: bool
    moves: int


class PeriodPlace(NamedTuple):
    """A line of a period board, best first."""

    rank: int
    player: int
    score: int
    won: int
    moves: int
    played: int


Key = tuple[str, str, datetime.date]


def sum_periods(rows: Iterable[Played]) -> dict[Key, list[PeriodPlace]]:
    """The boards of all periods, (mode, period, first day) to lines."""
    sums: dict[Key, dict[int, list[int]]] = {}
    for row in rows:
        for period, first in _periods(row.date):
            line = sums.setdefault((row.mode, period, first), {}).setdefault(row.player, [0, 0, 0, 0])
            for i, amount in enumerate((row.ranked_score + STAKES.get(row.mode, 0), row.won, row.moves, 1)):
                line[i] += amount
    return {key: _ranked(lines) for key, lines in sums.items()}


def _periods(date: datetime.date) -> list[tuple[str, datetime.date]]:
    year, week, _ = date.isocalendar()
    monday = datetime.date.fromisocalendar(year, week, 1)
    return [("week", monday), ("month", datetime.date(date.year, date.month, 1)), ("all", datetime.date(1970, 1, 1))]


def _ranked(sums: dict[int, list[int]]) -> list[PeriodPlace]:
    places: list[PeriodPlace] = []
    ordered = sorted((-score, -won, moves, player, played) for player, (score, won, moves, played) in sums.items())
    for position, (score, won, moves, player, played) in enumerate(ordered, 1):
        place = PeriodPlace(position, player, -score, -won, moves, played)
        if places and places[-1][2:5] == place[2:5]:
            place = place._replace(rank=places[-1].rank)
        places.append(place)
    return places


# From here on: what is stored.


@dataclass
class Recomputed:
    """The period boards as they should be at one moment, and what differed in PostgreSQL then."""

    boards: dict[Key, list[PeriodPlace]]
    differences: list[str] = field(default_factory=list)


def compare_stored_periods() -> Recomputed:
    """Compare sums, PostgreSQL's boards and final ranks, as they are at one moment. Not inside a transaction."""
    from django.db import connection, transaction

    from leaderboards import stored_boards

    with transaction.atomic(durable=True):
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        recomputed = Recomputed(sum_periods(_stored_results()))
        recomputed.differences += _compare_sums(recomputed.boards)
        for key, places in sorted(recomputed.boards.items()):
            lines, heads = _read(stored_boards, key)
            wrong = wrong_heads(heads, [place.rank for place in places]) or wrong_lines(lines, _lines(places))
            recomputed.differences += [f"{_named(key)} differs in PostgreSQL: {text}" for text in wrong]
        recomputed.differences += _compare_final_ranks()
    return recomputed


def compare_redis_periods(recomputed: Recomputed) -> tuple[int, list[str]]:
    """How many boards aren't in Redis, and what differs in those that are, later verdicts aside."""
    from games.redis_client import RedisAway
    from leaderboards import boards as redis_boards

    unmade, differences = 0, []
    for key, places in sorted(recomputed.boards.items()):
        try:
            lines, heads = _read(redis_boards, key)
        except redis_boards.NotComplete:
            unmade += 1
            continue
        except RedisAway as error:
            differences.append(f"{_named(key)} couldn't be read from Redis: {error}")
            continue
        # Asked after Redis was read, so that nothing in there can be newer.
        moved = _moved_since(key, places)
        wrong = [] if moved else wrong_heads(heads, [place.rank for place in places])
        wrong = wrong or wrong_lines(
            [line for line in lines if line[0] not in moved], [line for line in _lines(places) if line[0] not in moved]
        )
        differences += [f"{_named(key)} differs in Redis: {text}" for text in wrong]
    return unmade, differences


def _stored_results() -> Iterable[Played]:
    from leaderboards.models import Standing

    rows = Standing.objects.filter(board="best", challenge__date__isnull=False).values_list(
        "challenge__mode",
        "challenge__date",
        "player_id",
        "submission__ranked_score",
        "submission__won",
        "submission__moves",
    )
    for mode, date, player, ranked_score, won, moves in rows.iterator(chunk_size=_PAGE):
        if date is not None:
            yield Played(mode, date, player, ranked_score or 0, bool(won), moves or 0)


def _stored_sums(**of: Any) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    from leaderboards.models import PeriodStanding

    rows = PeriodStanding.objects.filter(played__gt=0, **of).values_list(
        "mode", "period", "starts_on", "player_id", "score", "won", "moves", "played"
    )
    return {row[:4]: row[4:] for row in rows.iterator(chunk_size=_PAGE)}


def _compare_sums(boards: dict[Key, list[PeriodPlace]]) -> list[str]:
    wanted = {(*key, place.player): tuple(place[2:]) for key, places in boards.items() for place in places}
    stored = _stored_sums()
    return [
        f"{_named((mode, period, first))}: player {player} has {stored.get(line)} instead of {wanted.get(line)}"
        for line in sorted(wanted.keys() | stored.keys())
        if stored.get(line) != wanted.get(line)
        for mode, period, first, player in [line]
    ]


def _moved_since(key: Key, places: list[PeriodPlace]) -> set[int]:
    """The players whose sums have changed since the recomputation."""
    mode, period, first = key
    stored = {line[3]: sums for line, sums in _stored_sums(mode=mode, period=period, starts_on=first).items()}
    wanted = {place.player: tuple(place[2:]) for place in places}
    return {player for player in stored.keys() | wanted.keys() if stored.get(player) != wanted.get(player)}


def _compare_final_ranks() -> list[str]:
    from leaderboards.models import ClosedDaily, FinalRank, Standing

    differences = []
    for closed in ClosedDaily.objects.order_by("challenge_id"):
        keys = dict(Standing.objects.filter(challenge_id=closed.pk, board="best").values_list("player_id", "key"))
        ordered = sorted(key for key in keys.values() if key is not None)
        first = {key: position for position, key in reversed(list(enumerate(ordered, 1)))}
        wanted = {player: first[key] for player, key in keys.items() if key is not None}
        stored = dict(FinalRank.objects.filter(challenge_id=closed.pk).values_list("player_id", "rank"))
        if closed.players != len(wanted):
            differences.append(f"challenge {closed.pk} was closed with {closed.players} players, not {len(wanted)}")
        differences += [
            f"final rank of player {player} at challenge {closed.pk} is {stored.get(player)}, not {wanted.get(player)}"
            for player in sorted(wanted.keys() | stored.keys())
            if stored.get(player) != wanted.get(player)
        ]
    return differences


def _read(source: Any, key: Key) -> Any:
    from leaderboards.addresses import PeriodBoard
    from leaderboards.period_ranking import unpack

    return read_board(source, PeriodBoard(*key), unpack, _PAGE)


def _lines(places: list[PeriodPlace]) -> list[tuple[int, ...]]:
    return [tuple(place[1:5]) for place in places]


def _named(key: Key) -> str:
    mode, period, first = key
    return f"{mode} of all time" if period == "all" else f"{mode}, {period} of {first}"
