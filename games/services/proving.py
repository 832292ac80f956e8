"""The solver's work: proving what admins ask for, and filling the calendar. Runs on a queue of its own.

What there is to do stands in PostgreSQL: searches in state `proving`, and days without a daily. `prove_next` takes up
the most urgent of it, searches one deal, and stores the proof if it is won; a deal that isn't won in time is thrown
away and the next call draws another. So each call is short, safe to lose and safe to repeat.

Several solvers share the work by claims in Redis, which end with the search or, if its process dies, soon after. A lost
claim costs a search that wasn't needed and nothing else: the second proof for a place is thrown away.

What is needed by tomorrow is searched for a shorter time, since most wins are found early: so the first dailies of a
new server are there soon. The others get the whole time, and so harder deals get their chance as well.
"""

from __future__ import annotations

import datetime
import json
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from django.conf import settings
from django.db.models import F

from games import redis_keys
from games.engine import Code, Deal
from games.models import Challenge, Search
from games.redis_client import RedisAway, ask
from games.solver import VERSION, solve
from games.solver.difficulty import difficulty_of

from .calendar import Slot, missing_dailies
from .publishing import Proof, PublishingError, draw_code, end_search, publish_daily

#: Wall time for finding and then for shortening a win where it is urgent.
URGENT_SECONDS, URGENT_SHORTENING_SECONDS = 2.0, 1.0
URGENT_DAYS = 2
#: A claim outlives its search by so much at most: what is done around it.
CLAIM_MARGIN_SECONDS = 15.0

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Tried:
    """A deal was searched for ``what``; the words of ``outcome`` are the solver's: won, impossible or unknown."""

    what: str
    code: Code
    outcome: str
    par: int | None
    seconds: float

    def __str__(self) -> str:
        won = f" in {self.par} moves" if self.par else ""
        return f"{self.what}: {self.code} {self.outcome}{won} ({self.seconds:.1f} s)"


def prove_next(*, clock: Callable[[], datetime.datetime]) -> Tried | None:
    """Search one deal for what is most urgent and no other solver is at, and store what comes of it.

    None where there is nothing to do.
    """
    for task in _tasks(clock().astimezone(datetime.UTC).date()):
        with _claimed(task) as is_ours:
            if is_ours and task.is_wanted():
                return task.search(clock)
    return None


@dataclass(frozen=True, slots=True)
class _Daily:
    """A daily that is missing."""

    slot: Slot
    is_urgent: bool

    def __str__(self) -> str:
        return str(self.slot)

    def is_wanted(self) -> bool:
        """Whether it is missing still: another solver may just have found it."""
        return not Challenge.objects.filter(date=self.slot.date, mode=self.slot.mode).exists()

    def search(self, clock: Callable[[], datetime.datetime]) -> Tried:
        """Search one deal for it."""
        return prove_daily(self.slot, clock=clock, is_urgent=self.is_urgent)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A search that an admin asked for."""

    row: Search

    def __str__(self) -> str:
        return f"search {self.row.pk}"

    def is_wanted(self) -> bool:
        """Whether nobody has ended it meanwhile."""
        return Search.objects.filter(pk=self.row.pk, state=Search.State.PROVING).exists()

    def search(self, clock: Callable[[], datetime.datetime]) -> Tried:
        """Search one deal for it."""
        return _try_search(self.row, clock)


def _tasks(today: datetime.date) -> Iterator[_Daily | _Asked]:
    """What there is to do, the most urgent first."""
    missing = [_Daily(slot, (slot.date - today).days < URGENT_DAYS) for slot in missing_dailies(today=today)]
    yield from (daily for daily in missing if daily.is_urgent)
    yield from map(_Asked, Search.objects.filter(state=Search.State.PROVING).order_by("id"))
    yield from (daily for daily in missing if not daily.is_urgent)


@contextmanager
def _claimed(task: _Daily | _Asked) -> Iterator[bool]:
    """Whether the task is this solver's for the time of a search. With Redis away each takes what it likes."""
    key = redis_keys.proving_claim(str(task))
    seconds = settings.QV_SOLVE_SECONDS + settings.QV_SHORTEN_SECONDS + CLAIM_MARGIN_SECONDS
    try:
        is_ours = bool(ask(lambda redis: redis.set(key, 1, nx=True, px=int(seconds * 1000))))
    except RedisAway:
        is_ours = True
    try:
        yield is_ours
    finally:
        if is_ours:
            with suppress(RedisAway):
                ask(lambda redis: redis.delete(key))


def prove_daily(
    slot: Slot, *, code: Code | None = None, clock: Callable[[], datetime.datetime], is_urgent: bool = False
) -> Tried:
    """Search one deal, a random one without a code, and make it the daily of that place if it is won.

    Raises `PublishingError` where the code was used before.
    """
    tried, proof = _search_deal(str(slot), code or draw_code(slot.mode), is_urgent=is_urgent)
    if proof is not None:
        publish_daily(date=slot.date, proof=proof, now=clock())
    return tried


def _try_search(search: Search, clock: Callable[[], datetime.datetime]) -> Tried:
    mode = search.challenge.mode
    code = draw_code(mode) if search.number is None else Code(mode, search.number)
    tried, proof = _search_deal(str(search.challenge), code, is_urgent=False)
    Search.objects.filter(pk=search.pk).update(deals=F("deals") + 1, seconds=F("seconds") + tried.seconds)
    if proof is not None:
        end_search(search_id=search.pk, proof=proof, state=Search.State.PROVEN, now=clock())
    elif search.number is not None:
        state = Search.State.IMPOSSIBLE if tried.outcome == "impossible" else Search.State.NOT_PROVEN
        end_search(search_id=search.pk, proof=None, state=state, now=clock())
    return tried


def _search_deal(what: str, code: Code, *, is_urgent: bool) -> tuple[Tried, Proof | None]:
    """Search a deal; a win is shortened for some time more."""
    finding, shortening = settings.QV_SOLVE_SECONDS, settings.QV_SHORTEN_SECONDS
    if is_urgent:
        finding, shortening = min(finding, URGENT_SECONDS), min(shortening, URGENT_SHORTENING_SECONDS)
    found = solve(Deal.parse(code), finding, shortening_seconds=shortening)
    tried = Tried(what, code, found.outcome, found.par, found.seconds)
    logger.info("%s", tried)
    if found.log is None:
        return tried, None
    return tried, proof_of(code, log=found.log, seconds=found.seconds, effort=found.effort, solver_version=VERSION)


def proof_of(code: Code, *, log: str, seconds: float, effort: int, solver_version: int) -> Proof:
    """What a search found, with its difficulty."""
    return Proof(code, log, seconds, solver_version, difficulty_of(code.mode, effort))


def read_certificate(line: str) -> Proof:
    """A proof from a line of the file that `manage.py solve_sample --out` writes. Raises `PublishingError`."""
    try:
        fields = json.loads(line)
        return proof_of(Code.parse(fields.pop("code")), **fields)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise PublishingError(f"{line.strip()[:60]!r} is no line of a file of solve_sample: {error}") from error
