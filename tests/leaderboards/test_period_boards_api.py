"""GET leaderboards/{mode}/week|month|all/ and around, from Redis and from PostgreSQL alike."""

from __future__ import annotations

import datetime
import random
from typing import Any

import pytest
import time_machine
from django.core.management import call_command
from django.utils import timezone

from games.models import Player
from games.services.verification import verify_pending
from leaderboards.addresses import PeriodBoard
from leaderboards.models import PeriodStanding
from leaderboards.periods import BEGINNING
from leaderboards.services.standings import push_all_unpushed
from leaderboards.tasks import rebuild
from tests.conftest import Api, ask_redis, patiently, utc

from .stage import make_daily, place

pytestmark = pytest.mark.django_db(transaction=True)

MONDAY, TUESDAY, SUNDAY, NEXT_MONDAY = "2026-03-23", "2026-03-24", "2026-03-29", "2026-03-30"


@pytest.fixture(autouse=True)
def _today() -> Any:
    with time_machine.travel(utc("2026-03-29T12:00:00"), tick=True):
        yield


def board(api: Api, address: str) -> Any:
    answer = api.get(f"leaderboards/{address}")
    assert answer.status_code == 200, answer.data
    return answer.data


def brief(page: Any) -> list[tuple[int, str, int]]:
    return [(line["rank"], line["player"], line["score"]) for line in page["lines"]]


def test_sums_the_best_submission_of_each_daily(nobody: Api, source: Any) -> None:
    place(make_daily("ft-n", MONDAY), "alice", score=100, moves=7)
    place(make_daily("ft-n", MONDAY), "alice", score=90, moves=1)
    place(make_daily("ft-n", TUESDAY), "alice", score=50, moves=5)
    place(make_daily("ft-n", TUESDAY), "alice", score=30, moves=20, won=True)
    source()
    assert board(nobody, "ft-n/week/")["lines"] == [
        {"rank": 1, "player": "alice", "is_guest": False, "score": 130, "played": 2, "won": 1, "moves": 27}
    ]


def test_a_better_submission_replaces_and_an_equal_one_adds_nothing(nobody: Api, source: Any) -> None:
    """Concurrent read-modify-write lost ratings (Leetcode-City #341): sums change by differences, in one statement."""
    daily = make_daily("kl-d1n", MONDAY)
    for score in (10, 40, 40, 20, 60):
        place(daily, "alice", score=score)
    source()
    for period in ("week", "month", "all"):
        [line] = board(nobody, f"kl-d1n/{period}/")["lines"]
        assert (line["score"], line["played"], line["moves"]) == (60, 1, 10)


def test_order_is_sum_then_wins_then_fewer_moves_then_equal_rank(nobody: Api, source: Any) -> None:
    daily = make_daily("ft-n", MONDAY)
    place(daily, "long", score=100, moves=11)
    place(daily, "equal", score=100, moves=10, elapsed=999)
    place(daily, "winner", score=100, moves=99, won=True)
    place(daily, "also", score=100, moves=10)
    place(daily, "rich", score=101, moves=999)
    source()
    assert brief(board(nobody, "ft-n/all/")) == [
        (1, "rich", 101),
        (2, "winner", 100),
        (3, "equal", 100),
        (3, "also", 100),
        (5, "long", 100),
    ]


def test_playing_never_costs_in_vegas(nobody: Api, source: Any) -> None:
    place(make_daily("kl-d1v", MONDAY), "idle", score=-52)
    for day in (MONDAY, TUESDAY):
        place(make_daily("kl-d1v", day), "keen", score=-52)
    place(make_daily("kl-d3v", MONDAY), "lucky", score=208, won=True)
    source()
    assert brief(board(nobody, "kl-d1v/week/")) == [(1, "idle", 0), (2, "keen", 0)]
    assert [line["played"] for line in board(nobody, "kl-d1v/week/")["lines"]] == [1, 2]
    assert brief(board(nobody, "kl-d3v/week/")) == [(1, "lucky", 260)]


