"""The second opinion: plain recomputation, and that it finds what is wrong."""

from __future__ import annotations

import datetime
import subprocess
import sys
from collections.abc import Callable
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db.models import F
from django.utils import timezone

from games import redis_keys
from games.engine import RULES_VERSION
from games.models import Attempt, Challenge, Player, Submission
from games.services.verification import verify_pending
from leaderboards import boards as redis_boards
from leaderboards.addresses import ChallengeBoard
from leaderboards.layouts import BY_SCORE
from leaderboards.models import Standing
from leaderboards.services.standings import push_all_unpushed, rebuild_board
from qvserver import audit as module
from qvserver.audit import LONGEST, Place, Stored, Times, audit, judge, measure, rank_boards
from tests.conftest import ROOT, Api, ask_redis, utc

LEGAL, ILLEGAL = "d", "aa"


def stored(number: int, player: int, log: str, **changes: object) -> Stored:
    row = Stored(number, 1, player, False, 1, True, "verified", 100, "ft-n", 21, log, {})
    return row._replace(**changes)  # type: ignore[arg-type]


def boards(*rows: Stored) -> dict[tuple[int, str], list[Place]]:
    return rank_boards([(row, judge(row)) for row in rows])


def lines(places: list[Place]) -> list[tuple[int, int, int]]:
    return [(place.rank, place.submission, place.player) for place in places]


def judged(number: int, *, won: bool, ranked_score: int, moves: int, elapsed: int) -> tuple[Stored, dict[str, object]]:
    verdict = {"state": "verified", "won": won, "ranked_score": ranked_score, "moves": moves}
    return stored(number, number, "", elapsed=elapsed), verdict


def test_ties_share_a_rank_and_list_the_earlier_first() -> None:
    found = boards(stored(3, 30, "d"), stored(1, 10, "d d"), stored(2, 20, "d"), stored(4, 40, "d", elapsed=99))
    assert lines(found[1, "best"]) == [(1, 4, 40), (2, 2, 20), (2, 3, 30), (4, 1, 10)]
    assert found[1, "best"][1] == Place(2, 2, 20, False, 0, 1, 100)


def test_the_order_is_won_then_score_then_moves_then_time() -> None:
    rows = [
        judged(1, won=False, ranked_score=900, moves=1, elapsed=1),
        judged(2, won=True, ranked_score=-52, moves=900, elapsed=900),
        judged(3, won=True, ranked_score=10, moves=900, elapsed=900),
        judged(4, won=True, ranked_score=10, moves=900, elapsed=899),
        judged(5, won=True, ranked_score=10, moves=899, elapsed=901),
        judged(6, won=False, ranked_score=-52, moves=0, elapsed=0),
    ]
    assert [place.submission for place in rank_boards(rows)[1, "best"]] == [5, 4, 3, 2, 1, 6]


def test_times_beyond_155_days_are_equal() -> None:
    late = [stored(1, 10, "d", elapsed=LONGEST + 5), stored(2, 20, "d", elapsed=LONGEST)]
    found = boards(*late, stored(3, 30, "d", elapsed=LONGEST - 1))[1, "best"]
    assert [(p.rank, p.submission, p.elapsed) for p in found] == [(1, 3, LONGEST - 1), (2, 1, LONGEST), (2, 2, LONGEST)]


def test_first_leaves_out_guests_and_later_attempts() -> None:
    found = boards(stored(1, 10, "d"), stored(2, 20, "d", is_guest=True), stored(3, 30, "", attempt_number=2))
    assert [place.player for place in found[1, "first"]] == [10]
    assert [place.player for place in found[1, "best"]] == [30, 10, 20]


def test_first_keeps_the_first_attempt_where_a_later_one_is_better() -> None:
    found = boards(stored(1, 10, "d d"), stored(2, 10, "d", attempt_number=2))
    assert lines(found[1, "first"]) == [(1, 1, 10)]
    assert lines(found[1, "best"]) == [(1, 2, 10)]


def test_of_equal_submissions_the_earlier_one_stands() -> None:
    again = stored(1, 10, "d", attempt_number=1)
    assert lines(boards(stored(2, 10, "d", attempt_number=2), again)[1, "best"]) == [(1, 1, 10)]


def test_only_legal_and_ranked_logs_count_and_each_player_once() -> None:
    found = boards(stored(1, 10, ILLEGAL), stored(2, 20, "d", ranked=False), stored(3, 30, "d d"), stored(4, 30, "d"))
    assert {key: lines(places) for key, places in found.items()} == {
        (1, "best"): [(1, 4, 30)],
        (1, "first"): [(1, 4, 30)],
    }


