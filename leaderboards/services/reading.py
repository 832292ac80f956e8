"""Reading boards: from Redis where it holds the whole board, else from PostgreSQL, with the same answers.

Each call begins with one statement that says who asks, whether the board may be seen, and whether Redis has yet to hear
of a line; if so, it is told first. So whoever reads after a verdict was answered sees it.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import ModuleType
from typing import TypeVar

from games.engine import MODES
from games.redis_client import RedisAway
from games.services.players import CALLER, NAMES_SIGN, Credential, renew_token
from games.statements import one_row
from games.wakeups import wake
from leaderboards import boards, stored_boards
from leaderboards.addresses import Address, ChallengeBoard, PeriodBoard
from leaderboards.boards import NotComplete, Slice, Spread
from leaderboards.layouts import Entry
from leaderboards.metrics import FROM_POSTGRESQL, FROM_REDIS
from leaderboards.ranking import FIRST_NOT_WON, Result, first_key_with_score, unpack

from .lines import Line, lines_of
from .standings import push_groups

T = TypeVar("T")

#: Where the bars of the histogram begin, by family; those of Vegas, in dollars, also below 0.
BARS = {"FT1": range(0, 1361, 40), "KL1": range(0, 746, 25)}
VEGAS_BARS = range(-60, 201, 20)

QUANTILES = (0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95)


@dataclass(frozen=True, slots=True)
class BoardPage:
    """Some lines of a board, the caller's own if there is one, and where the pages beside them end and begin.

    ``before`` and ``after`` are the first and the last of the lines; None where there is nothing beyond.
    """

    total: int
    lines: Sequence[Line]
    own: Line | None
    before: Entry | None
    after: Entry | None


@dataclass(frozen=True, slots=True)
class Glimpse:
    """What the first statement of a read tells; ``sign`` is that of all names.

    ``mode`` is None where the challenge isn't there for players; ``is_member`` is false where the board is a club's and
    the caller isn't in it.
    """

    caller_id: int | None
    mode: str | None
    is_member: bool
    own: Entry | None
    sign: str | None


def glimpse(*, credential: Credential, board: Address, player: str | None = None, now: datetime.datetime) -> Glimpse:
    """Who asks, for which board, and where the player of that name (or the caller) stands on it.

    Tells Redis of what is new first.
    """
    arguments = {**board.columns, **credential.arguments(now), "club": board.club_id, "player": player}
    row = one_row(_glimpse(isinstance(board, ChallengeBoard), board.club_id is not None), arguments)
    assert row is not None, "the statement always gives a row"
    caller_id, expiry, mode, is_member, unpushed, own_id, key, sign = row
    renew_token(digest=credential.digest, expiry=expiry, now=now)
    if unpushed and mode is not None:
        push_groups([board.group])
    return Glimpse(caller_id, mode, is_member, None if own_id is None else Entry(own_id, int(key)), sign)


@lru_cache
def _glimpse(is_challenge: bool, is_club: bool) -> str:
    table = (ChallengeBoard if is_challenge else PeriodBoard).table
    if is_challenge:
        board, group = "challenge_id = %(challenge_id)s AND board = %(board)s", "challenge_id = %(challenge_id)s"
        mode = """(
            SELECT mode FROM games_challenge
            WHERE id = %(challenge_id)s AND opens_at <= %(now)s
                AND published_at IS NOT NULL AND cancelled_at IS NULL
        )"""
    else:
        group = board = "mode = %(mode)s AND period = %(period)s AND starts_on = %(starts_on)s"
        mode = "%(mode)s::text"
    in_club = "EXISTS (SELECT FROM leaderboards_membership WHERE club_id = %(club)s AND player_id = {})"
    return f"""
    WITH caller AS ({CALLER}), wanted AS (
        SELECT id FROM caller WHERE %(player)s::text IS NULL
        UNION ALL SELECT id FROM games_player WHERE lower(name) = lower(%(player)s::text) AND tombstone = 0
    ), own AS (
        SELECT {table.member} AS id, key FROM {table.name}
        WHERE {board} AND {table.stands} AND player_id = (SELECT id FROM wanted)
        {"AND " + in_club.format("(SELECT id FROM wanted)") if is_club else ""}
    )
    SELECT (SELECT id FROM caller), (SELECT expiry FROM caller), {mode},
        {in_club.format("(SELECT id FROM caller)") if is_club else "true"},
        EXISTS (SELECT FROM {table.name} WHERE {group} AND NOT is_pushed),
        (SELECT id FROM own), (SELECT key FROM own), {NAMES_SIGN}
    """


def read_page(
    *,
    board: Address,
    own: Entry | None,
    limit: int,
    after: Entry | None = None,
    before: Entry | None = None,
    sign: str | None = None,
) -> BoardPage:
    """A page of a board, from the best on, behind ``after``, or before ``before``; ``sign`` is that of a glimpse."""
    if before is not None:
        part = _answer([board], lambda source: source.page_before(board, before, limit=limit, own=own))
    else:
        part = _answer([board], lambda source: source.page(board, after=after, limit=limit, own=own))
    return _page(board, part, own, sign)


def read_around(*, board: Address, own: Entry, span: int, sign: str | None = None) -> BoardPage:
    """The lines around an entry."""
    return _page(board, _answer([board], lambda source: source.around(board, own=own, span=span)), own, sign)


def read_ranks(keys: Sequence[tuple[Address, int]]) -> list[tuple[int, int]]:
    """(rank, total) of a key on a board, for each of the pairs; the rank is 1 + the number of better players."""
    return _answer([board for board, _ in keys], lambda source: source.ranks(keys)) if keys else []


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of the histogram: ranked scores from ``low`` to below ``high``, won and not won."""

    low: int
    high: int
    won: int
    not_won: int

    @property
    def top(self) -> int:
        """The highest score in it."""
        return self.high - 1


