"""The solver's work: what is most urgent first, what isn't won thrown away."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from games import redis_client
from games.engine import Code, Deal
from games.models import Challenge, Search
from games.services import proving, publishing
from games.services.proving import prove_next
from games.solver import Solution
from games.solver.difficulty import THIRDS, difficulty_of
from tests.conftest import utc
from tests.dailies import a_proof, proof_of, publish, publish_days

pytestmark = pytest.mark.django_db
DAY = datetime.date(2026, 3, 29)
NOON = utc("2026-03-29T12:00:00")


class Solver:
    """In the solver's place: wins the deals of the vectors, and notes what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, float, float]] = []
        self.outcome = "unknown"
        # The vectors' first deals are there for the tests to publish.
        self.drawn = 15
        self.wins = True

    def solve(self, deal: Deal, seconds: float, *, shortening_seconds: float) -> Solution:
        assert deal.code is not None
        self.asked.append((str(deal.code), seconds, shortening_seconds))
        if not self.wins:
            return Solution(self.outcome, None, None, 10, 10, 0.5)  # type: ignore[arg-type]
        log = proof_of(deal.code).log
        return Solution("won", log, len(log.split()), 20, 10, 0.5)

    def draw(self, mode: str) -> Code:
        """A deal that it wins."""
        self.drawn += 1
        return a_proof(mode, self.drawn).code


@pytest.fixture
def solver(monkeypatch: pytest.MonkeyPatch) -> Solver:
    solver = Solver()
    monkeypatch.setattr(proving, "solve", solver.solve)
    monkeypatch.setattr(proving, "draw_code", solver.draw)
    return solver


def clock() -> datetime.datetime:
    return NOON


def an_event(**fields: Any) -> Challenge:
    window = {"opens_at": NOON, "closes_at": NOON + datetime.timedelta(days=3)}
    return publishing.publish_event(title="Cup", mode="kl-d1n", **window, now=NOON, **fields)


def test_the_earliest_missing_daily_is_filled_first(solver: Solver) -> None:
    publish("kl-d1n", DAY)
    tried = prove_next(clock=clock)
    assert tried is not None and tried.what == "ft-n of 2026-03-29"
    assert Challenge.objects.filter(date=DAY, mode="ft-n").get().par == tried.par


def test_fourteen_days_are_filled_and_then_there_is_nothing_to_do(solver: Solver, settings: Any) -> None:
    settings.DAILY_MODES = ["kl-d1n"]
    while prove_next(clock=clock):
        pass
    dates = list(Challenge.objects.order_by("date").values_list("date", flat=True))
    assert dates == [DAY + datetime.timedelta(days=n) for n in range(14)]
    numbers = list(Challenge.objects.values_list("number", flat=True))
    assert len(set(numbers)) == 14


def test_a_deal_that_is_not_won_in_time_is_thrown_away_and_nothing_is_published(solver: Solver) -> None:
    """An unproven daily can't be opened."""
    solver.wins = False
    first, second = prove_next(clock=clock), prove_next(clock=clock)
    assert first is not None and second is not None
    assert (first.what, first.outcome) == (second.what, second.outcome) == ("ft-n of 2026-03-29", "unknown")
    assert first.code != second.code
    assert Challenge.objects.count() == 0


def test_what_is_needed_by_tomorrow_is_searched_for_a_shorter_time(solver: Solver, settings: Any) -> None:
    settings.DAILY_MODES = ["kl-d1n"]
    for _ in range(3):
        prove_next(clock=clock)
    urgent = (proving.URGENT_SECONDS, proving.URGENT_SHORTENING_SECONDS)
    assert [asked[1:] for asked in solver.asked] == [urgent, urgent, (10.0, 20.0)]


def test_what_admins_ask_for_goes_before_next_weeks_dailies_but_after_tomorrows(solver: Solver, settings: Any) -> None:
    settings.DAILY_MODES = ["kl-d1n"]
    publish_days(DAY)
    an_event()
    whats = [str(prove_next(clock=clock)).split(":")[0] for _ in range(3)]
    assert whats == ["kl-d1n of 2026-03-30", "kl-d1n Cup", "kl-d1n of 2026-03-31"]


