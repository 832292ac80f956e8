"""Right after any change: what counts is taken away, given back, or judged anew, and every board follows."""

from __future__ import annotations

import datetime
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from games import redis_client
from games.models import Challenge, Player, Submission
from games.services.verification import verify_pending
from games.signals import verdicts_given
from leaderboards import boards
from leaderboards.addresses import ChallengeBoard, PeriodBoard
from leaderboards.models import PendingRecount, PeriodStanding, Standing
from leaderboards.periods import first_day
from leaderboards.ranking import Result, pack
from leaderboards.services import placing
from leaderboards.services.placing import finish_left_recounts, recompute_challenge, recompute_players
from leaderboards.services.standings import push_all_unpushed, push_groups, rebuild_board
from tests.conftest import Api, ask_redis

from .stage import make_daily, place, submit

with_database = pytest.mark.django_db(transaction=True)

MONDAY = datetime.date(2026, 3, 23)


def cancel(challenge: Challenge) -> None:
    """What moderation does."""
    with transaction.atomic():
        Challenge.objects.filter(pk=challenge.pk).update(cancelled_at=timezone.now())
        recompute_challenge(challenge_id=challenge.pk)


def bring_back(challenge: Challenge) -> None:
    with transaction.atomic():
        Challenge.objects.filter(pk=challenge.pk).update(cancelled_at=None)
        recompute_challenge(challenge_id=challenge.pk)


def change(submission: Submission, **fields: object) -> None:
    """What re-verification does; ``ranked`` stands for any flag that takes a submission out."""
    with transaction.atomic():
        Submission.objects.filter(pk=submission.pk).update(**fields)
        recompute_players(player_ids=[submission.player_id])


def in_redis(board: ChallengeBoard | PeriodBoard) -> list[int]:
    """The members' numbers, as Redis has them; nothing is told to it first."""
    return [entry.id for entry in boards.page(board, after=None, limit=100).entries]


def lines(api: Api, address: str) -> list[tuple[int, str, int]]:
    found = api.get(f"leaderboards/{address}")
    assert found.status_code == 200, found.data
    return [(line["rank"], line["player"], line.get("score", line.get("ranked_score"))) for line in found.data["lines"]]


def week(challenge: Challenge) -> PeriodBoard:
    assert challenge.date is not None
    return PeriodBoard(challenge.mode, "week", first_day("week", challenge.date))


@with_database
def test_a_cancelled_challenge_leaves_every_board_at_once_and_comes_back(nobody: Api, alice: Api) -> None:
    """Bans and disqualifications leave every board and every cache at once (hackatime PR 1340: ten minutes)."""
    today = timezone.now().date()
    daily, other = make_daily("ft-n", today), make_daily("ft-n", today - datetime.timedelta(days=1))
    number = alice.submit(alice.start(daily), "d").data["id"]
    verify_pending(clock=timezone.now)
    place(daily, "bob", score=50)
    place(other, "bob", score=7)
    push_all_unpushed()
    before = (lines(nobody, "ft-n/all/"), in_redis(ChallengeBoard(daily.pk, "best")))
    assert before[0] == [(1, "bob", 57), (2, alice.name, 0)]
    cancel(daily)
    assert in_redis(ChallengeBoard(daily.pk, "best")) == in_redis(ChallengeBoard(daily.pk, "first")) == []
    assert lines(nobody, "ft-n/all/") == [(1, "bob", 7)]
    assert in_redis(PeriodBoard("ft-n", "all", first_day("all", today))) == [Player.objects.get(name="bob").pk]
    assert nobody.get(f"leaderboards/challenges/{daily.pk}/").status_code == 404
    shown = alice.get(f"submissions/{number}/").data
    assert (shown["state"], shown["best"], shown["first"]) == ("verified", None, None)
    bring_back(daily)
    assert (lines(nobody, "ft-n/all/"), in_redis(ChallengeBoard(daily.pk, "best"))) == before
    assert alice.get(f"submissions/{number}/").data["best"]["rank"] == 2


