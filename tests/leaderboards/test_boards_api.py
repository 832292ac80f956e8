"""GET leaderboards/challenges/{id}/ and its neighbours, from Redis and from PostgreSQL alike."""

from __future__ import annotations

import datetime
import random
import signal
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from games import redis_client
from games.engine import MODES
from games.models import Challenge
from games.redis_keys import challenge_board
from games.services.verification import verify_pending
from leaderboards import boards
from leaderboards.addresses import ChallengeBoard
from leaderboards.layouts import Entry
from leaderboards.models import Standing
from leaderboards.services.reading import read_ranks
from leaderboards.services.standings import push_standings, rebuild_board
from tests.conftest import Api, ask_redis, patiently
from tests.dailies import publish
from tests.services import REDIS

from .stage import place

pytestmark = pytest.mark.django_db(transaction=True)


def board(api: Api, challenge: Challenge, query: str = "", part: str = "") -> Any:
    answer = api.get(f"leaderboards/challenges/{challenge.pk}/{part}?{query}")
    assert answer.status_code == 200, answer.data
    return answer.data


def brief(page: Any) -> list[tuple[int, str]]:
    return [(line["rank"], line["player"]) for line in page["lines"]]


def test_order_is_won_then_score_then_moves_then_time(nobody: Api, daily: Challenge, source: Any) -> None:
    place(daily, "slow", score=100, elapsed=101)
    place(daily, "quick", score=100, elapsed=99)
    place(daily, "short", score=100, moves=9, elapsed=999)
    place(daily, "rich", score=101, moves=99)
    place(daily, "winner", score=50, won=True)
    source(daily)
    names = [player for _, player in brief(board(nobody, daily))]
    assert names == ["winner", "rich", "short", "quick", "slow"]


def test_equal_results_share_a_rank_and_list_the_earlier_first(nobody: Api, daily: Challenge, source: Any) -> None:
    """osu #9519: tied players swapped at random; osu #31434: ranks from #0."""
    for name in ("first", "second", "third"):
        place(daily, name, score=50)
    place(daily, "best", score=60)
    place(daily, "last", score=40)
    source(daily)
    page = board(nobody, daily)
    assert brief(page) == [(1, "best"), (2, "first"), (2, "second"), (2, "third"), (5, "last")]
    assert page["total"] == 5


def test_repeating_an_equal_score_changes_nothing(nobody: Api, daily: Challenge, source: Any) -> None:
    """osu #29073: repeating an equal score dropped the player from 194 to 254."""
    kept = place(daily, "first", score=50)
    place(daily, "second", score=50)
    place(daily, "first", score=50, number=2)
    source(daily)
    assert brief(board(nobody, daily)) == [(1, "first"), (1, "second")]
    assert board(nobody, daily)["lines"][0]["submission"] == kept.pk


def test_a_worse_score_makes_no_second_entry(nobody: Api, daily: Challenge, source: Any) -> None:
    """nakama #1124."""
    place(daily, "player", score=50)
    place(daily, "player", score=40, number=2)
    source(daily)
    [line] = board(nobody, daily)["lines"]
    assert line["ranked_score"] == 50


def test_a_better_submission_replaces_the_whole_tuple(nobody: Api, daily: Challenge, source: Any) -> None:
    """Nakama's `best` takes greatest score and subscore apart from each other, a pair no game achieved."""
    place(daily, "player", score=50, moves=1, elapsed=1)
    place(daily, "player", score=60, moves=99, elapsed=990, number=2)
    source(daily)
    [line] = board(nobody, daily)["lines"]
    assert (line["ranked_score"], line["moves"], line["elapsed"]) == (60, 99, 99.0)


def test_first_takes_only_attempt_one_and_no_guests(nobody: Api, daily: Challenge, source: Any) -> None:
    """lila #12644: reloading replayed a puzzle whose answer was known."""
    place(daily, "regular", score=10)
    place(daily, "regular", score=90, number=2)
    place(daily, "visitor", score=99, guest=True)
    place(daily, "late", score=80, number=2)
    source(daily)
    assert brief(board(nobody, daily, "board=first")) == [(1, "regular")]
    assert board(nobody, daily, "board=first")["lines"][0]["ranked_score"] == 10
    assert brief(board(nobody, daily)) == [(1, "visitor"), (2, "regular"), (3, "late")]