def test_modes_and_periods_never_mix(nobody: Api, source: Any) -> None:
    """SerenityOS #7464: best scores of draw 1 and draw 3 were mixed."""
    place(make_daily("kl-d1n", SUNDAY), "alice", score=1)
    place(make_daily("kl-d3n", SUNDAY), "alice", score=2)
    place(make_daily("kl-d1n", NEXT_MONDAY), "alice", score=4)
    place(make_daily("kl-d1n", "2026-04-01"), "alice", score=8)
    source()
    scores = {
        address: [line["score"] for line in board(nobody, f"kl-d1n/{address}")["lines"]]
        for address in (
            f"week/?date={MONDAY}",
            f"week/?date={SUNDAY}",
            f"week/?date={NEXT_MONDAY}",
            "month/?date=2026-03-01",
            "month/?date=2026-04-30",
            "month/?date=2026-05-01",
            "all/?date=2020-01-01",
        )
    }
    assert list(scores.values()) == [[1], [1], [12], [5], [8], [], [13]]
    assert brief(board(nobody, "kl-d3n/all/")) == [(1, "alice", 2)]


def test_a_page_names_its_days_and_events_count_for_none(nobody: Api, source: Any) -> None:
    event = make_daily("ft-n", MONDAY)
    type(event).objects.update(date=None)
    event.refresh_from_db()
    place(event, "alice", score=100)
    source()
    empty = {"total": 0, "lines": [], "own": None, "next_cursor": None}
    assert board(nobody, "ft-n/week/") == {
        "mode": "ft-n",
        "period": "week",
        "first_day": "2026-03-23",
        "last_day": "2026-03-29",
        **empty,
    }
    assert board(nobody, "ft-n/all/") == {"mode": "ft-n", "period": "all", "first_day": None, "last_day": None, **empty}


def test_guests_stand_there_and_practice_does_not(nobody: Api, source: Any) -> None:
    place(make_daily("ft-n", MONDAY), "visitor", score=5, guest=True)
    place(make_daily("ft-n", MONDAY), "late", score=9, ranked=False)
    source()
    assert [(line["player"], line["is_guest"]) for line in board(nobody, "ft-n/week/")["lines"]] == [("visitor", True)]


def test_a_score_of_0_counts_as_having_taken_part(nobody: Api, source: Any) -> None:
    """osu #31808."""
    place(make_daily("ft-n", MONDAY), "alice", score=0)
    source()
    assert brief(board(nobody, "ft-n/week/")) == [(1, "alice", 0)]


def test_pages_hold_every_player_once_whatever_the_ties(nobody: Api, source: Any) -> None:
    """commit-history PR 60: 250 paged rows held 248 players because ties had no order."""
    rng = random.Random(7)
    for n in range(40):
        for day in (MONDAY, TUESDAY):
            place(make_daily("ft-n", day), f"p{n:02}", score=rng.choice([0, 10, 20]), moves=rng.choice([1, 2]))
    source()
    whole = board(nobody, "ft-n/week/")
    paged: list[Any] = []
    cursor = ""
    while True:
        page = board(nobody, f"ft-n/week/?limit=7{cursor}")
        paged += page["lines"]
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert paged == whole["lines"] and whole["total"] == 40
    assert len({line["player"] for line in paged}) == 40
    ranks = [line["rank"] for line in paged]
    better = [sum(_order(other) < _order(line) for other in paged) for line in paged]
    assert ranks == [1 + n for n in better]


def _order(line: Any) -> tuple[int, int, int]:
    return (-line["score"], -line["won"], line["moves"])


