"""Days in a row and months, against a plain model; the dates come from what is stored."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.db import transaction
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from games.models import Challenge, Player, Submission
from leaderboards.services.placing import recompute_challenge, recompute_players
from leaderboards.services.statistics import days_played, read_statistics
from leaderboards.streaks import Month, Streak, months, streak
from tests.conftest import utc

from .stage import make_daily, place

DAY = datetime.timedelta(days=1)
SATURDAY, SUNDAY = datetime.date(2026, 3, 28), datetime.date(2026, 3, 29)
days = st.sets(st.integers(0, 40)).map(lambda numbers: {SUNDAY + n * DAY for n in numbers})


def plain_streak(played: set[datetime.date], today: datetime.date) -> Streak:
    """Counts every run day by day."""

    def run_to(day: datetime.date) -> int:
        length = 0
        while day - length * DAY in played:
            length += 1
        return length

    current = run_to(today) if today in played else run_to(today - DAY)
    return Streak(current, max((run_to(day) for day in played), default=0))


@given(days, st.integers(-1, 45))
def test_streaks_are_what_counting_day_by_day_gives(played: set[datetime.date], offset: int) -> None:
    today = SUNDAY + offset * DAY
    past = {day for day in played if day <= today}
    assert streak(past, today=today) == plain_streak(past, today)


@pytest.mark.parametrize(
    "changes", ["2026-03-08", "2026-03-29", "2026-10-25", "2026-11-01", "2026-12-31", "2028-02-29"]
)
def test_a_day_on_which_clocks_or_years_change_counts_once(changes: str) -> None:
    """habitica #3231: a day that ended with a DST change counted twice."""
    day = datetime.date.fromisoformat(changes)
    played = [day - DAY, day, day + DAY]
    assert streak(played, today=day + DAY) == Streak(3, 3)
    assert streak([*played, *played], today=day + DAY) == Streak(3, 3)


def test_absence_breaks_a_streak_without_anybody_logging_in() -> None:
    """osu-web #11479, #11618: a streak stuck at 1; a streak that survived a month away."""
    played = [SUNDAY - n * DAY for n in range(5)]
    assert [streak(played, today=SUNDAY + n * DAY).current for n in (0, 1, 2, 30)] == [5, 5, 0, 0]
    assert streak([*played, SUNDAY + 30 * DAY], today=SUNDAY + 30 * DAY) == Streak(1, 5)


@pytest.mark.parametrize(
    ("month", "played", "badge"),
    [
        ("2026-03-01", 9, 0),
        ("2026-03-01", 10, 10),
        ("2026-03-01", 19, 10),
        ("2026-03-01", 20, 20),
        ("2026-03-01", 30, 20),
        ("2026-03-01", 31, 31),
        ("2026-02-01", 28, 28),
        ("2028-02-01", 28, 20),
        ("2028-02-01", 29, 29),
    ],
)
def test_badges_are_for_10_20_and_all_days_of_a_month(month: str, played: int, badge: int) -> None:
    first = datetime.date.fromisoformat(month)
    assert months(first + n * DAY for n in range(played)) == [Month(first, played, badge)]


def test_months_come_latest_first_and_years_apart() -> None:
    found = months([datetime.date(2026, 12, 31), datetime.date(2027, 1, 1), datetime.date(2026, 1, 1)])
    assert [str(month.first_day) for month in found] == ["2027-01-01", "2026-12-01", "2026-01-01"]


@pytest.mark.django_db
class TestStored:
    """What counts as a day played."""

    def played(self, name: str = "alice") -> dict[str, bool]:
        return {str(day): won for day, won in days_played(player_id=Player.objects.get(name=name).pk).items()}

    def test_a_score_of_0_counts_as_having_taken_part(self) -> None:
        """osu #31808."""
        place(make_daily("ft-n", SUNDAY), "alice", score=0, moves=1)
        assert self.played() == {"2026-03-29": False}

    def test_a_log_without_an_action_does_not(self) -> None:
        place(make_daily("ft-n", SUNDAY), "alice", score=0, moves=0)
        assert self.played() == {}

    def test_the_better_submission_need_not_be_the_one_that_was_played(self) -> None:
        """Giving up at once beats a lost game on the board, and takes no day away."""
        place(make_daily("ft-n", SUNDAY), "alice", score=0, moves=0)
        place(make_daily("ft-n", SUNDAY), "alice", score=0, moves=9)
        assert self.played() == {"2026-03-29": False}

    def test_several_dailies_of_a_date_are_one_day(self) -> None:
        for mode in ("ft-n", "kl-d1n", "kl-d3v"):
            place(make_daily(mode, SUNDAY), "alice", score=5, won=mode == "kl-d1n")
        assert self.played() == {"2026-03-29": True}

    def test_practice_rejected_logs_events_and_cancelled_dailies_do_not_count(self) -> None:
        place(make_daily("ft-n", SUNDAY), "alice", score=5, ranked=False)
        place(make_daily("kl-d1n", SUNDAY), "alice", score=5, state="rejected")
        cancelled = make_daily("kl-d3n", SUNDAY)
        place(cancelled, "alice", score=5)
        Challenge.objects.filter(pk=cancelled.pk).update(cancelled_at=timezone.now())
        event = make_daily("kl-d1v", SUNDAY)
        Challenge.objects.filter(pk=event.pk).update(date=None)
        place(event, "alice", score=5)
        assert self.played() == {}

    def test_yesterdays_daily_finished_just_after_midnight_counts_for_yesterday(self) -> None:
        """hackclub/scrappy #41: a game finished just after midnight should count."""
        with time_machine.travel(utc("2026-03-30T00:03:00"), tick=False):
            place(make_daily("ft-n", SUNDAY), "alice", score=5)
            found = read_statistics(player_id=Player.objects.get(name="alice").pk, now=timezone.now())
        assert self.played() == {"2026-03-29": False}
        assert (found.days, found.has_played_today) == (Streak(1, 1), False)

    @pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Pago_Pago", "Asia/Kathmandu"])
    def test_a_journey_through_time_zones_changes_no_streak(self, zone: str) -> None:
        """habitica #4211, #3433, the Wordle travel story: zone changes made days, and took streaks away."""
        for day, moment in ((SATURDAY, "2026-03-28T23:30:00"), (SUNDAY, "2026-03-29T00:30:00")):
            with timezone.override(zone), time_machine.travel(utc(moment), tick=False):
                place(make_daily("ft-n", day), "alice", score=5)
        for reader in (zone, "UTC"):
            with timezone.override(reader), time_machine.travel(utc("2026-03-29T23:59:59"), tick=False):
                found = read_statistics(player_id=Player.objects.get(name="alice").pk, now=timezone.now())
                assert (found.days, found.has_played_today) == (Streak(2, 2), True)
        assert self.played() == {"2026-03-28": False, "2026-03-29": False}


