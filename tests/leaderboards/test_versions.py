"""A process keeps the distribution of a board as long as Redis says that the board is the same."""

from __future__ import annotations

import pytest

from games.models import Challenge
from leaderboards import boards
from leaderboards.addresses import ChallengeBoard
from leaderboards.layouts import BY_SCORE, COMPLETE, Entry
from leaderboards.ranking import END
from leaderboards.services.reading import Distribution, read_distribution
from leaderboards.services.standings import push_standings, rebuild_board
from tests.conftest import ask_redis

from .stage import place

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def best(daily: Challenge) -> ChallengeBoard:
    board = ChallengeBoard(daily.pk, "best")
    place(daily, "alice", score=5)
    rebuild_board(board=board)
    return board


def read(board: ChallengeBoard) -> Distribution:
    return read_distribution(board=board, mode="ft-n")


def test_a_board_at_rest_is_counted_once(best: ChallengeBoard) -> None:
    assert read(best) is read(best)


def test_a_board_that_has_changed_is_counted_anew(best: ChallengeBoard, daily: Challenge) -> None:
    before = read(best)
    place(daily, "bob", score=5)
    push_standings(challenge_ids=[daily.pk])
    assert (before.played, read(best).played) == (1, 2)


def test_a_board_made_anew_has_another_version(best: ChallengeBoard) -> None:
    before = boards.version(best)
    ask_redis(lambda redis: redis.flushall())
    rebuild_board(board=best)
    assert boards.version(best) != before


def test_a_version_lies_behind_every_key_and_is_read_as_it_was_written(best: ChallengeBoard) -> None:
    for score in (BY_SCORE.mark_score() for _ in range(100)):
        assert score >= END and int(float(score)) == score
    boards.replace(best, [[Entry(1, END - 1)]])
    assert [entry.key for entry in boards.page(best, after=None, limit=5).entries] == [END - 1]


def test_a_board_without_versions_is_counted_each_time(best: ChallengeBoard) -> None:
    """One that a version of the server before versions has made, during an upgrade."""
    ask_redis(lambda redis: redis.zadd(best.redis_key, {COMPLETE: float("inf")}))
    one, other = read(best), read(best)
    assert one is not other and one.bars == other.bars
