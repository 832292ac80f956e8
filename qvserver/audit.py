"""Proves verdicts and boards right: recomputes them from the stored logs with nothing but the engine.

`judge`, `measure` and `rank_boards` are that second opinion, in plain Python; they share no code with what they check.
`audit` feeds them with what is stored, challenge by challenge, and compares.
"""

from __future__ import annotations

import datetime
import time
from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from games.engine import FIGURES, RULES_VERSION, Code, Deal, verify

from .board_comparison import Head, Line, read_board, wrong_heads, wrong_lines
from .period_audit import compare_redis_periods, compare_stored_periods

if TYPE_CHECKING:
    from games.models import Submission

#: Who received it so long ago and has no verdict yet waits for too long.
PENDING_LIMIT = datetime.timedelta(seconds=30)
#: The boards of both kinds.
BOARDS = ("best", "first")
#: Elapsed times beyond 155 days count as equal (server.md, Known traps: 27 bits).
LONGEST = 2**27 - 1

_TENTH = datetime.timedelta(milliseconds=100)
_CHUNK = 500
_PAGE = 5000
# A worker may be just about to tell Redis of what is new: where only Redis differs, it is looked at again.
_LOOKS = 3
_PAUSE_SECONDS = 1.0


class Stored(NamedTuple):
    """A submission as it is stored: whose, what, and the verdict that it was given. ``elapsed`` in tenths."""

    id: int
    challenge: int
    player: int
    is_guest: bool
    attempt_number: int
    ranked: bool
    state: str
    elapsed: int
    mode: str
    number: int
    log: str
    verdict: dict[str, Any]
    #: Disqualified, of a banned player, or of a cancelled challenge.
    is_out: bool = False


class Times(NamedTuple):
    """When it was: the start of the attempt, the receipt of the log, and when the challenge was over."""

    started: datetime.datetime
    received: datetime.datetime
    over: datetime.datetime


class Place(NamedTuple):
    """A line of a board, best first. ``elapsed`` in tenths of a second."""

    rank: int
    submission: int
    player: int
    won: bool
    ranked_score: int
    moves: int
    elapsed: int


@lru_cache(maxsize=256)
def _deal(mode: str, number: int) -> Deal:
    return Deal.parse(Code(mode, number))


def judge(row: Stored) -> dict[str, Any]:
    """The verdict that the engine gives on a stored log: state, rules version, error and figures."""
    verdict = verify(_deal(row.mode, row.number), row.log).to_dict()
    figures = {name: verdict[name] for name in FIGURES}
    state = "verified" if verdict["valid"] else "rejected"
    return {"state": state, "rules_version": RULES_VERSION, "error": verdict["error"], **figures}


