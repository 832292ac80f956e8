"""Signing up and merging while others write."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from games.models import Attempt, Challenge, Player, Submission
from games.services.verification import verify_pending
from leaderboards.models import Standing
from leaderboards.services.placing import recompute_players
from tests.accounts import full_player, sign_up
from tests.conftest import Api

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    """What calls give that begin together, each on a connection of its own."""
    barrier, found = threading.Barrier(len(calls)), [None] * len(calls)

    def run(number: int) -> None:
        barrier.wait()
        try:
            found[number] = calls[number]()
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def test_a_merge_beside_workers_loses_nothing(new_guest: Callable[[], Api], daily: Challenge) -> None:
    account, guest = full_player("Bob"), new_guest()
    for player in (account, guest):
        for length in range(1, 9):
            player.submit(player.start(daily), " ".join("d" * length))
    others = [new_guest() for _ in range(20)]
    for other in others:
        other.submit(other.start(daily), "d")
    body = {"guest_token": guest.token}
    merged = [lambda: account.post("players/me/merge/", body).status_code] * 2
    judged = [lambda: verify_pending(clock=timezone.now)] * 3
    assert at_once(*merged, *judged)[:2] == [200, 200]
    verify_pending(clock=timezone.now)
    bob = Player.objects.get(name="Bob").pk
    assert Submission.objects.filter(player_id=bob, state="verified", attempt__player_id=bob).count() == 16
    assert sorted(Attempt.objects.filter(player_id=bob).values_list("number", flat=True)) == list(range(1, 17))
    assert Standing.objects.filter(board="best").count() == 21 and Standing.objects.filter(board="first").count() == 1
    assert recompute_players(player_ids=Player.objects.values_list("pk", flat=True)) == 0


def test_two_sign_ups_at_once_make_one_player(new_guest: Callable[[], Api], daily: Challenge) -> None:
    guest = new_guest()
    answers = at_once(*[lambda: sign_up("Alice", guest=guest).status_code] * 3)
    assert answers.count(200) == 1 and set(answers) <= {200, 400, 409}
    assert [player.name for player in Player.objects.all()] == ["Alice"]


def test_two_players_at_once_dont_get_one_name(new_guest: Callable[[], Api]) -> None:
    players = [new_guest() for _ in range(3)]
    calls = [
        lambda player=player: player.call("PATCH", "players/me/", {"name": "Robin"}).status_code for player in players
    ]
    assert sorted(at_once(*calls)) == [200, 409, 409]


def test_a_name_is_found_by_its_index(new_guest: Callable[[], Api]) -> None:
    new_guest()
    with connection.cursor() as cursor:
        cursor.execute("SET enable_seqscan = off")
        plans = [
            Player.objects.filter(name__iexact="Alice").explain(),
            Player.objects.filter(skeleton="allce").explain(),
            Player.objects.filter(email="alice@example.org").explain(),
        ]
        cursor.execute("RESET enable_seqscan")
    for plan, index in zip(plans, ("player_name_unique", "player_skeleton_unique", "player_email"), strict=True):
        assert index in plan