def test_deals_are_drawn_for_an_event_until_one_is_won(solver: Solver) -> None:
    publish_days(DAY, days=14)
    event = an_event()
    solver.wins = False
    prove_next(clock=clock)
    search = event.searches.get()
    assert (search.state, search.deals, search.seconds) == ("proving", 1, 0.5)
    solver.wins = True
    prove_next(clock=clock)
    search.refresh_from_db()
    event.refresh_from_db()
    assert (search.state, search.deals) == ("proven", 2)
    assert event.published_at == NOON and event.is_proven
    assert prove_next(clock=clock) is None


@pytest.mark.parametrize(("outcome", "state"), [("unknown", "not_proven"), ("impossible", "impossible")])
def test_a_code_of_ones_own_is_searched_once(solver: Solver, outcome: str, state: str) -> None:
    publish_days(DAY, days=14)
    event = an_event(code=Code("kl-d1n", 7))
    solver.wins, solver.outcome = False, outcome
    prove_next(clock=clock)
    assert solver.asked[-1][0] == "KL1-D1N-AAAAAAH"
    assert event.searches.get().state == state
    assert prove_next(clock=clock) is None
    event.refresh_from_db()
    assert event.published_at is None


def test_the_days_after_the_solver_was_away_begin_with_today(solver: Solver) -> None:
    publish_days(DAY, days=2)
    with time_machine.travel(utc("2026-04-07T12:00:00"), tick=False):
        tried = prove_next(clock=timezone.now)
    assert tried is not None and tried.what == "ft-n of 2026-04-07"


def test_a_search_taken_back_while_it_ran_changes_nothing(solver: Solver, monkeypatch: pytest.MonkeyPatch) -> None:
    publish_days(DAY, days=14)
    event = an_event()
    real = solver.solve

    def taken_back_meanwhile(*arguments: Any, **options: Any) -> Solution:
        publishing.drop_search(challenge_id=event.pk, now=NOON)
        return real(*arguments, **options)

    monkeypatch.setattr(proving, "solve", taken_back_meanwhile)
    prove_next(clock=clock)
    event.refresh_from_db()
    assert (event.published_at, event.is_proven) == (None, False)
    assert Search.objects.get().state == "dropped"


@pytest.mark.parametrize("mode", list(THIRDS))
def test_difficulty_has_three_bands(mode: str) -> None:
    low, high = THIRDS[mode]
    assert 0 < low < high
    bands = [difficulty_of(mode, effort) for effort in (1, low, low + 1, high, high + 1)]
    assert bands == ["easy", "easy", "medium", "medium", "hard"]


def beside(solver: Solver, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Has a second solver look for work while the first one searches; what it then does."""
    done: list[str] = []

    def solve(deal: Deal, seconds: float, *, shortening_seconds: float) -> Solution:
        if not done:
            done.append("")
            done[0] = str(prove_next(clock=clock)).split(":")[0]
        return solver.solve(deal, seconds, shortening_seconds=shortening_seconds)

    monkeypatch.setattr(proving, "solve", solve)
    return done


def test_two_solvers_search_for_different_places(solver: Solver, monkeypatch: pytest.MonkeyPatch) -> None:
    done = beside(solver, monkeypatch)
    assert str(prove_next(clock=clock)).split(":")[0] == "ft-n of 2026-03-29"
    assert done == ["kl-d1n of 2026-03-29"]
    assert Challenge.objects.count() == 2


def test_a_second_solver_leaves_a_search_alone_that_is_under_way(
    solver: Solver, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish_days(DAY, days=14)
    event = an_event(code=a_proof("kl-d1n", 15).code)
    done = beside(solver, monkeypatch)
    assert str(prove_next(clock=clock)).startswith("kl-d1n Cup")
    assert done == ["None"]
    assert event.searches.get().deals == 1


def test_two_solvers_that_find_the_same_place_leave_one_daily(solver: Solver, monkeypatch: pytest.MonkeyPatch) -> None:
    """The claim was lost, with Redis."""
    monkeypatch.setattr(redis_client, "_away_until", float("inf"))
    done = beside(solver, monkeypatch)
    assert str(prove_next(clock=clock)).split(":")[0] == done[0] == "ft-n of 2026-03-29"
    assert Challenge.objects.count() == 1


def test_a_search_that_broke_is_claimed_no_more(solver: Solver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proving, "solve", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        prove_next(clock=clock)
    monkeypatch.setattr(proving, "solve", solver.solve)
    assert str(prove_next(clock=clock)).split(":")[0] == "ft-n of 2026-03-29"