@with_database
@pytest.mark.parametrize("dies", [False, True])
def test_a_big_daily_is_recomputed_in_slices_whatever_happens_between_them(
    monkeypatch: pytest.MonkeyPatch, dies: bool
) -> None:
    monkeypatch.setattr(placing, "SLICE", 3)
    daily, other = make_daily("ft-n", MONDAY), make_daily("kl-d1n", MONDAY)
    for number in range(10):
        place(daily, f"player {number}", score=number)
    place(other, "player 9", score=5)
    if dies:
        monkeypatch.setattr(placing, "_finish", lambda challenge_id: None)
    with CaptureQueriesContext(connection) as queries:
        cancel(daily)
    taken = sum("pg_advisory_xact_lock(" in query["sql"] for query in queries)
    if dies:
        assert Standing.objects.filter(challenge=daily, board="best").count() == 7
        monkeypatch.undo()
        monkeypatch.setattr(placing, "SLICE", 3)
        finish_left_recounts()
        assert PendingRecount.objects.get().after, "others may be at it still"
        bring_back_while_it_is_left(daily)
        PendingRecount.objects.update(worked_at=timezone.now() - datetime.timedelta(minutes=2))
        finish_left_recounts()
    else:
        assert taken > 4
        assert not Standing.objects.filter(challenge=daily).exists()
        assert not PeriodStanding.objects.filter(mode="ft-n", played__gt=0).exists()
        bring_back(daily)
    assert not PendingRecount.objects.exists()
    assert Standing.objects.filter(challenge=daily, board="best").count() == 10
    assert recompute_players(player_ids=Player.objects.values_list("pk", flat=True)) == 0


def bring_back_while_it_is_left(challenge: Challenge) -> None:
    """The first players are back at once, the others are there still."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(placing, "_finish", lambda challenge_id: None)
        bring_back(challenge)
    assert Standing.objects.filter(challenge=challenge, board="best").count() == 10


@with_database
def test_the_next_best_submission_takes_the_place(nobody: Api) -> None:
    daily = make_daily("ft-n", MONDAY)
    worse = place(daily, "alice", score=30)
    best = place(daily, "alice", score=60, won=True)
    place(daily, "bob", score=40)
    address = f"challenges/{daily.pk}/"
    assert lines(nobody, address) == [(1, "alice", 60), (2, "bob", 40)]
    change(best, ranked=False)
    assert lines(nobody, address) == [(1, "bob", 40), (2, "alice", 30)]
    assert in_redis(ChallengeBoard(daily.pk, "best"))[1] == worse.pk
    assert lines(nobody, f"ft-n/week/?date={MONDAY}") == [(1, "bob", 40), (2, "alice", 30)]
    change(best, ranked=True)
    assert lines(nobody, address) == [(1, "alice", 60), (2, "bob", 40)]


@with_database
def test_removing_number_one_leaves_a_board_that_can_be_read(nobody: Api) -> None:
    """osu #29857: removing number 1 left a client loading for ever."""
    daily = make_daily("ft-n", MONDAY)
    only = place(daily, "alice", score=30)
    assert lines(nobody, f"challenges/{daily.pk}/") == [(1, "alice", 30)]
    change(only, ranked=False)
    assert lines(nobody, f"challenges/{daily.pk}/") == []
    assert nobody.get(f"leaderboards/challenges/{daily.pk}/around/?player=alice").status_code == 404
    assert nobody.get(f"leaderboards/challenges/{daily.pk}/distribution/").data["played"] == 0
    assert lines(nobody, f"ft-n/week/?date={MONDAY}") == []
    assert not Standing.rows.exists() and not PeriodStanding.objects.exists(), "Redis has heard, so the rows go"


@with_database
def test_a_verdict_that_turns_out_lower_lowers_the_place(nobody: Api) -> None:
    """ZADD GT can't lower a score after a re-verification."""
    daily = make_daily("ft-n", MONDAY)
    submission = place(daily, "alice", score=60)
    place(daily, "bob", score=40)
    assert lines(nobody, f"challenges/{daily.pk}/") == [(1, "alice", 60), (2, "bob", 40)]
    change(submission, ranked_score=20)
    assert lines(nobody, f"challenges/{daily.pk}/") == [(1, "bob", 40), (2, "alice", 20)]
    assert lines(nobody, f"ft-n/month/?date={MONDAY}") == [(1, "bob", 40), (2, "alice", 20)]