def test_a_player_who_improves_between_pages_is_not_seen_twice(nobody: Api) -> None:
    for n in range(6):
        place(make_daily("ft-n", MONDAY), f"p{n}", score=60 - n)
    first = board(nobody, "ft-n/week/?limit=3")
    place(make_daily("ft-n", TUESDAY), "p2", score=99)
    second = board(nobody, f"ft-n/week/?limit=3&cursor={first['next_cursor']}")
    assert [line["player"] for line in first["lines"] + second["lines"]] == [f"p{n}" for n in range(6)]
    assert [line["rank"] for line in second["lines"]] == [4, 5, 6]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("p0", [(1, "p0"), (2, "p1"), (2, "p2")]),
        ("p1", [(1, "p0"), (2, "p1"), (2, "p2"), (4, "p3")]),
        ("p2", [(1, "p0"), (2, "p1"), (2, "p2"), (4, "p3"), (5, "p4")]),
        ("p5", [(4, "p3"), (5, "p4"), (6, "p5")]),
    ],
)
def test_around_a_player_is_right_near_the_ends_and_in_ties(
    nobody: Api, source: Any, name: str, expected: list[tuple[int, str]]
) -> None:
    """nakama PR 605, #480: around-me off by one near the top, or wrong."""
    for n, score in enumerate([60, 50, 50, 40, 30, 20]):
        place(make_daily("ft-n", MONDAY), f"p{n}", score=score)
    source()
    page = board(nobody, f"ft-n/month/around/?player={name.upper()}&span=2")
    assert [(rank, player) for rank, player, _ in brief(page)] == expected
    assert page["own"]["player"] == name


def test_the_rank_is_the_same_wherever_it_is_shown(alice: Api, bob: Api) -> None:
    """ForFunLabs/webapi #7: the profile's rank differed from the board's."""
    daily = make_daily("ft-n", SUNDAY)
    for player, log in ((alice, "d d"), (bob, "d")):
        player.submit(player.start(daily), log)
    for n in range(5):
        place(daily, f"p{n}", score=0, moves=1)
    verify_pending(clock=timezone.now)
    page = board(alice, "ft-n/week/")
    [listed] = [line for line in page["lines"] if line["player"] == alice.name]
    assert listed == page["own"] == board(alice, "ft-n/week/around/")["own"]
    assert board(alice, "ft-n/week/?limit=2")["own"] == listed
    assert listed["rank"] == 7 and board(bob, "ft-n/week/")["own"]["rank"] == 1


def test_whoever_reads_after_a_verdict_sees_it(alice: Api) -> None:
    daily = make_daily("ft-n", SUNDAY)
    assert board(alice, "ft-n/week/")["total"] == 0
    for moves in (3, 2, 1):
        alice.submit(alice.start(daily), " ".join("d" * moves))
        verify_pending(clock=timezone.now)
        assert [line["moves"] for line in board(alice, "ft-n/week/")["lines"]] == [moves]