def measure(row: Stored, times: Times) -> list[str]:
    """What in a submission's elapsed time and ranking contradicts the moments that are stored."""
    found = []
    if (elapsed := max(0, (times.received - times.started) // _TENTH)) != row.elapsed:
        found.append(f"took {elapsed} tenths of a second, stored are {row.elapsed}")
    if row.ranked and times.received >= times.over:
        found.append("is ranked, but came when the challenge was over")
    return found


def rank_boards(rows: Iterable[tuple[Stored, dict[str, Any]]]) -> dict[tuple[int, str], list[Place]]:
    """The boards of challenges, (challenge, board) to lines, from submissions and their recomputed verdicts."""
    best: dict[tuple[int, str], dict[int, tuple[Any, ...]]] = {}
    for row, verdict in rows:
        if verdict["state"] != "verified" or not row.ranked or row.is_out:
            continue
        elapsed = min(row.elapsed, LONGEST)
        result = (not verdict["won"], -verdict["ranked_score"], verdict["moves"], elapsed, row.id)
        for board in BOARDS if row.attempt_number == 1 and not row.is_guest else BOARDS[:1]:
            places = best.setdefault((row.challenge, board), {})
            places[row.player] = min(places.get(row.player, result), result)
    return {key: _ranked(places) for key, places in best.items()}


def _ranked(places: dict[int, tuple[Any, ...]]) -> list[Place]:
    lines: list[Place] = []
    before: tuple[Any, ...] | None = None
    for position, (*result, submission, player) in enumerate(sorted((*r, p) for p, r in places.items()), 1):
        not_won, points_down, moves, elapsed = result
        rank = lines[-1].rank if before == tuple(result) else position
        lines.append(Place(rank, submission, player, not not_won, -points_down, moves, elapsed))
        before = tuple(result)
    return lines


# From here on: what is stored.


@dataclass
class Report:
    """What was checked, and every difference that was found.

    ``waiting`` submissions are pending, but not for long; ``unmade`` boards aren't in Redis and are answered from
    PostgreSQL until somebody asks for them: that is as it should be.
    """

    challenges: int = 0
    submissions: int = 0
    verified: int = 0
    rejected: int = 0
    waiting: int = 0
    boards: int = 0
    periods: int = 0
    lines: int = 0
    unmade: int = 0
    differences: list[str] = field(default_factory=list)

    def add(self, other: Report) -> None:
        """Take in what was checked elsewhere."""
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)


def audit(*, challenge_id: int | None = None, progress: Callable[[int], None] = lambda count: None) -> Report:
    """Compare all stored verdicts, standings and boards (Redis and PostgreSQL) with the recomputation.

    Of all challenges, the boards of weeks, months and all time and the final ranks as well.

    Games may come in meanwhile: what PostgreSQL holds is read in one snapshot a challenge, and from what Redis holds
    by then the players are left out whose place a later verdict has moved. ``progress`` is told how many submissions
    more were replayed. Not to be called inside a transaction.
    """
    from games.models import Challenge

    report = Report()
    has_redis = _is_redis_there(report)
    challenges = Challenge.objects.order_by("id")
    if challenge_id is not None:
        challenges = challenges.filter(pk=challenge_id)
    for challenge in challenges.values_list("id", flat=True):
        report.add(_audit_challenge(challenge, has_redis, progress))
    if challenge_id is None:
        report.add(_audit_periods(has_redis))
    return report


def _is_redis_there(report: Report) -> bool:
    from games.redis_client import RedisAway, ask

    try:
        return bool(ask(lambda redis: redis.ping()))
    except RedisAway as error:
        report.differences.append(f"Redis is away, so its boards weren't compared: {error}")
        return False


@dataclass
class _Recomputed:
    """The boards of a challenge as they should be, and the submissions that had a verdict at that moment."""

    challenge: int
    boards: dict[str, list[Place]] = field(default_factory=dict)
    judged: set[int] = field(default_factory=set)


def _audit_challenge(challenge: int, has_redis: bool, progress: Callable[[int], None]) -> Report:
    report = Report(challenges=1)
    recomputed = _compare_stored(challenge, report, progress)
    for look in range(1, _LOOKS + 1 if has_redis else 1):
        found = Report()
        _compare_redis(recomputed, found)
        if look == _LOOKS or not found.differences:
            report.add(found)
            break
        _pause()
    return report


def _pause() -> None:
    """Let workers tell Redis what is new."""
    time.sleep(_PAUSE_SECONDS)


def _compare_stored(challenge: int, report: Report, progress: Callable[[int], None]) -> _Recomputed:
    """Compare what PostgreSQL holds, as it is at one moment."""
    from django.db import connection, transaction

    from leaderboards import stored_boards

    recomputed = _Recomputed(challenge)
    with transaction.atomic(durable=True):
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        found = rank_boards(_judge_all(recomputed, report, progress))
        report.differences += _wrong_copies(challenge)
        for board in BOARDS:
            places = recomputed.boards[board] = found.get((challenge, board), [])
            report.boards += 1
            report.lines += len(places)
            report.differences += _compare_standings(challenge, board, places)
            lines, heads = _read_board(stored_boards, challenge, board)
            wrong = _wrong_heads(heads, places) or _wrong_lines(lines, places)
            report.differences += [f"{board} of challenge {challenge} differs in PostgreSQL: {text}" for text in wrong]
    return recomputed


def _judge_all(
    recomputed: _Recomputed, report: Report, progress: Callable[[int], None]
) -> Iterator[tuple[Stored, dict[str, Any]]]:
    now = datetime.datetime.now(datetime.UTC)
    for row, times in _stored(recomputed.challenge):
        progress(1)
        report.submissions += 1
        if row.state == "pending" and now - times.received < PENDING_LIMIT:
            report.waiting += 1
        elif row.state in ("pending", "failed"):
            report.differences.append(f"submission {row.id} of {times.received:%F %T} has no verdict: {row.state}")
        else:
            recomputed.judged.add(row.id)
            verdict = judge(row)
            report.verified += row.state == "verified"
            report.rejected += row.state == "rejected"
            wrong = [f"{k} is {row.verdict[k]!r} instead of {v!r}" for k, v in verdict.items() if row.verdict[k] != v]
            report.differences += [f"submission {row.id}: {difference}" for difference in wrong + measure(row, times)]
            yield row, verdict


def _stored(challenge_id: int) -> Iterator[tuple[Stored, Times]]:
    """The submissions of a challenge, in no order; streamed, so inside a transaction."""
    from django.conf import settings

    from games.models import Submission

    rows = Submission.objects.filter(challenge_id=challenge_id).order_by()
    for row in rows.select_related("challenge", "player", "log", "attempt").iterator(chunk_size=_CHUNK):
        stored = Stored(
            id=row.pk,
            challenge=row.challenge_id,
            player=row.player_id,
            is_guest=row.player.is_guest,
            attempt_number=row.attempt_number,
            ranked=row.ranked,
            state=row.state,
            elapsed=row.elapsed,
            mode=row.challenge.mode,
            number=row.challenge.number,
            log=row.log.text,
            verdict=_stored_verdict(row),
            is_out=row.is_disqualified or row.player.is_banned or row.challenge.cancelled_at is not None,
        )
        yield stored, Times(row.attempt.started_at, row.received_at, row.challenge.closes_at + settings.QV_GRACE)


def _stored_verdict(row: Submission) -> dict[str, Any]:
    figures = {name: getattr(row, name) for name in FIGURES}
    return {"state": row.state, "rules_version": row.rules_version, "error": row.rejection, **figures}


def _wrong_copies(challenge: int) -> list[str]:
    """Submissions that name another player, challenge or attempt number than their attempt does."""
    from django.db.models import F

    from games.models import Submission

    wrong = Submission.objects.filter(challenge_id=challenge).exclude(
        attempt__challenge_id=challenge, attempt__player_id=F("player_id"), attempt__number=F("attempt_number")
    )
    return [f"submission {pk} isn't that of its attempt" for pk in wrong.values_list("id", flat=True)]


def _compare_standings(challenge: int, board: str, places: list[Place]) -> list[str]:
    from leaderboards.models import Standing

    rows = Standing.objects.filter(challenge_id=challenge, board=board).values_list("submission_id", "player_id")
    stored, wanted = set(rows), {(place.submission, place.player) for place in places}
    name = f"{board} of challenge {challenge} differs in the standings"
    return [f"{name}: submission {s} of player {p} is missing" for s, p in sorted(wanted - stored)] + [
        f"{name}: submission {s} of player {p} doesn't belong there" for s, p in sorted(stored - wanted)
    ]


def _compare_redis(recomputed: _Recomputed, report: Report) -> None:
    from games.redis_client import RedisAway
    from leaderboards import boards as redis_boards
    from leaderboards.models import Standing

    challenge = recomputed.challenge
    unpushed = Standing.objects.filter(challenge_id=challenge, is_pushed=False).values_list("submission_id", flat=True)
    if unheard := sum(submission in recomputed.judged for submission in unpushed):
        report.differences.append(f"challenge {challenge} has {unheard} standings that Redis hasn't heard of")
    for board, places in recomputed.boards.items():
        try:
            lines, heads = _read_board(redis_boards, challenge, board)
        except redis_boards.NotComplete:
            report.unmade += bool(places)
            continue
        except RedisAway as error:
            report.differences.append(f"{board} of challenge {challenge} couldn't be read from Redis: {error}")
            continue
        # Asked after Redis was read, so that nothing in there can be newer.
        moved = _moved_since(recomputed, board)
        wrong = ([] if moved else _wrong_heads(heads, places)) or _wrong_lines(lines, places, moved)
        report.differences += [f"{board} of challenge {challenge} differs in Redis: {text}" for text in wrong]


def _moved_since(recomputed: _Recomputed, board: str) -> set[int]:
    """The submissions whose place is new or gone since the recomputation, because of verdicts given since."""
    from leaderboards.models import Standing

    rows = Standing.objects.filter(challenge_id=recomputed.challenge, board=board)
    new = {player: s for s, player in rows.values_list("submission_id", "player_id") if s not in recomputed.judged}
    return {*new.values(), *(place.submission for place in recomputed.boards[board] if place.player in new)}


def _read_board(source: Any, challenge: int, board: str) -> tuple[list[Line], list[Head]]:
    from leaderboards.addresses import ChallengeBoard
    from leaderboards.ranking import unpack

    return read_board(source, ChallengeBoard(challenge, board), unpack, _PAGE)


def _wrong_heads(heads: list[Head], places: list[Place]) -> list[str]:
    return wrong_heads(heads, [place.rank for place in places])


def _wrong_lines(lines: list[Line], places: list[Place], moved: Set[int] = frozenset()) -> list[str]:
    """The first line that isn't as it should be, those of ``moved`` submissions aside."""
    wanted = [(place.submission, *place[3:]) for place in places if place.submission not in moved]
    return wrong_lines([line for line in lines if line[0] not in moved], wanted)


def _audit_periods(has_redis: bool) -> Report:
    recomputed = compare_stored_periods()
    report = Report(periods=len(recomputed.boards), differences=recomputed.differences)
    report.lines += sum(map(len, recomputed.boards.values()))
    for look in range(1, _LOOKS + 1 if has_redis else 1):
        unmade, differences = compare_redis_periods(recomputed)
        if look == _LOOKS or not differences:
            report.unmade += unmade
            report.differences += differences
            break
        _pause()
    return report