@dataclass(frozen=True, slots=True, eq=False)
class Distribution:
    """How a challenge went: who played, who won, and how the ranked scores spread over the board's order."""

    played: int
    won: int
    bars: list[Bar]
    quantiles: dict[str, Result]


#: Of how many boards a process keeps the distribution of the latest version.
KEPT = 64

_kept: dict[ChallengeBoard, tuple[float, Distribution]] = {}


def read_distribution(*, board: ChallengeBoard, mode: str) -> Distribution:
    """The histogram of a board of that mode, in bars as `BARS` has them, and the results at `QUANTILES`.

    The same object while Redis has the same version of the board.
    """
    return _answer([board], lambda source: _distribution(source, board, mode))


def _distribution(source: ModuleType, board: ChallengeBoard, mode: str) -> Distribution:
    version, kept = source.version(board), _kept.get(board)
    if kept is not None and kept[0] == version:
        return kept[1]
    lows = VEGAS_BARS if MODES[mode].game.start_score < 0 else BARS[MODES[mode].family]
    spread = source.spread(board, keys=_edges(lows), shares=QUANTILES)
    made = _from_spread(lows, spread)
    if spread.version is not None:
        if len(_kept) >= KEPT:
            _kept.clear()
        _kept[board] = spread.version, made
    return made


@lru_cache
def _edges(lows: range) -> list[int]:
    # The players with at least a score are those below the first key of the score beneath it.
    return [*(first_key_with_score(low - 1, won=won) for won in (True, False) for low in lows), FIRST_NOT_WON]


def _from_spread(lows: range, spread: Spread) -> Distribution:
    *counts, won_total = spread.below
    at_least_won, at_least_not_won = counts[: len(lows)], [n - won_total for n in counts[len(lows) :]]
    bars = [
        Bar(low, low + lows.step, won - _next(at_least_won, i), not_won - _next(at_least_not_won, i))
        for i, (low, won, not_won) in enumerate(zip(lows, at_least_won, at_least_not_won, strict=True))
    ]
    # No keys of an empty board.
    quantiles = {f"{share:g}": unpack(key) for share, key in zip(QUANTILES, spread.at, strict=bool(spread.total))}
    return Distribution(spread.total, won_total, bars, quantiles)


def _next(counts: list[int], i: int) -> int:
    return counts[i + 1] if i + 1 < len(counts) else 0


def _answer(asked: Sequence[Address], question: Callable[[ModuleType], T]) -> T:
    """Redis' answer, or PostgreSQL's where Redis is away or lacks the board; that is rebuilt in the background.

    Redis holds no club's boards.
    """
    try:
        if all(board.club_id is None for board in asked):
            answer = question(boards)
            FROM_REDIS.inc()
            return answer
    except RedisAway:
        pass
    except NotComplete as error:
        wake("leaderboards.rebuild", str(error.board))
    FROM_POSTGRESQL.inc()
    return question(stored_boards)


def _page(board: Address, part: Slice, own: Entry | None, sign: str | None) -> BoardPage:
    lines, own_line = lines_of(board, part, own, sign)
    behind = part.first_position + len(part.entries) < part.total
    return BoardPage(
        part.total,
        lines,
        own_line,
        part.entries[0] if part.entries and part.first_position else None,
        part.entries[-1] if part.entries and behind else None,
    )
