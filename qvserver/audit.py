"""Proves verdicts and boards right: recomputes them from the stored logs with nothing but the engine.

`judge` and `rank_boards` are that second opinion, in plain Python; they share no code with what they check.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from games.engine import Code, Deal, verify

_CHUNK = 500


class Stored(NamedTuple):
    """A submission as it is stored: whose, what, and the verdict that it was given."""

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


class Place(NamedTuple):
    """A line of a board, best first."""

    rank: int
    submission: int
    player: int


FIGURES = (
    "won",
    "score",
    "ranked_score",
    "moves",
    "draws",
    "undos",
    "recycles",
    "foundation_cards",
    "waste_to_column",
    "taken_back",
)


@lru_cache(maxsize=256)
def _deal(mode: str, number: int) -> Deal:
    return Deal.parse(Code(mode, number))


def judge(row: Stored) -> dict[str, Any]:
    """The verdict that the engine gives on a stored log: state, error and figures."""
    verdict = verify(_deal(row.mode, row.number), row.log).to_dict()
    figures = {name: verdict[name] for name in FIGURES}
    return {"state": "verified" if verdict["valid"] else "rejected", "error": verdict["error"], **figures}


def rank_boards(rows: Iterable[tuple[Stored, dict[str, Any]]]) -> dict[tuple[int, str], list[Place]]:
    """The boards of all challenges, (challenge, board) to lines, from submissions and their recomputed verdicts."""
    best: dict[tuple[int, str], dict[int, tuple[Any, ...]]] = defaultdict(dict)
    for row, verdict in rows:
        if verdict["state"] != "verified" or not row.ranked:
            continue
        result = (not verdict["won"], -verdict["ranked_score"], verdict["moves"], row.elapsed, row.id)
        boards = ["best", "first"] if row.attempt_number == 1 and not row.is_guest else ["best"]
        for board in boards:
            places = best[row.challenge, board]
            places[row.player] = min(places.get(row.player, result), result)
    return {key: _ranked(places) for key, places in best.items()}


def _ranked(places: dict[int, tuple[Any, ...]]) -> list[Place]:
    lines: list[Place] = []
    before: tuple[Any, ...] | None = None
    for position, (*result, submission, player) in enumerate(sorted((*r, p) for p, r in places.items()), 1):
        rank = lines[-1].rank if before == tuple(result) else position
        lines.append(Place(rank, submission, player))
        before = tuple(result)
    return lines


@dataclass
class Report:
    """What was checked, and every difference that was found."""

    submissions: int = 0
    pending: int = 0
    boards: int = 0
    lines: int = 0
    differences: list[str] = field(default_factory=list)


def audit(*, challenge_id: int | None = None, progress: Callable[[int], None] = lambda count: None) -> Report:
    """Compare all stored verdicts, standings and boards (Redis and PostgreSQL) with the recomputation."""
    report = Report()
    judged = _judge_all(challenge_id, report, progress)
    expected = rank_boards(judged)
    for (challenge, board), places in sorted(_with_stored_boards(expected, challenge_id).items()):
        report.boards += 1
        report.lines += len(places)
        _compare_board(challenge, board, places, report)
    return report


def _judge_all(
    challenge_id: int | None, report: Report, progress: Callable[[int], None]
) -> Iterator[tuple[Stored, dict[str, Any]]]:
    for row in _stored(challenge_id):
        progress(1)
        report.submissions += 1
        if row.state in ("pending", "failed"):
            report.pending += row.state == "pending"
            report.differences.append(f"submission {row.id} is {row.state}")
            continue
        verdict = judge(row)
        if verdict != row.verdict:
            report.differences.append(f"submission {row.id}: stored {row.verdict}, recomputed {verdict}")
        yield row, verdict


def _stored(challenge_id: int | None) -> Iterator[Stored]:
    from games.models import Submission

    rows = Submission.objects.select_related("challenge", "player", "log").order_by("id")
    if challenge_id is not None:
        rows = rows.filter(challenge_id=challenge_id)
    for row in rows.iterator(chunk_size=_CHUNK):
        figures = {name: getattr(row, name) for name in FIGURES}
        yield Stored(
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
            verdict={"state": row.state, "error": row.rejection, **figures},
        )


def _with_stored_boards(
    expected: dict[tuple[int, str], list[Place]], challenge_id: int | None
) -> dict[tuple[int, str], list[Place]]:
    """The recomputed boards, and an empty one for each that only the database has."""
    from leaderboards.models import Standing

    standings = Standing.objects.all() if challenge_id is None else Standing.objects.filter(challenge_id=challenge_id)
    stored = standings.order_by().values_list("challenge_id", "board").distinct()
    return {**{key: [] for key in stored}, **expected}


def _compare_board(challenge: int, board: str, places: list[Place], report: Report) -> None:
    from games.redis_client import RedisAway
    from leaderboards import boards, stored_boards
    from leaderboards.models import Standing

    standings = Standing.objects.filter(challenge_id=challenge, board=board)
    found = {"standings": sorted(standings.values_list("submission_id", "player_id"))}
    wanted: dict[str, Any] = {"standings": sorted((place.submission, place.player) for place in places)}
    lines = [(place.rank, place.submission) for place in places]
    for name, source in (("Redis", boards), ("PostgreSQL", stored_boards)):
        wanted[name] = lines
        try:
            found[name] = list(_lines(source, challenge, board))
        except boards.NotComplete:
            report.differences.append(
                f"{board} of challenge {challenge} is not whole in Redis: rebuild_boards makes it"
            )
            found[name] = lines
        except RedisAway as error:
            report.differences.append(f"Redis is away: {error}")
            found[name] = lines
    for name, lines_found in found.items():
        if lines_found != wanted[name]:
            report.differences.append(f"{board} of challenge {challenge} differs in {name}")


def _lines(source: Any, challenge: int, board: str) -> Iterator[tuple[int, int]]:
    """Rank and submission of every line, page by page."""
    after, before, rank, position = None, None, 0, 0
    while True:
        part = source.page(challenge, board, after=after, limit=_CHUNK)
        for entry in part.entries:
            position += 1
            rank = rank if entry.key == before else position
            before = entry.key
            yield rank, entry.submission_id
        if len(part.entries) < _CHUNK:
            return
        after = part.entries[-1]