def test_challenges_have_boards_of_their_own() -> None:
    found = boards(stored(1, 10, "d"), stored(2, 10, "d d", challenge=2))
    assert lines(found[1, "best"]) == [(1, 1, 10)] and lines(found[2, "best"]) == [(1, 2, 10)]


def test_the_time_that_counts_is_from_start_to_receipt_in_whole_tenths() -> None:
    start, over = utc("2026-03-01T12:00:00"), utc("2026-03-02T00:05:00")
    times = Times(start, start + datetime.timedelta(seconds=10, milliseconds=99), over)
    assert measure(stored(1, 10, "d", elapsed=100), times) == []
    assert "took 100 tenths" in measure(stored(1, 10, "d", elapsed=101), times)[0]
    assert measure(stored(1, 10, "d", elapsed=0), times._replace(received=start - datetime.timedelta(seconds=3))) == []


def test_a_late_log_is_not_ranked() -> None:
    start, over = utc("2026-03-01T12:00:00"), utc("2026-03-01T12:00:10")
    late = Times(start, over, over)
    assert "when the challenge was over" in measure(stored(1, 10, "d", elapsed=100), late)[0]
    assert measure(stored(1, 10, "d", elapsed=100, ranked=False), late) == []


def test_the_recomputation_loads_neither_django_nor_what_it_checks() -> None:
    code = "import sys, qvserver.audit as a; assert not {'leaderboards.ranking', 'games.models'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def play_some(new_guest: Callable[[], Api], daily: Challenge) -> None:
    """Six players, two of them no guests, one of these twice; ties, and an illegal log."""
    players = [new_guest() for _ in range(6)]
    Player.objects.filter(name__in=[player.name for player in players[:2]]).update(is_guest=False)
    for n, player in enumerate(players):
        player.submit(player.start(daily), "d " * (n // 2 + 2))
    players[0].submit(players[0].start(daily), "d")
    players[5].submit(players[5].start(daily), ILLEGAL)
    verify_pending(clock=timezone.now)


@pytest.fixture
def played(new_guest: Callable[[], Api], daily: Challenge, monkeypatch: pytest.MonkeyPatch) -> Challenge:
    monkeypatch.setattr(module, "_pause", lambda: None)
    play_some(new_guest, daily)
    push_all_unpushed()
    return daily


def preceded(before: Callable[[], None], function: Callable[..., None]) -> Callable[..., None]:
    def both(*arguments: object) -> None:
        before()
        function(*arguments)

    return both


@pytest.mark.django_db(transaction=True)
class TestAudit:
    """Of real rows and boards."""

    def test_finds_nothing_where_all_is_right(self, played: Challenge) -> None:
        report = audit()
        assert report.differences == []
        assert (report.challenges, report.submissions, report.verified, report.rejected) == (1, 8, 7, 1)
        assert (report.boards, report.periods, report.lines) == (2, 3, 8 + 3 * 6)
        assert (report.unmade, report.waiting) == (0, 0)

    def test_reads_boards_over_many_pages(self, played: Challenge, monkeypatch: pytest.MonkeyPatch) -> None:
        for size in (1, 2, 3, 6):
            monkeypatch.setattr(module, "_PAGE", size)
            assert audit().differences == []

    def test_finds_a_forged_figure(self, played: Challenge) -> None:
        Submission.objects.filter(moves=3).update(ranked_score=1360)
        assert ["ranked_score is 1360 instead of 0" in text for text in audit(challenge_id=played.pk).differences] == [
            True,
            True,
        ]

    def test_finds_a_forged_state(self, played: Challenge) -> None:
        Submission.objects.filter(moves=1).update(state="rejected")
        assert any("state is 'rejected' instead of 'verified'" in text for text in audit().differences)

    def test_finds_a_verdict_by_other_rules(self, played: Challenge) -> None:
        Submission.objects.filter(moves=1).update(rules_version=RULES_VERSION + 1)
        assert ["rules_version is" in text for text in audit().differences] == [True]

    def test_finds_a_forged_time(self, played: Challenge) -> None:
        Submission.objects.filter(moves=1).update(elapsed=F("elapsed") + 50)
        assert any("tenths of a second" in text for text in audit().differences)

    def test_finds_a_late_log_that_is_ranked(self, played: Challenge) -> None:
        Challenge.objects.update(opens_at=utc("2026-01-01"), closes_at=utc("2026-01-02"))
        assert sum("the challenge was over" in text for text in audit().differences) == 8

    def test_finds_a_submission_under_a_wrong_attempt_number(self, played: Challenge) -> None:
        attempt = Attempt.objects.order_by("id")[1]
        Submission.objects.filter(attempt=attempt).update(attempt_number=2)
        assert any("isn't that of its attempt" in text for text in audit().differences)

    def test_finds_a_forged_key(self, played: Challenge) -> None:
        Standing.objects.filter(submission__moves=1).update(key=F("key") - (1 << 27))
        differences = audit().differences
        assert any("best of challenge" in text and "PostgreSQL" in text for text in differences)
        assert not any("Redis" in text or "standings" in text for text in differences)

    def test_finds_a_missing_standing(self, played: Challenge) -> None:
        Standing.objects.filter(submission__moves=4).delete()
        assert sum("is missing" in text for text in audit().differences) == 2

    def test_finds_a_guest_on_the_first_board(self, played: Challenge) -> None:
        best = Standing.objects.filter(board="best", player__is_guest=True)[0]
        best.pk, best.board = None, "first"
        best.save(force_insert=True)
        assert any("doesn't belong there" in text for text in audit().differences)

    def test_finds_a_wrong_line_in_redis(self, played: Challenge) -> None:
        name = redis_keys.challenge_board(played.pk, "best")
        last = redis_boards.page(ChallengeBoard(played.pk, "best"), after=None, limit=10).entries[-1]
        member = BY_SCORE.member(last)
        ask_redis(lambda redis: redis.zadd(name, {member: 5}))
        assert ["line 1 shows" in text and "Redis" in text for text in audit().differences] == [True]
        ask_redis(lambda redis: redis.zrem(name, member))
        assert ["5 players instead of 6" in text for text in audit().differences] == [True]

    def test_finds_what_redis_has_not_heard_of(self, played: Challenge) -> None:
        Standing.objects.filter(submission__moves=4).update(is_pushed=False)
        assert ["2 standings that Redis hasn't heard of" in text for text in audit().differences] == [True]

    def test_counts_boards_that_are_not_made_and_wants_none(self, played: Challenge) -> None:
        ask_redis(lambda redis: redis.flushall())
        report = audit()
        assert (report.differences, report.unmade) == ([], 5)
        rebuild_board(board=ChallengeBoard(played.pk, "best"))
        assert audit().unmade == 4

    def test_waits_for_young_pending_rows_and_finds_old_ones(self, played: Challenge, alice: Api) -> None:
        alice.submit(alice.start(played), "d")
        report = audit()
        assert (report.differences, report.waiting) == ([], 1)
        long_ago = timezone.now() - module.PENDING_LIMIT
        Submission.objects.filter(state="pending").update(received_at=long_ago)
        assert ["has no verdict: pending" in text for text in audit().differences] == [True]

    def test_looks_again_where_redis_is_about_to_be_told(
        self, played: Challenge, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        Standing.objects.filter(submission__moves=4).update(is_pushed=False)
        # Not `time.sleep`: other threads sleep too.
        monkeypatch.setattr(module, "_pause", push_all_unpushed)
        assert audit().differences == []

    def test_games_that_come_in_meanwhile_are_left_out(
        self, played: Challenge, new_guest: Callable[[], Api], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        improving = new_guest()
        improving.submit(improving.start(played), "d d d d d")
        verify_pending(clock=timezone.now)

        def come_in() -> None:
            for player in (improving, new_guest()):
                player.submit(player.start(played), "d d")
            verify_pending(clock=timezone.now)
            push_all_unpushed()

        monkeypatch.setattr(module, "_LOOKS", 1)
        monkeypatch.setattr(module, "_compare_redis", preceded(come_in, module._compare_redis))
        assert audit().differences == []
        # And what is wrong besides is found all the same.
        name = redis_keys.challenge_board(played.pk, "best")
        last = redis_boards.page(ChallengeBoard(played.pk, "best"), after=None, limit=10).entries[-1]
        ask_redis(lambda redis: redis.zadd(name, {BY_SCORE.member(last): last.key + 1}))
        assert ["shows" in text and "Redis" in text for text in audit().differences] == [True]

    def test_of_one_challenge_leaves_the_others_alone(self, played: Challenge) -> None:
        Submission.objects.filter(moves=3).update(ranked_score=1360)
        other = Challenge.objects.create(
            mode="ft-n", family="FT1", number=5, opens_at=utc("2026-01-01"), closes_at=utc("2026-01-02")
        )
        assert audit(challenge_id=other.pk).differences == []
        assert audit(challenge_id=played.pk).differences != []

    def test_command_prints_what_it_checked_and_fails_on_differences(self, played: Challenge) -> None:
        out = StringIO()
        call_command("audit", stdout=out)
        assert "no difference" in out.getvalue() and "submissions" in out.getvalue()
        Submission.objects.filter(moves=1).update(score=7)
        with pytest.raises(CommandError, match="score is 7 instead of 0") as caught:
            call_command("audit", "--challenge", str(played.pk), stdout=out)
        assert caught.value.returncode == 1
        with pytest.raises(CommandError, match="there is no challenge 987654"):
            call_command("audit", "--challenge", "987654", stdout=out)
