"""The second opinion on weeks, months, all time and final ranks: plain sums, and that it finds what is wrong."""

from __future__ import annotations

import datetime
import subprocess
import sys
from collections.abc import Callable

import pytest
from django.db.models import F
from django.utils import timezone

from games.models import Challenge, Submission
from games.services.verification import verify_pending
from leaderboards import boards as redis_boards
from leaderboards.addresses import PeriodBoard
from leaderboards.layouts import BY_TEXT
from leaderboards.models import ClosedDaily, FinalRank, PeriodStanding
from leaderboards.services.closing import close_dailies
from leaderboards.services.standings import push_all_unpushed
from qvserver import audit as module
from qvserver import period_audit
from qvserver.audit import audit
from qvserver.period_audit import PeriodPlace, Played, sum_periods
from tests.conftest import ROOT, Api, ask_redis

MONDAY, SUNDAY = datetime.date(2026, 12, 28), datetime.date(2027, 1, 3)
BEGINNING = datetime.date(1970, 1, 1)


def test_sums_run_over_weeks_months_and_all_time() -> None:
    found = sum_periods(
        [
            Played("kl-d1v", MONDAY, 7, -52, False, 3),
            Played("kl-d1v", SUNDAY, 7, 208, True, 5),
            Played("kl-d3v", SUNDAY, 7, -52, False, 1),
            Played("ft-n", SUNDAY, 7, 0, False, 1),
        ]
    )
    assert found["kl-d1v", "week", MONDAY] == [PeriodPlace(1, 7, 260, 1, 8, 2)]
    assert found["kl-d1v", "month", datetime.date(2026, 12, 1)] == [PeriodPlace(1, 7, 0, 0, 3, 1)]
    assert found["kl-d1v", "month", datetime.date(2027, 1, 1)] == [PeriodPlace(1, 7, 260, 1, 5, 1)]
    assert found["kl-d1v", "all", BEGINNING] == found["kl-d1v", "week", MONDAY]
    assert found["kl-d3v", "all", BEGINNING] == found["ft-n", "all", BEGINNING] == [PeriodPlace(1, 7, 0, 0, 1, 1)]
    assert len(found) == 4 + 3 + 3


def test_the_order_is_sum_then_wins_then_moves_then_equal_rank() -> None:
    rows = [
        Played("ft-n", MONDAY, 1, 100, False, 10),
        Played("ft-n", MONDAY, 2, 100, True, 99),
        Played("ft-n", MONDAY, 3, 101, False, 99),
        Played("ft-n", MONDAY, 4, 100, False, 10),
        Played("ft-n", MONDAY, 5, 100, False, 11),
    ]
    places = sum_periods(rows)["ft-n", "week", MONDAY]
    assert [(place.rank, place.player) for place in places] == [(1, 3), (2, 2), (3, 1), (3, 4), (5, 5)]


def test_the_sums_load_nothing_of_what_they_check() -> None:
    code = "import sys, qvserver.period_audit; assert not [name for name in sys.modules if 'leaderboards' in name]"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


@pytest.fixture
def played(new_guest: Callable[[], Api], daily: Challenge, monkeypatch: pytest.MonkeyPatch) -> Challenge:
    monkeypatch.setattr(module, "_pause", lambda: None)
    for moves in (1, 2, 2, 3):
        player = new_guest()
        player.submit(player.start(daily), " ".join("d" * moves))
    verify_pending(clock=timezone.now)
    push_all_unpushed()
    return daily


def week(daily: Challenge) -> PeriodBoard:
    assert daily.date is not None
    return PeriodBoard("ft-n", "week", daily.date - datetime.timedelta(days=daily.date.weekday()))


@pytest.mark.django_db(transaction=True)
class TestAudit:
    """Of real rows and boards."""

    def test_finds_nothing_where_all_is_right(self, played: Challenge, monkeypatch: pytest.MonkeyPatch) -> None:
        close_dailies(now=timezone.now() + datetime.timedelta(days=2))
        for size in (1, 2, 4, 5000):
            monkeypatch.setattr(period_audit, "_PAGE", size)
            report = audit()
            assert (report.differences, report.periods, report.unmade) == ([], 3, 0)

    def test_of_one_challenge_leaves_the_sums_alone(self, played: Challenge) -> None:
        PeriodStanding.objects.update(score=7)
        assert audit(challenge_id=played.pk).differences == []

    @pytest.mark.parametrize("field", ["score", "played", "won", "moves"])
    def test_finds_a_forged_sum(self, played: Challenge, field: str) -> None:
        PeriodStanding.objects.filter(period="month", moves=3).update(**{field: F(field) + 1})
        assert any("month of" in text and "instead of" in text for text in audit().differences)

    def test_finds_a_missing_sum_and_one_too_many(self, played: Challenge) -> None:
        row = PeriodStanding.objects.filter(period="week", moves=3).get()
        PeriodStanding.objects.filter(pk=row.pk).update(mode="kl-d1n")
        differences = audit().differences
        assert any(f"ft-n, week of {row.starts_on}: player {row.player_id} has None" in text for text in differences)
        assert any("kl-d1n, week" in text and "instead of None" in text for text in differences)

    def test_finds_a_forged_line_in_redis(self, played: Challenge) -> None:
        board = week(played)
        last = redis_boards.page(board, after=None, limit=10).entries[-1]
        forged = last._replace(key=last.key + 1)

        def forge(redis: object) -> None:
            redis.zrem(board.redis_key, BY_TEXT.member(last))  # type: ignore[attr-defined]
            redis.zadd(board.redis_key, {BY_TEXT.member(forged): 0})  # type: ignore[attr-defined]

        ask_redis(forge)
        assert ["week" in text and "line 4 shows" in text for text in audit().differences] == [True]

    def test_finds_a_ghost_in_redis(self, played: Challenge) -> None:
        board = week(played)
        last = redis_boards.page(board, after=None, limit=10).entries[-1]
        ghost = BY_TEXT.member(last._replace(key=last.key + 1))
        ask_redis(lambda redis: redis.zadd(board.redis_key, {ghost: 0}))
        assert ["5 players instead of 4" in text for text in audit().differences] == [True]

    def test_finds_wrong_final_ranks(self, played: Challenge) -> None:
        close_dailies(now=timezone.now() + datetime.timedelta(days=2))
        last = FinalRank.objects.order_by("-rank")[0]
        FinalRank.objects.filter(pk=last.pk).update(rank=1)
        ClosedDaily.objects.update(players=5)
        differences = audit().differences
        assert differences == [
            f"challenge {played.pk} was closed with 5 players, not 4",
            f"final rank of player {last.player_id} at challenge {played.pk} is 1, not {last.rank}",
        ]

    def test_says_nothing_of_what_comes_in_meanwhile(
        self, played: Challenge, new_guest: Callable[[], Api], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        compare = module.compare_redis_periods

        def come_in_first(recomputed: period_audit.Recomputed) -> tuple[int, list[str]]:
            player = new_guest()
            player.submit(player.start(played), "d d")
            verify_pending(clock=timezone.now)
            push_all_unpushed()
            return compare(recomputed)

        monkeypatch.setattr(module, "_LOOKS", 1)
        monkeypatch.setattr(module, "compare_redis_periods", come_in_first)
        assert audit().differences == []

    def test_a_changed_verdict_is_found_in_the_sums_too(self, played: Challenge) -> None:
        Submission.objects.filter(moves=3).update(won=True)
        assert sum("instead of" in text and "all time: player" in text for text in audit().differences) == 1