_plays = st.tuples(
    st.integers(0, 9), st.sampled_from(["ft-n", "kl-d1v"]), st.booleans(), st.sampled_from([0, 1, 7]), st.booleans()
)
_acts = st.one_of(
    st.tuples(st.just("play"), _plays),
    st.tuples(st.just("cancel"), st.integers(0, 9)),
    st.tuples(st.just("bring_back"), st.integers(0, 9)),
    st.tuples(st.just("withdraw"), st.integers(0, 30)),
)


@pytest.mark.django_db
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(acts=st.lists(_acts, max_size=14), today=st.integers(0, 11))
def test_what_is_read_is_what_a_recount_and_a_plain_model_say(acts: list[Any], today: int) -> None:
    now = datetime.datetime.combine(SUNDAY + today * DAY, datetime.time(12), datetime.UTC)
    with transaction.atomic():
        alice = Player.objects.create(name="alice")
        for kind, what in acts:
            _act(kind, what)
        read = read_statistics(player_id=alice.pk, now=now)
        recompute_players(player_ids=[alice.pk])
        assert read_statistics(player_id=alice.pk, now=now) == read
        counted = [
            row
            for row in Submission.objects.select_related("challenge")
            if row.ranked and row.challenge.cancelled_at is None
        ]
        played = {row.challenge.date for row in counted if row.moves and row.challenge.date}
        won = {row.challenge.date for row in counted if row.won and row.moves and row.challenge.date}
        assert read.days.longest == plain_streak(played, now.date()).longest
        assert read.days.current == plain_streak(played, now.date()).current
        assert read.wins == plain_streak(won, now.date())
        for mode, found in read.modes.items():
            of_mode = [row for row in counted if row.challenge.mode == mode]
            assert found.played == len({row.challenge_id for row in of_mode})
            assert found.won == len({row.challenge_id for row in of_mode if row.won})
            assert found.best_score == max(row.ranked_score or 0 for row in of_mode)
            assert found.fewest_moves == min((row.moves for row in of_mode if row.won), default=None)
        assert set(read.modes) == {row.challenge.mode for row in counted}
        transaction.set_rollback(True)


def _act(kind: str, what: Any) -> None:
    if kind == "play":
        day, mode, won, moves, ranked = what
        place(make_daily(mode, SUNDAY + day * DAY), "alice", score=5 * moves, won=won, moves=moves, ranked=ranked)
    elif kind == "withdraw":
        for row in list(Submission.objects.order_by("id"))[what : what + 1]:
            Submission.objects.filter(pk=row.pk).update(ranked=False)
            recompute_players(player_ids=[row.player_id])
    else:
        daily = make_daily("ft-n", SUNDAY + what * DAY)
        cancelled_at = timezone.now() if kind == "cancel" else None
        Challenge.objects.filter(pk=daily.pk).update(cancelled_at=cancelled_at)
        recompute_challenge(challenge_id=daily.pk)


@pytest.mark.django_db(transaction=True)
def test_recount_says_what_it_repaired_and_is_safe_to_repeat(capsys: pytest.CaptureFixture[str]) -> None:
    from leaderboards.models import PeriodStanding, Standing

    place(make_daily("ft-n", SUNDAY), "alice", score=5)
    place(make_daily("ft-n", SUNDAY), "bob", score=6)
    call_command("recount")
    assert "2 players: 0 places and sums, 0 final ranks" in capsys.readouterr().out
    Standing.objects.filter(player__name="alice", board="first").delete()
    PeriodStanding.objects.filter(player__name="bob", period="all").update(score=1000)
    call_command("recount", "--player", "ALICE")
    assert "1 players: 1 places and sums" in capsys.readouterr().out
    call_command("recount")
    assert "2 players: 1 places and sums" in capsys.readouterr().out
    call_command("recount")
    assert "2 players: 0 places and sums" in capsys.readouterr().out
    with pytest.raises(CommandError, match="no player zoe"):
        call_command("recount", "--player", "zoe")