@with_database
def test_a_guest_who_signs_up_gets_the_place_on_the_first_board(nobody: Api) -> None:
    """IronbaneServerLegacy #348: guest progress was gone after signing up."""
    daily = make_daily("ft-n", MONDAY)
    player = place(daily, "visitor", score=60, guest=True).player
    assert lines(nobody, f"challenges/{daily.pk}/?board=first") == []
    Player.objects.filter(pk=player.pk).update(is_guest=False)
    recompute_players(player_ids=[player.pk])
    assert lines(nobody, f"challenges/{daily.pk}/?board=first") == [(1, "visitor", 60)]


@with_database
@pytest.mark.parametrize("first", ["visitor", "alice"])
def test_results_that_move_to_another_player_keep_the_better_of_each_challenge(nobody: Api, first: str) -> None:
    """Whose line Redis is told of first: that the one has gone mustn't take the submission from the other."""
    Player.objects.create(name=first, is_guest=first == "visitor")
    daily, other = make_daily("ft-n", MONDAY), make_daily("ft-n", MONDAY + datetime.timedelta(days=1))
    moved = [place(daily, "visitor", score=60, guest=True), place(other, "visitor", score=1, guest=True)]
    owner = place(daily, "alice", score=50).player
    place(other, "alice", score=5)
    with transaction.atomic():
        for number, submission in enumerate(moved, 2):
            submission.attempt.number, submission.attempt.player = number, owner
            submission.attempt.save()
            Submission.objects.filter(pk=submission.pk).update(player=owner, attempt_number=number)
        recompute_players(player_ids=[owner.pk, moved[0].player_id])
    assert lines(nobody, f"challenges/{daily.pk}/") == [(1, "alice", 60)]
    assert lines(nobody, f"challenges/{other.pk}/") == [(1, "alice", 5)]
    assert lines(nobody, f"ft-n/week/?date={MONDAY}") == [(1, "alice", 65)]


@with_database
def test_recomputing_what_is_right_changes_nothing() -> None:
    daily = make_daily("ft-n", MONDAY)
    submission = place(daily, "alice", score=60)
    push_all_unpushed()

    def state() -> Any:
        with connection.cursor() as cursor:
            cursor.execute("SELECT ctid, * FROM leaderboards_standing ORDER BY id")
            standings = cursor.fetchall()
            cursor.execute("SELECT ctid, * FROM leaderboards_periodstanding ORDER BY period")
            return standings, cursor.fetchall()

    before = state()
    for _ in range(2):
        recompute_players(player_ids=[submission.player_id])
        recompute_challenge(challenge_id=daily.pk)
    assert state() == before


@with_database
def test_recomputing_repairs_what_was_spoilt(nobody: Api) -> None:
    daily = make_daily("ft-n", MONDAY)
    place(daily, "alice", score=60)
    place(daily, "bob", score=50)
    right = (list(Standing.objects.order_by("id").values("key")), list(PeriodStanding.objects.values("pk", "score")))
    Standing.objects.filter(board="best", player__name="alice").update(key=5)
    Standing.objects.filter(board="first").delete()
    PeriodStanding.objects.filter(period="all").update(score=3, played=9)
    PeriodStanding.objects.filter(period="month").delete()
    recompute_players(player_ids=Player.objects.values_list("pk", flat=True))
    assert sorted(row["key"] for row in Standing.objects.values("key")) == sorted(row["key"] for row in right[0])
    assert sorted(PeriodStanding.objects.values_list("pk", "score")) == sorted((r["pk"], r["score"]) for r in right[1])