def test_a_crowd_of_ties_costs_as_many_questions_as_a_few() -> None:
    """agoragames/leaderboard #70: ranking ties took over a minute at 12,000 members."""

    def questions(players: int) -> int:
        crowd = ChallengeBoard(players, "best")
        boards.replace(crowd, [[Entry(number, 5) for number in range(1, players + 1)]])
        before = ask_redis(lambda redis: redis.info("stats"))["total_commands_processed"]
        found = boards.around(crowd, own=Entry(players // 2, 5), span=5)
        assert (found.first_rank, found.total, len(found.entries)) == (1, players, 11)
        assert boards.ranks([(crowd, 5)]) == [(1, players)]
        after = ask_redis(lambda redis: redis.info("stats"))["total_commands_processed"]
        return int(after - before)

    patiently(lambda: questions(120))
    assert patiently(lambda: questions(12_000)) == patiently(lambda: questions(120))


def test_practice_stands_on_no_board(nobody: Api, daily: Challenge, source: Any) -> None:
    place(daily, "player", score=50, ranked=False)
    source(daily)
    assert board(nobody, daily)["total"] == 0


def test_pages_hold_every_player_once_whatever_the_ties(nobody: Api, daily: Challenge, source: Any) -> None:
    """commit-history PR 60: 250 paged rows held 248 players because ties had no order."""
    rng = random.Random(7)
    for n in range(60):
        place(daily, f"p{n:02}", score=rng.choice([0, 10, 20]), moves=rng.choice([1, 2]))
    source(daily)
    whole = board(nobody, daily, "limit=100")
    paged: list[Any] = []
    cursor = ""
    while True:
        page = board(nobody, daily, f"limit=7{cursor}")
        paged += page["lines"]
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert paged == whole["lines"]
    assert len({line["player"] for line in paged}) == 60


def test_a_player_who_improves_between_pages_is_not_seen_twice(nobody: Api, daily: Challenge) -> None:
    for n in range(6):
        place(daily, f"p{n}", score=60 - n)
    first = board(nobody, daily, "limit=3")
    place(daily, "p2", score=99, number=2)
    second = board(nobody, daily, f"limit=3&cursor={first['next_cursor']}")
    assert [line["player"] for line in first["lines"] + second["lines"]] == [f"p{n}" for n in range(6)]
    assert [line["rank"] for line in second["lines"]] == [4, 5, 6]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("p00", [(1, "p00"), (2, "p01"), (2, "p02")]),
        ("p01", [(1, "p00"), (2, "p01"), (2, "p02"), (4, "p03")]),
        ("p02", [(1, "p00"), (2, "p01"), (2, "p02"), (4, "p03"), (5, "p04")]),
        ("p05", [(4, "p03"), (5, "p04"), (6, "p05")]),
    ],
)
def test_around_a_player_is_right_near_the_ends_and_in_ties(
    nobody: Api, daily: Challenge, source: Any, name: str, expected: list[tuple[int, str]]
) -> None:
    """nakama PR 605, #480: around-me off by one near the top, or wrong."""
    for n, score in enumerate([60, 50, 50, 40, 30, 20]):
        place(daily, f"p{n:02}", score=score)
    source(daily)
    page = board(nobody, daily, f"player={name.upper()}&span=2", "around/")
    assert brief(page) == expected
    assert page["own"]["player"] == name


def test_the_rank_is_the_same_wherever_it_is_shown(alice: Api, bob: Api, nobody: Api, daily: Challenge) -> None:
    """ForFunLabs/webapi #7: the profile's rank differed from the board's."""
    submissions = {}
    with time_machine.travel(timezone.now(), tick=False):
        for player, log in ((alice, "d d"), (bob, "d")):
            submissions[player.name] = player.submit(player.start(daily), log).data["id"]
    for n in range(5):
        place(daily, f"p{n}", score=0, moves=1, elapsed=0)
    verify_pending(clock=timezone.now)
    page = board(alice, daily)
    [listed] = [line for line in page["lines"] if line["player"] == alice.name]
    assert listed == page["own"] == board(alice, daily, "", "around/")["own"]
    assert alice.get(f"submissions/{submissions[alice.name]}/").data["best"]["rank"] == listed["rank"] == 7
    assert board(bob, daily)["own"]["rank"] == 1


def test_the_own_line_comes_with_every_page(alice: Api, nobody: Api, daily: Challenge) -> None:
    for n in range(5):
        place(daily, f"p{n}", score=50)
    alice.submit(alice.start(daily), "d")
    verify_pending(clock=timezone.now)
    page = board(alice, daily, "limit=2")
    assert len(page["lines"]) == 2
    assert (page["own"]["rank"], page["own"]["player"]) == (6, alice.name)
    assert board(nobody, daily, "limit=2")["own"] is None


def test_the_distribution_counts_everybody_once(nobody: Api, daily: Challenge, source: Any) -> None:
    scores = [0, 5, 39, 40, 41, 80, 1040, 1359, 1360]
    for n, score in enumerate(scores):
        place(daily, f"p{n}", score=score, won=score >= 1040)
    source(daily)
    found = board(nobody, daily, "", "distribution/")
    assert (found["played"], found["won"]) == (9, 3)
    bars = {bar["low"]: (bar["not_won"], bar["won"]) for bar in found["histogram"] if bar["won"] or bar["not_won"]}
    assert bars == {0: (3, 0), 40: (2, 0), 80: (1, 0), 1040: (0, 1), 1320: (0, 1), 1360: (0, 1)}
    assert found["quantiles"]["0.5"]["ranked_score"] == 41
    assert found["quantiles"]["0.05"]["ranked_score"] == 1360
    assert found["histogram"][0]["low"] == 0


