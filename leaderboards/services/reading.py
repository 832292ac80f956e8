"""Reading boards: from Redis where it holds the whole board, else from PostgreSQL, with the same answers.

Each call begins with one statement that says who asks, whether the challenge may be seen, and whether Redis has yet to
hear of a standing; if so, it is told first. So whoever reads after a verdict was answered sees it.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import TypeVar

from django.db import connection

from games.redis_client import RedisAway
from games.services.players import TOKEN_OWNER
from games.wakeups import wake
from leaderboards import boards, stored_boards
from leaderboards.boards import Entry, NotComplete, Slice
from leaderboards.ranking import FIRST_NOT_WON, LOWEST_SCORE, Result, first_key_with_score, unpack

from .standings import push_standings

T = TypeVar("T")

QUANTILES = (0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95)


@dataclass(frozen=True, slots=True)
class Line:
    """One player's line on a board."""

    rank: int
    submission_id: int
    player: str
    is_guest: bool
    result: Result


@dataclass(frozen=True, slots=True)
class BoardPage:
    """Some lines of a board, the caller's own standing if there is one, and where the next page begins."""

    total: int
    lines: list[Line]
    own: Line | None
    after: Entry | None


@dataclass(frozen=True, slots=True)
class Glimpse:
    """What the first statement of a read tells. ``mode`` is None where the challenge isn't there for players."""

    caller_id: int | None
    mode: str | None
    own: Entry | None


def glimpse(
    *, token_digest: str | None, challenge_id: int, board: str, player: str | None = None, now: datetime.datetime
) -> Glimpse:
    """Who asks, for which challenge, and where the player of that name (or the caller) stands.

    Tells Redis of what is new first.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            _GLIMPSE,
            {"digest": token_digest, "challenge": challenge_id, "board": board, "player": player, "now": now},
        )
        caller_id, mode, unpushed, submission_id, key = cursor.fetchone()
    if unpushed:
        push_standings(challenge_ids=[challenge_id])
    return Glimpse(caller_id, mode, None if submission_id is None else Entry(submission_id, key))


_GLIMPSE = f"""
WITH caller AS ({TOKEN_OWNER}), wanted AS (
    SELECT id FROM caller WHERE %(player)s::text IS NULL
    UNION ALL SELECT id FROM games_player WHERE lower(name) = lower(%(player)s::text)
), own AS (
    SELECT submission_id, key FROM leaderboards_standing
    WHERE challenge_id = %(challenge)s AND board = %(board)s AND player_id = (SELECT id FROM wanted)
)
SELECT (SELECT id FROM caller),
    (SELECT mode FROM games_challenge WHERE id = %(challenge)s AND opens_at <= %(now)s
        AND published_at IS NOT NULL AND cancelled_at IS NULL),
    EXISTS (SELECT FROM leaderboards_standing WHERE challenge_id = %(challenge)s AND NOT is_pushed),
    (SELECT submission_id FROM own), (SELECT key FROM own)
"""


def read_page(*, challenge_id: int, board: str, own: Entry | None, after: Entry | None, limit: int) -> BoardPage:
    """A page of a board, from the best on or behind ``after``."""
    part = _answer(challenge_id, lambda source: source.page(challenge_id, board, after=after, limit=limit))
    more = len(part.entries) == limit
    return _page(challenge_id, board, part, own, part.entries[-1] if more else None)


def read_around(*, challenge_id: int, board: str, own: Entry, span: int) -> BoardPage:
    """The lines around a standing."""
    part = _answer(
        challenge_id,
        lambda source: source.around(challenge_id, board, submission_id=own.submission_id, span=span),
    )
    return _page(challenge_id, board, part, own, None)


def read_ranks(*, challenge_id: int, keys: dict[str, int]) -> dict[str, tuple[int, int]]:
    """(rank, total) of a key on each of the boards; the rank is 1 + the number of better players."""
    return _answer(challenge_id, lambda source: source.ranks(challenge_id, keys)) if keys else {}


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of the histogram: ranked scores from ``low`` to below ``high``, won and not won."""

    low: int
    high: int
    won: int
    not_won: int