@with_database
def test_what_left_while_redis_was_away_is_gone_when_it_is_back(nobody: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    daily = make_daily("ft-n", MONDAY)
    place(daily, "alice", score=60)
    place(daily, "bob", score=50)
    push_all_unpushed()
    with redis_away(monkeypatch):
        change(Submission.objects.get(player__name="alice"), ranked=False)
        assert lines(nobody, f"challenges/{daily.pk}/") == [(1, "bob", 50)]
        assert lines(nobody, f"ft-n/week/?date={MONDAY}") == [(1, "bob", 50)]
    assert len(in_redis(ChallengeBoard(daily.pk, "best"))) == 2, "Redis can't know yet"
    assert lines(nobody, f"challenges/{daily.pk}/") == [(1, "bob", 50)]
    assert lines(nobody, f"ft-n/week/?date={MONDAY}") == [(1, "bob", 50)]
    assert len(in_redis(ChallengeBoard(daily.pk, "best"))) == len(in_redis(week(daily))) == 1


@contextmanager
def redis_away(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.setattr(redis_client, "_client", _no_client)
        yield
    redis_client._away_until = 0.0


def _no_client(*_: Any) -> Any:
    raise OSError("nobody there")


@with_database
def test_boards_of_long_ago_stay_out_of_redis() -> None:
    daily = make_daily("ft-n", MONDAY)
    submission = place(daily, "alice", score=60)
    push_all_unpushed()
    ask_redis(lambda redis: redis.flushall())
    change(submission, ranked=False)
    change(submission, ranked=True)
    assert ask_redis(lambda redis: redis.keys("*board*")) == []


def in_thread(function: Callable[[], None]) -> threading.Thread:
    def run() -> None:
        try:
            function()
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


@with_database
@pytest.mark.parametrize("verdict_first", [True, False])
def test_a_verdict_in_flight_can_not_bring_back_what_was_taken_away(nobody: Api, verdict_first: bool) -> None:
    """The verdict and the cancelling are transactions at the same time, each begun before the other has ended."""
    daily = make_daily("ft-n", MONDAY)
    place(daily, "bob", score=50)
    _, ruling = submit(daily, "alice", score=60)

    def verdict() -> None:
        verdicts_given.send(sender=None, rulings=[ruling])

    first, second = (verdict, lambda: cancel(daily)) if verdict_first else (lambda: cancel(daily), verdict)
    with transaction.atomic():
        first()
        thread = in_thread(lambda: atomically(second))
        thread.join(timeout=0.5)
        assert thread.is_alive(), "the second waits for the first"
    thread.join(timeout=20)
    assert not Standing.objects.exists()
    assert not PeriodStanding.objects.filter(played__gt=0).exists()
    bring_back(daily)
    assert lines(nobody, f"ft-n/week/?date={MONDAY}") == [(1, "alice", 60), (2, "bob", 50)]


def atomically(function: Callable[[], None]) -> None:
    with transaction.atomic():
        function()


@with_database
def test_a_rebuild_beside_a_verdict_leaves_no_ghost(nobody: Api) -> None:
    """A line that Redis got by a rebuild and not by a push stayed there when the player did better."""
    daily = make_daily("ft-n", MONDAY)
    place(daily, "alice", score=60)
    Standing.rows.update(is_pushed=False, pushed_submission_id=None)
    PeriodStanding.objects.update(is_pushed=False, pushed_key=None)
    for board in (ChallengeBoard(daily.pk, "best"), week(daily)):
        rebuild_board(board=board)
    place(daily, "alice", score=70)
    assert lines(nobody, f"challenges/{daily.pk}/") == [(1, "alice", 70)]
    assert lines(nobody, f"ft-n/week/?date={MONDAY}") == [(1, "alice", 70)]
    assert len(in_redis(ChallengeBoard(daily.pk, "best"))) == len(in_redis(week(daily))) == 1


@with_database
@pytest.mark.parametrize("teller", ["push", "rebuild"])
def test_who_dies_between_telling_redis_and_noting_it_leaves_no_ghost(
    nobody: Api, monkeypatch: pytest.MonkeyPatch, teller: str
) -> None:
    """Redis knew of a submission, PostgreSQL didn't know that, and the next one was put beside it."""
    daily = make_daily("ft-n", MONDAY)
    board = ChallengeBoard(daily.pk, "best")
    place(daily, "bob", score=1)
    push_all_unpushed()
    with monkeypatch.context() as patch:
        patch.setattr("leaderboards.receivers.push_standings", lambda **_: None)
        place(daily, "alice", score=60)
        for told in (board, week(daily)):
            with pytest.raises(SystemExit):
                _tell_and_die(told, teller)
        assert len(in_redis(board)) == len(in_redis(week(daily))) == 2
        place(daily, "alice", score=70)
        place(daily, "alice", score=80)
    assert lines(nobody, f"challenges/{daily.pk}/") == [(1, "alice", 80), (2, "bob", 1)]
    assert lines(nobody, f"ft-n/week/?date={MONDAY}") == [(1, "alice", 80), (2, "bob", 1)]
    assert len(in_redis(board)) == len(in_redis(week(daily))) == 2


def _tell_and_die(board: ChallengeBoard | PeriodBoard, teller: str) -> None:
    with transaction.atomic():
        if teller == "push":
            assert push_groups([board.group])
        else:
            rebuild_board(board=board)
        raise SystemExit


_results = st.fixed_dictionaries(
    {
        "score": st.sampled_from([-52, 0, 10, 1360]),
        "won": st.booleans(),
        "moves": st.sampled_from([0, 1, 10_000]),
        "elapsed": st.sampled_from([0, 5, 2**27 + 9]),
    }
)
_steps = st.one_of(
    st.tuples(st.just("play"), st.integers(0, 3), st.sampled_from(["alice", "bob", "guest"]), _results),
    st.tuples(st.just("batch"), st.lists(st.tuples(st.integers(0, 3), st.sampled_from("ab"), _results), max_size=4)),
    st.tuples(st.just("cancel"), st.integers(0, 3)),
    st.tuples(st.just("bring_back"), st.integers(0, 3)),
    st.tuples(st.just("change"), st.integers(0, 20), _results, st.booleans()),
)


@pytest.mark.django_db
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(_steps, max_size=12))
def test_running_sums_are_what_a_recomputation_and_a_plain_model_say(steps: list[Any]) -> None:
    """Whatever happens in whatever order; osu #29073 and its kind."""
    with transaction.atomic():
        dailies = [make_daily("kl-d1v", MONDAY + datetime.timedelta(days=n)) for n in (0, 6, 7, 9)]
        for kind, *what in steps:
            match kind:
                case "play":
                    number, name, result = what
                    place(dailies[number], name, guest=name == "guest", **result)
                case "batch":
                    rulings = [submit(dailies[number], name, **result)[1] for number, name, result in what[0]]
                    verdicts_given.send(sender=None, rulings=rulings)
                case "cancel":
                    cancel(dailies[what[0]])
                case "bring_back":
                    bring_back(dailies[what[0]])
                case "change":
                    _change_some(*what)
        running = _stored_state()
        assert running == _plain_state()
        recompute_players(player_ids=Player.objects.values_list("pk", flat=True))
        for daily in dailies:
            recompute_challenge(challenge_id=daily.pk)
        assert _stored_state() == running
        transaction.set_rollback(True)


def _change_some(index: int, result: dict[str, Any], ranked: bool) -> None:
    submissions = list(Submission.objects.order_by("id"))
    if submissions:
        figures = {"ranked_score" if name == "score" else name: value for name, value in result.items()}
        change(submissions[index % len(submissions)], ranked=ranked, **figures)


def _stored_state() -> Any:
    standings = Standing.objects.values_list("challenge_id", "board", "player_id", "submission_id", "key")
    sums = PeriodStanding.objects.filter(played__gt=0)
    return set(standings), set(sums.values_list("player_id", "period", "starts_on", "score", "played", "won", "moves"))


def _plain_state() -> Any:
    """The same in plain Python."""
    best: dict[tuple[int, str, int], tuple[int, int, Submission]] = {}
    for row in Submission.objects.select_related("challenge", "player"):
        if row.state != "verified" or not row.ranked or row.challenge.cancelled_at is not None:
            continue
        key = pack(Result(bool(row.won), row.ranked_score or 0, row.moves or 0, row.elapsed))
        for board in ("best", "first") if row.attempt_number == 1 and not row.player.is_guest else ("best",):
            place_ = (row.challenge_id, board, row.player_id)
            best[place_] = min(best.get(place_, (key, row.pk, row)), (key, row.pk, row), key=lambda line: line[:2])
    sums: dict[tuple[int, str, datetime.date], list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for (_, board, player), (_, _, row) in best.items():
        if board == "best":
            for period in ("week", "month", "all"):
                line = sums[player, period, first_day(period, row.challenge.date)]  # type: ignore[arg-type]
                for i, amount in enumerate((52 + (row.ranked_score or 0), 1, int(bool(row.won)), row.moves or 0)):
                    line[i] += amount
    standings = {(*place_, number, key) for place_, (key, number, _) in best.items()}
    return standings, {(*key, *line) for key, line in sums.items()}