def test_redis_emptied_or_behind_never_shows_a_part(nobody: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """nakama PR 1232: a recreated board kept stale ranks."""
    monkeypatch.setattr("leaderboards.services.reading.wake", lambda *_: None)
    daily = make_daily("ft-n", MONDAY)
    for n in range(5):
        place(daily, f"p{n}", score=n)
    push_all_unpushed()
    ask_redis(lambda redis: redis.flushall())
    place(daily, "late", score=9)
    assert [player for _, player, _ in brief(board(nobody, "ft-n/week/"))] == ["late", "p4", "p3", "p2", "p1", "p0"]
    assert not PeriodStanding.objects.filter(period="week", is_pushed=False).exists()


def test_rebuilding_gives_the_same_boards(nobody: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    for n in range(9):
        place(make_daily("ft-n", MONDAY), f"p{n}", score=n % 4)
    before = board(nobody, "ft-n/month/")
    ask_redis(lambda redis: redis.flushall())
    call_command("rebuild_boards")
    monkeypatch.setattr("leaderboards.services.reading.stored_boards.page", None)
    assert board(nobody, "ft-n/month/") == before


def test_the_key_in_redis_keeps_apart_what_a_double_would_not(nobody: Api, source: Any) -> None:
    for moves, name in enumerate(["short", "long"], 365_000_000):
        PeriodStanding.objects.create(
            player=Player.objects.create(name=name),
            mode="ft-n",
            period="all",
            starts_on=BEGINNING,
            score=49_674_000,
            played=36525,
            won=36525,
            moves=moves,
        )
    source()
    assert [(line["rank"], line["player"]) for line in board(nobody, "ft-n/all/")["lines"]] == [
        (1, "short"),
        (2, "long"),
    ]
    first = board(nobody, "ft-n/all/?limit=1")
    assert board(nobody, f"ft-n/all/?limit=1&cursor={first['next_cursor']}")["lines"][0]["player"] == "long"


@pytest.mark.parametrize(
    ("address", "status", "code"),
    [
        ("ft-x/week/", 404, "not_found"),
        ("ft-n/year/", 404, "not_found"),
        ("challenges/week/", 404, "not_found"),
        ("ft-n/week/?date=yesterday", 400, "bad_parameter"),
        ("ft-n/week/?date=", 400, "bad_parameter"),
        ("ft-n/week/?date=2026-02-30", 400, "bad_parameter"),
        ("ft-n/week/?limit=0", 400, "bad_parameter"),
        ("ft-n/week/?cursor=abc", 400, "bad_cursor"),
        ("ft-n/week/around/", 401, "not_authenticated"),
        ("ft-n/week/around/?player=nobody-there", 404, "not_found"),
        ("ft-n/week/around/?player=%00", 400, "bad_parameter"),
    ],
)
def test_bad_queries_are_refused(nobody: Api, address: str, status: int, code: str) -> None:
    answer = nobody.get(f"leaderboards/{address}")
    assert (answer.status_code, answer.data["error"]["code"]) == (status, code)


@pytest.mark.parametrize("date", ["0001-01-01", "9999-12-31"])
@pytest.mark.parametrize("period", ["week", "month", "all"])
def test_the_ends_of_the_calendar_have_empty_boards(nobody: Api, period: str, date: str) -> None:
    assert board(nobody, f"ft-n/{period}/?date={date}")["total"] == 0


def test_cursors_reach_from_the_first_key_to_the_last(nobody: Api, source: Any) -> None:
    from games.api.cursors import pack_cursor
    from leaderboards.period_ranking import END

    place(make_daily("ft-n", MONDAY), "alice", score=5)
    source()
    assert board(nobody, f"ft-n/week/?cursor={pack_cursor(0, 0)}")["lines"] != []
    assert board(nobody, f"ft-n/week/?cursor={pack_cursor(END - 1, 2**63 - 1)}")["lines"] == []
    for beyond in (pack_cursor(END, 0), pack_cursor(0, 2**63)):
        assert nobody.get(f"leaderboards/ft-n/week/?cursor={beyond}").status_code == 400


def test_asking_for_any_week_leaves_nothing_in_redis(nobody: Api) -> None:
    board(nobody, "ft-n/week/?date=1815-06-18")
    patiently(lambda: rebuild(str(PeriodBoard("ft-n", "week", datetime.date(1815, 6, 12)))))
    assert ask_redis(lambda redis: redis.keys("*1815*")) == []


def test_a_wrong_token_is_refused() -> None:
    assert Api("0" * 64).get("leaderboards/ft-n/week/").status_code == 401


def test_a_set_in_redis_is_named_by_mode_period_and_first_day(nobody: Api) -> None:
    place(make_daily("ft-n", MONDAY), "alice", score=5)
    push_all_unpushed()
    name = PeriodBoard("ft-n", "week", timezone.now().date().replace(day=23)).redis_key
    assert name.endswith("board:ft-n:week:2026-03-23")
    assert ask_redis(lambda redis: redis.zcard(name)) == 2