@dataclass(frozen=True, slots=True)
class Distribution:
    """How a challenge went: who played, who won, and how the ranked scores spread over the board's order."""

    played: int
    won: int
    bars: list[Bar]
    quantiles: dict[str, Result]


def read_distribution(*, challenge_id: int, board: str, width: int, highest: int) -> Distribution:
    """The histogram of a board in bars of ``width`` points up to ``highest``, and the results at `QUANTILES`."""
    lows = range(LOWEST_SCORE // width * width, highest + 1, width)
    # The players with at least a score are those below the first key of the score beneath it.
    edges = [first_key_with_score(low - 1, won=won) for won in (True, False) for low in lows]
    counts, total = _answer(
        challenge_id, lambda source: source.counts_below(challenge_id, board, [*edges, FIRST_NOT_WON])
    )
    won_total = counts.pop()
    at_least_won, at_least_not_won = counts[: len(lows)], [n - won_total for n in counts[len(lows) :]]
    bars = [
        Bar(
            low, low + width, at_least_won[i] - _next(at_least_won, i), at_least_not_won[i] - _next(at_least_not_won, i)
        )
        for i, low in enumerate(lows)
    ]
    return Distribution(total, won_total, bars, _quantiles(challenge_id, board, total))


def _next(counts: list[int], i: int) -> int:
    return counts[i + 1] if i + 1 < len(counts) else 0


def _quantiles(challenge_id: int, board: str, total: int) -> dict[str, Result]:
    if not total:
        return {}
    positions = [min(total - 1, int(share * total)) for share in QUANTILES]
    keys = _answer(challenge_id, lambda source: source.keys_at(challenge_id, board, positions))
    return {f"{share:g}": unpack(key) for share, key in zip(QUANTILES, keys, strict=True)}


def _answer(challenge_id: int, question: Callable[[ModuleType], T]) -> T:
    """Redis' answer, or PostgreSQL's where Redis is away or lacks the board; that is rebuilt in the background."""
    try:
        return question(boards)
    except RedisAway:
        pass
    except NotComplete as error:
        wake("leaderboards.rebuild", challenge_id, error.board)
    return question(stored_boards)


def _page(challenge_id: int, board: str, part: Slice, own: Entry | None, after: Entry | None) -> BoardPage:
    entries = part.entries if own is None or own in part.entries else [*part.entries, own]
    players = _players(board, [entry.submission_id for entry in entries])
    # A standing that was replaced since the board was read has no player any more and is left out.
    lines = [
        Line(rank, entry.submission_id, *players[entry.submission_id], unpack(entry.key))
        for rank, entry in zip(_ranks(part), part.entries, strict=True)
        if entry.submission_id in players
    ]
    return BoardPage(part.total, lines, _own_line(challenge_id, board, own, lines, players), after)


def _ranks(part: Slice) -> list[int]:
    """The rank of each line: equal keys share the rank of the first of them."""
    ranks: list[int] = []
    for i, entry in enumerate(part.entries):
        if i and entry.key == part.entries[i - 1].key:
            ranks.append(ranks[-1])
        else:
            ranks.append(part.first_position + i + 1 if i else part.first_rank)
    return ranks


def _own_line(
    challenge_id: int, board: str, own: Entry | None, lines: list[Line], players: dict[int, tuple[str, bool]]
) -> Line | None:
    if own is None or own.submission_id not in players:
        return None
    for line in lines:
        if line.submission_id == own.submission_id:
            return line
    [(rank, _)] = read_ranks(challenge_id=challenge_id, keys={board: own.key}).values()
    return Line(rank, own.submission_id, *players[own.submission_id], unpack(own.key))


def _players(board: str, submission_ids: list[int]) -> dict[int, tuple[str, bool]]:
    """Name and whether a guest, by submission. Names come from PostgreSQL: a renamed player is renamed everywhere."""
    if not submission_ids:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT standing.submission_id, player.name, player.is_guest
            FROM leaderboards_standing standing JOIN games_player player ON player.id = standing.player_id
            WHERE standing.submission_id = ANY(%s) AND standing.board = %s
            """,
            [submission_ids, board],
        )
        return {submission_id: (name, is_guest) for submission_id, name, is_guest in cursor.fetchall()}
