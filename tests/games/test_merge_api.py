"""`players/me/merge/`: an account takes over what its player has played as a guest."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any

import pytest
import time_machine
from django.db import transaction
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from games.models import Attempt, Challenge, Player, Submission
from games.services import moderation
from games.services.merging import finish_merges
from games.services.verification import verify_pending
from leaderboards.models import PeriodStanding, Standing
from tests.accounts import an_admin, full_player, sign_up
from tests.conftest import Api
from tests.dailies import publish_days

pytestmark = pytest.mark.django_db


def merge(account: Api, guest: Api) -> Any:
    return account.post("players/me/merge/", {"guest_token": guest.token})


def play(player: Api, challenge: Challenge, log: str = "d") -> int:
    number: int = player.submit(player.start(challenge), log).data["id"]
    verify_pending(clock=timezone.now)
    return number


def test_results_clubs_and_settings_move_and_the_guest_is_closed(alice: Api, daily: Challenge, won_log: str) -> None:
    bob = full_player("Bob")
    play(alice, daily, won_log)
    alice.post("clubs/", {"name": "The Kings"})
    alice.call("PATCH", "players/me/", {"settings": {"a": 1}})
    answer = merge(bob, alice)
    assert answer.status_code == 200, answer.data
    assert {**answer.data, "joined_at": 0} == {
        "name": "Bob",
        "is_guest": False,
        "joined_at": 0,
        "submissions": 1,
        "verified": 1,
        "won": 1,
        "ban": None,
        "settings": {"a": 1},
    }
    for board in ("best", "first"):
        lines = bob.get(f"leaderboards/challenges/{daily.pk}/?board={board}").data["lines"]
        assert [(line["player"], line["is_guest"]) for line in lines] == [("Bob", False)]
    assert [line["player"] for line in bob.get("leaderboards/ft-n/all/").data["lines"]] == ["Bob"]
    assert [club["owner"] for club in bob.get("clubs/").data["items"]] == ["Bob"]
    assert bob.get("players/me/statistics/").data["streaks"]["days_played"] == 1
    assert alice.get("players/me/").status_code == 401
    assert bob.get(f"players/{alice.name}/").status_code == 404


def test_it_is_safe_to_repeat(alice: Api, daily: Challenge) -> None:
    bob = full_player("Bob")
    play(alice, daily)
    first = merge(bob, alice).data
    rows = list(Standing.rows.values()), list(Attempt.objects.values())
    assert merge(bob, alice).data == merge(bob, alice).data == first
    assert (list(Standing.rows.values()), list(Attempt.objects.values())) == rows


def test_the_accounts_attempts_keep_their_numbers(alice: Api, daily: Challenge, won_log: str) -> None:
    bob = full_player("Bob")
    own = [play(bob, daily), play(bob, daily, "d d")]
    taken = [play(alice, daily, won_log), play(alice, daily, "d d d")]
    merge(bob, alice)
    numbers = dict(Submission.objects.values_list("id", "attempt_number"))
    assert [numbers[pk] for pk in (*own, *taken)] == [1, 2, 3, 4]
    assert dict(Submission.objects.values_list("id", "attempt__number")) == numbers
    standings = dict(Standing.objects.values_list("board", "submission_id"))
    assert standings == {"best": taken[0], "first": own[0]}
    assert bob.start(daily)["number"] == 5


def test_open_attempts_of_both_are_kept_and_the_guests_ends(alice: Api, daily: Challenge) -> None:
    bob = full_player("Bob")
    own, taken = bob.start(daily), alice.start(daily)
    alice.put(f"attempts/{taken['id']}/draft/", {"log": "d d"})
    merge(bob, alice)
    assert bob.start(daily)["id"] == own["id"]
    shown = bob.get(f"attempts/{taken['id']}/").data
    assert (shown["number"], shown["draft"], shown["ended_at"] is None) == (2, "d d", False)
    assert bob.submit(taken, "d d").status_code == 202
    assert bob.submit(own, "d").status_code == 202


def test_an_open_attempt_goes_on_as_the_accounts(alice: Api, daily: Challenge) -> None:
    bob = full_player("Bob")
    taken = alice.start(daily)
    merge(bob, alice)
    assert {**bob.start(daily), "server_time": 0} == {**taken, "server_time": 0, "counts_first": True}


def test_a_log_that_waits_for_its_verdict_counts_for_the_account(alice: Api, daily: Challenge) -> None:
    bob = full_player("Bob")
    alice.submit(alice.start(daily), "d")
    merge(bob, alice)
    verify_pending(clock=timezone.now)
    assert [line["player"] for line in bob.get(f"leaderboards/challenges/{daily.pk}/").data["lines"]] == ["Bob"]


def test_what_came_in_during_the_merge_follows(alice: Api, daily: Challenge) -> None:
    bob = full_player("Bob")
    guest = Player.objects.get(name=alice.name)
    merge(bob, alice)
    attempt = Attempt.objects.create(challenge=daily, player=guest, number=1, started_at=timezone.now())
    assert finish_merges(now=timezone.now()) == 1
    attempt.refresh_from_db()
    assert attempt.player.name == "Bob" and finish_merges(now=timezone.now()) == 0


def test_only_a_full_player_takes_over_and_only_a_guest_is_taken(alice: Api, bob: Api, nobody: Api) -> None:
    carol, admin = full_player("Carol"), an_admin()
    assert merge(nobody, alice).status_code == merge(Api("nonsense"), alice).status_code == 401
    for account, guest, status, code in (
        (bob, alice, 409, "is_guest"),
        (carol, admin, 409, "no_guest"),
        (carol, Api("nonsense"), 404, "not_found"),
        (carol, Api("\ud800"), 400, "bad_json"),
    ):
        answer = merge(account, guest)
        assert (answer.status_code, answer.data["error"]["code"]) == (status, code)
    assert carol.post("players/me/merge/", {}).status_code == 400
    assert merge(admin, alice).status_code == 200
    assert merge(carol, alice).data["error"]["code"] == "no_guest"


def test_a_guest_who_signed_up_has_nothing_to_merge(alice: Api, daily: Challenge) -> None:
    play(alice, daily)
    account = Api(sign_up("Alice", guest=alice).data["meta"]["access_token"])
    assert merge(account, alice).data["submissions"] == 1


def test_an_old_token_merges_nothing(alice: Api) -> None:
    bob = full_player("Bob")
    with time_machine.travel(timezone.now() + datetime.timedelta(days=91)):
        fresh = full_player("Carol")
        assert merge(fresh, alice).status_code == 404
    assert merge(bob, alice).status_code == 200


_LOGS = ("d", "d d", "d d d", "aa", "w1", "d r")
_GAMES = st.lists(st.tuples(st.integers(0, 2), st.sampled_from(_LOGS), st.booleans()), max_size=6)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(own=_GAMES, taken=_GAMES, judged=st.booleans())
def test_each_challenge_keeps_the_better_standing_and_nothing_is_lost(
    new_guest: Callable[[], Api], own: list[Any], taken: list[Any], judged: bool
) -> None:
    with transaction.atomic():
        challenges = publish_days(timezone.now().date())
        guest, account = new_guest(), full_player("Bob")
        for player, games in ((account, own), (guest, taken)):
            for number, log, is_won in games:
                won = challenges[number].winning_log or ""
                player.submit(player.start(challenges[number]), won if is_won else log)
                if judged:
                    verify_pending(clock=timezone.now)
        if not judged:
            verify_pending(clock=timezone.now)
        ids = {name: Player.objects.get(name=name).pk for name in (account.name, guest.name)}
        before = {board: _keys(board, list(ids.values())) for board in ("best", "first")}
        attempts, submissions = _rows(Attempt), _rows(Submission)
        for _ in range(2):
            assert merge(account, guest).status_code == 200
            owner = {ids[account.name]}
            assert (_rows(Attempt), _rows(Submission)) == (attempts, submissions)
            assert set(Attempt.objects.values_list("player_id", flat=True)) <= owner
            assert set(Submission.objects.values_list("player_id", flat=True)) <= owner
            for board, were in before.items():
                now = _keys(board, [ids[account.name]])
                if board == "best":
                    assert _flat(now) == {challenge: min(keys) for challenge, keys in were.items()}
                else:
                    # A guest stood on none: the account's own stay.
                    assert {challenge: now[challenge] for challenge in were} == were
            sums = PeriodStanding.objects.filter(player_id=ids[account.name], period="all", played__gt=0)
            assert sum(sums.values_list("played", flat=True)) == len(_keys("best", [ids[account.name]]))
            assert not _keys("best", [ids[guest.name]]) and not _keys("first", [ids[guest.name]])
        transaction.set_rollback(True)


def _keys(board: str, players: list[int]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for challenge, key in Standing.objects.filter(board=board, player_id__in=players).values_list("challenge", "key"):
        found.setdefault(challenge, []).append(key)
    return found


def _flat(keys: dict[int, list[int]]) -> dict[int, int]:
    return {challenge: key for challenge, [key] in keys.items()}


def _rows(model: Any) -> set[int]:
    return set(model.objects.values_list("pk", flat=True))


def test_a_ban_is_not_left_behind_by_a_merge(alice: Api, daily: Challenge) -> None:
    bob, ada = full_player("Bob"), Player.objects.create_superuser("Ada")
    play(alice, daily)
    guest, account = Player.objects.get(name=alice.name), Player.objects.get(name="Bob")
    for banned in (guest, account):
        moderation.ban_player(player_id=banned.pk, reason="x", until=None, now=timezone.now(), by=ada)
        answer = merge(bob, alice)
        assert (answer.status_code, answer.data["error"]["code"]) == (409, "banned")
        moderation.lift_ban(player_id=banned.pk, reason="x", now=timezone.now(), by=ada)
    assert merge(bob, alice).status_code == 200
