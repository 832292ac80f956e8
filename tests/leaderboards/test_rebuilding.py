"""Boards that are made anew: by hand, and where Redis hasn't heard of far too much."""

from __future__ import annotations

import io
import signal
from collections.abc import Callable

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from games.models import Challenge
from games.services.verification import verify_pending
from leaderboards import boards
from leaderboards.addresses import ChallengeBoard, challenge_boards
from leaderboards.models import Standing
from leaderboards.services import standings
from tests.conftest import Api, ask_redis
from tests.services import REDIS

pytestmark = pytest.mark.django_db(transaction=True)


def rebuild(*arguments: str) -> str:
    out = io.StringIO()
    call_command("rebuild_boards", *arguments, stdout=out)
    return out.getvalue()


def play(new_guest: Callable[[], Api], daily: Challenge, players: int) -> None:
    for _ in range(players):
        guest = new_guest()
        guest.submit(guest.start(daily), "d")
    verify_pending(clock=timezone.now)


def lines(daily: Challenge) -> int:
    """How many Redis has on the `best` board."""
    return boards.page(ChallengeBoard(daily.pk, "best"), after=None, limit=10).total


def test_boards_are_made_by_hand_and_an_unknown_challenge_is_named(
    new_guest: Callable[[], Api], daily: Challenge
) -> None:
    play(new_guest, daily, 2)
    ask_redis(lambda redis: redis.flushall())
    assert "1 challenges" in rebuild() and lines(daily) == 2
    assert "0 periods" in rebuild("--challenge", str(daily.pk))
    with pytest.raises(CommandError, match="no challenge 999999"):
        rebuild("--challenge", "999999")


def test_with_redis_away_the_command_says_who_serves_meanwhile(new_guest: Callable[[], Api], daily: Challenge) -> None:
    play(new_guest, daily, 1)
    assert REDIS.process is not None
    REDIS.process.send_signal(signal.SIGSTOP)
    try:
        with pytest.raises(CommandError, match="served from PostgreSQL"):
            rebuild()
    finally:
        REDIS.process.send_signal(signal.SIGCONT)


@pytest.mark.parametrize("is_whole", [True, False])
def test_far_more_news_than_is_worth_telling_has_the_board_made_anew(
    new_guest: Callable[[], Api], daily: Challenge, monkeypatch: pytest.MonkeyPatch, is_whole: bool
) -> None:
    """A board of long ago, which nobody asked for, stays away; its rows count as told."""
    play(new_guest, daily, 3)
    Standing.objects.update(is_pushed=False)
    if not is_whole:
        ask_redis(lambda redis: redis.flushall())
    monkeypatch.setattr(standings, "PUSH_SIZE", 1)
    monkeypatch.setattr(standings, "PUSHES", 2)
    assert standings.push_groups([challenge_boards(daily.pk)], revive=False)
    assert not Standing.objects.filter(is_pushed=False).exists()
    if is_whole:
        assert lines(daily) == 3
    else:
        with pytest.raises(boards.NotComplete):
            lines(daily)
