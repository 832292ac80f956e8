"""The solver's work: proving what admins ask for, and filling the calendar. Runs on a queue of its own.

What there is to do stands in PostgreSQL: searches in state `proving`, and days without a daily. `prove_next` takes up
the most urgent of it, searches one deal, and stores the proof if it is won; a deal that isn't won in time is thrown
away and the next call draws another. So each call is short, safe to lose and safe to repeat.

What is needed by tomorrow is searched for a shorter time, since most wins are found early: so the first dailies of a
new server are there soon. The others get the whole time, and so harder deals get their chance as well.
"""

from __future__ import annotations

import datetime
import json
import logging
from collections.abc import Callable
from dataclasses import dataclass

from django.conf import settings
from django.db.models import F

from games.engine import Code, Deal
from games.models import Search
from games.solver import VERSION, solve
from games.solver.difficulty import difficulty_of

from .calendar import Slot, missing_dailies
from .publishing import Proof, PublishingError, draw_code, end_search, publish_daily

#: Wall time for finding and then for shortening a win where it is urgent.
URGENT_SECONDS, URGENT_SHORTENING_SECONDS = 2.0, 1.0
URGENT_DAYS = 2

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
    """Search one deal for whatever is most urgent, and store what comes of it. None where there is nothing to do."""
    today = clock().astimezone(datetime.UTC).date()
    missing = missing_dailies(today=today)
    urgent = [slot for slot in missing if (slot.date - today).days < URGENT_DAYS]
    if not urgent and (search := Search.objects.filter(state=Search.State.PROVING).order_by("id").first()):
        return _try_search(search, clock)
    return prove_daily(missing[0], clock=clock, is_urgent=bool(urgent)) if missing else None


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