def test_only_the_distribution_of_vegas_goes_below_zero(nobody: Api, db: None) -> None:
    first_bars = {}
    for mode in MODES:
        found = board(nobody, publish(mode, timezone.now().date()), "", "distribution/")
        first_bars[mode] = found["histogram"][0]["low"]
    assert first_bars == {"ft-n": 0, "kl-d1n": 0, "kl-d3n": 0, "kl-d1v": -60, "kl-d3v": -60}


def test_an_empty_board_is_empty(nobody: Api, daily: Challenge, source: Any) -> None:
    source(daily)
    assert board(nobody, daily) == {
        "challenge": daily.pk,
        "board": "best",
        "total": 0,
        "lines": [],
        "own": None,
        "next_cursor": None,
    }
    assert board(nobody, daily, "", "distribution/")["quantiles"] == {}


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ("board=worst", 400, "bad_parameter"),
        ("limit=0", 400, "bad_parameter"),
        ("limit=101", 400, "bad_parameter"),
        ("limit=x", 400, "bad_parameter"),
        ("limit=1٣", 400, "bad_parameter"),
        ("cursor=abc", 400, "bad_cursor"),
        ("cursor=é", 400, "bad_cursor"),
        ("cursor=OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk5LjE", 400, "bad_cursor"),
    ],
)
def test_bad_queries_name_the_parameter(nobody: Api, daily: Challenge, query: str, status: int, code: str) -> None:
    answer = nobody.get(f"leaderboards/challenges/{daily.pk}/?{query}")
    assert (answer.status_code, answer.data["error"]["code"]) == (status, code)
    assert answer.data["error"]["details"]["parameter"] == query.partition("=")[0]


def test_around_needs_somebody_who_stands_there(alice: Api, nobody: Api, daily: Challenge) -> None:
    address = f"leaderboards/challenges/{daily.pk}/around/"
    assert nobody.get(address).status_code == 401
    assert alice.get(address).status_code == 404
    assert alice.get(f"{address}?player=nobody-of-that-name").status_code == 404
    assert alice.get(f"{address}?player=%00").status_code == 400
    assert Api("0" * 64).get(f"leaderboards/challenges/{daily.pk}/").status_code == 401


def test_rebuilding_gives_the_same_board(nobody: Api, daily: Challenge) -> None:
    from django.core.management import call_command

    for n in range(20):
        place(daily, f"p{n}", score=n % 5)
    before = board(nobody, daily)
    ask_redis(lambda redis: redis.flushall())
    call_command("rebuild_boards")
    Standing.objects.update(is_pushed=True)
    assert board(nobody, daily) == before


def test_a_busy_redis_still_gets_a_large_board(daily: Challenge) -> None:
    """Made in two hundred steps, it failed if one of them took more than a fifth of a second."""
    board = ChallengeBoard(daily.pk, "best")
    process = REDIS.process
    assert process is not None

    def chunks() -> Iterator[list[Entry]]:
        for n in range(3):
            process.send_signal(signal.SIGSTOP)
            threading.Timer(3 * redis_client.TIMEOUT_SECONDS, process.send_signal, [signal.SIGCONT]).start()
            yield [Entry(n + 1, n)]

    try:
        assert boards.replace(board, chunks()) == 3
    finally:
        process.send_signal(signal.SIGCONT)
    assert boards.is_whole(board)


def test_a_board_stays_in_redis_for_the_days_of_the_setting(nobody: Api, daily: Challenge, settings: Any) -> None:
    settings.QV_BOARD_RETENTION = datetime.timedelta(days=3)
    place(daily, "alice", score=10)
    board = ChallengeBoard(daily.pk, "best")
    rebuild_board(board=board)
    hours = redis_client.ask(lambda redis: redis.ttl(board.redis_key)) / 3600
    assert 71 < hours <= 72


def test_the_board_that_is_missing_is_the_one_that_is_rebuilt(
    daily: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asked for its places on both boards, a submission had `best` rebuilt although `first` was missing."""
    submission = place(daily, "player", score=50)
    assert push_standings(challenge_ids=[daily.pk])
    ask_redis(lambda redis: redis.delete(challenge_board(daily.pk, "first")))
    woken: list[tuple[object, ...]] = []
    monkeypatch.setattr("leaderboards.services.reading.wake", lambda *asked: woken.append(asked))
    key = Standing.objects.filter(submission=submission).values_list("key", flat=True)[0]
    asked = [(ChallengeBoard(daily.pk, board), key) for board in ("best", "first")]
    assert read_ranks(asked) == [(1, 1), (1, 1)]
    assert woken == [("leaderboards.rebuild", f"challenge:{daily.pk}:first")]
