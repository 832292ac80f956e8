"""`players/me/`: the own profile, renaming, settings, deletion."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.db import connection
from django.utils import timezone
from knox.models import AuthToken

from games.models import AddressSighting, Attempt, Challenge, ModerationAct, Player, ReviewFlag, Submission
from games.services import moderation
from games.services.export import export_player
from games.services.verification import verify_pending
from leaderboards.models import Club
from tests.accounts import PASSWORD, an_admin, app_call, browser, browser_call, full_player, sign_in, sign_up
from tests.conftest import Api

pytestmark = pytest.mark.django_db


def play(player: Api, challenge: Challenge, log: str = "d") -> None:
    player.submit(player.start(challenge), log)
    verify_pending(clock=timezone.now)


def test_everybody_sees_their_own_profile_and_nobody_without_a_token(alice: Api, nobody: Api, daily: Challenge) -> None:
    play(alice, daily)
    me = alice.get("players/me/").data
    assert {**me, "joined_at": 0} == {
        "name": alice.name,
        "is_guest": True,
        "joined_at": 0,
        "submissions": 1,
        "verified": 1,
        "won": 0,
        "ban": None,
        "settings": {},
    }
    for player, is_guest in ((full_player("Bob"), False), (an_admin(), False)):
        shown = player.get("players/me/").data
        assert (shown["name"], shown["is_guest"], shown["submissions"]) == (player.name, is_guest, 0)
    for method in ("GET", "PATCH", "DELETE"):
        for api in (nobody, Api("nonsense")):
            assert api.call(method, "players/me/", {}).status_code == 401


def test_guests_players_and_admins_rename_themselves(alice: Api) -> None:
    for player, name in ((alice, "Alice"), (full_player("Bob"), "Robert"), (an_admin(), "Carol")):
        answer = player.call("PATCH", "players/me/", {"name": f" {name} "})
        assert (answer.status_code, answer.data["name"]) == (200, name)
        assert player.get("players/me/").data["name"] == name
    assert alice.get("players/me/").data["is_guest"]


def test_a_name_may_change_its_case_and_signs(alice: Api) -> None:
    for name in ("alice", "ALICE", "Al-ice", "A1ice"):
        assert alice.call("PATCH", "players/me/", {"name": name}).data["name"] == name


@pytest.mark.parametrize(
    ("name", "status", "code"),
    [
        *(("BOB", 409, "name_taken"), ("bob", 409, "name_taken"), ("B0b", 409, "name_confusable")),
        *(("B.ob", 409, "name_confusable"), ("ВОВ", 409, "name_confusable")),
        *(("ab", 400, "bad_name"), ("admin", 400, "bad_name"), ("deleted player", 400, "bad_name")),
        *((7, 400, "bad_request"), (None, 400, "bad_request"), ("a\x00bc", 400, "bad_name")),
        ("\ud800abc", 400, "bad_json"),
    ],
)
def test_a_name_that_cant_be_had_changes_nothing(alice: Api, name: Any, status: int, code: str) -> None:
    full_player("Bob")
    answer = alice.call("PATCH", "players/me/", {"name": name})
    assert (answer.status_code, answer.data["error"]["code"]) == (status, code)
    assert alice.get("players/me/").data["name"] == alice.name


def test_a_name_that_was_given_up_is_free(alice: Api, bob: Api) -> None:
    alice.call("PATCH", "players/me/", {"name": "Robin"})
    alice.call("PATCH", "players/me/", {"name": "Alice"})
    assert bob.call("PATCH", "players/me/", {"name": "Robin"}).status_code == 200


def test_who_is_renamed_is_renamed_on_boards(alice: Api, daily: Challenge) -> None:
    play(alice, daily)
    alice.get(f"leaderboards/challenges/{daily.pk}/")
    alice.call("PATCH", "players/me/", {"name": "Alice"})
    assert alice.get(f"leaderboards/challenges/{daily.pk}/").data["lines"][0]["player"] == "Alice"


def test_settings_are_kept_as_they_are(alice: Api, bob: Api) -> None:
    for settings in ({"suits": 4, "hand": "left", "more": {"a": [1, None, "é"]}}, {}):
        assert alice.call("PATCH", "players/me/", {"settings": settings}).data["settings"] == settings
        assert alice.get("players/me/").data["settings"] == settings
    alice.call("PATCH", "players/me/", {"settings": {"a": 1}})
    alice.call("PATCH", "players/me/", {"name": "Alice"})
    assert alice.get("players/me/").data["settings"] == {"a": 1}
    assert bob.get("players/me/").data["settings"] == {}


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"a": "x" * 8192}, "settings_too_large"),
        ({"a": "\x00"}, "bad_settings"),
        ([], "bad_request"),
        ("x", "bad_request"),
        (None, "bad_request"),
    ],
)
def test_settings_that_cant_be_kept_are_refused(alice: Api, settings: Any, code: str) -> None:
    answer = alice.call("PATCH", "players/me/", {"settings": settings})
    assert (answer.status_code, answer.data["error"]["code"]) == (400, code)


def test_nan_and_broken_json_are_refused(alice: Api) -> None:
    for body in ('{"settings": {"a": NaN}}', '{"settings": {"a": 1e999}}', "{", ""):
        assert alice.call("PATCH", "players/me/", body).status_code == 400


def test_deleting_asks_for_the_name(alice: Api) -> None:
    for body in ({}, {"confirm": "yes"}, {"confirm": alice.name.upper()}, {"confirm": None}):
        assert alice.call("DELETE", "players/me/", body).status_code == 400
    assert alice.get("players/me/").status_code == 200


def test_an_admin_isnt_deleted_by_a_call() -> None:
    admin = an_admin()
    answer = admin.call("DELETE", "players/me/", {"confirm": admin.name})
    assert (answer.status_code, answer.data["error"]["code"]) == (409, "is_staff")
    assert admin.get("players/me/").status_code == 200


def test_deleted_players_keep_their_places_and_nothing_else(
    alice: Api, bob: Api, charlie: Api, daily: Challenge, won_log: str
) -> None:
    """osu-web #10224: a deleted player stayed visible."""
    play(alice, daily, won_log)
    play(bob, daily, "d")
    play(charlie, daily, "d d")
    sign_up("Alice", guest=alice, email="alice@example.org")
    names = {"Alice", bob.name}
    board = f"leaderboards/challenges/{daily.pk}/"
    before = charlie.get(board).data
    for player, name in ((alice, "Alice"), (bob, bob.name)):
        assert player.call("DELETE", "players/me/", {"confirm": name}).status_code == 200
    after = charlie.get(board).data
    assert [line["player"] for line in after["lines"]] == ["deleted player", "deleted player", charlie.name]
    assert [{**line, "player": 0} for line in after["lines"]] == [{**line, "player": 0} for line in before["lines"]]
    for name in (*names, "deleted player"):
        for address in (f"players/{name}/", f"players/{name}/statistics/", f"{board}around/?player={name}"):
            assert charlie.get(address).status_code == 404
    today = timezone.now().date()
    for address in (f"leaderboards/ft-n/all/?date={today}", f"{board}?board=first", f"{board}around/"):
        assert not names & {line["player"] for line in charlie.get(address).data["lines"]}
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names():
            cursor.execute(f'SELECT count(*) FROM "{table}" line WHERE line::text ILIKE ANY(%s)', [["%alice%"]])
            assert cursor.fetchone() == (0,), table


def test_deleting_takes_credentials_tokens_sessions_settings_and_logs_without_a_place(
    alice: Api, bob: Api, daily: Challenge
) -> None:
    answer = sign_up("Alice", guest=alice, email="alice@example.org")
    client = browser()
    browser_call(client, "POST", "/_allauth/browser/v1/auth/login", {"username": "Alice", "password": PASSWORD})
    player = Player.objects.get(name="Alice")
    Authenticator.objects.create(user=player, type="recovery_codes", data={})
    SocialAccount.objects.create(user=player, provider="github", uid="1")
    alice.call("PATCH", "players/me/", {"settings": {"a": 1}})
    alice.submit(alice.start(daily), "aa", client="my phone", claimed_score=3)
    verify_pending(clock=timezone.now)
    alice.submit(alice.start(daily), "d", client="my phone")
    verify_pending(clock=timezone.now)
    alice.put(f"attempts/{alice.start(daily)['id']}/draft/", {"log": "d"})
    alice.post("clubs/", {"name": "The Kings"})
    assert alice.call("DELETE", "players/me/", {"confirm": "Alice"}).status_code == 200
    for model in (EmailAddress, Authenticator, SocialAccount, UserSession, AuthToken):
        assert not model.objects.filter(user=player).exists()
    assert not Session.objects.exists() and not Club.objects.exists()
    player.refresh_from_db()
    assert (player.name, player.email, player.settings) == ("deleted player", "", {})
    assert not player.is_active and not player.has_usable_password()
    [submission] = Submission.objects.all()
    assert (submission.state, submission.client, submission.claimed_score) == ("verified", "", None)
    assert Attempt.objects.get().draft == ""
    for api in (alice, Api(answer.data["meta"]["access_token"])):
        assert api.get("players/me/").status_code == 401
    assert client.get("/api/v1/players/me/").status_code == 401
    session = {"X-Session-Token": answer.data["meta"]["session_token"]}
    assert app_call("GET", "auth/session", **session).status_code in (401, 410)
    assert sign_in(username="Alice").status_code == sign_in(username="deleted player").status_code == 400


def test_a_pending_log_of_a_deleted_player_still_gets_its_place(alice: Api, bob: Api, daily: Challenge) -> None:
    alice.submit(alice.start(daily), "d")
    alice.call("DELETE", "players/me/", {"confirm": alice.name})
    verify_pending(clock=timezone.now)
    assert [line["player"] for line in bob.get(f"leaderboards/challenges/{daily.pk}/").data["lines"]] == [
        "deleted player"
    ]


def test_the_name_of_a_deleted_player_is_free(alice: Api, bob: Api) -> None:
    alice.call("PATCH", "players/me/", {"name": "Robin"})
    alice.call("DELETE", "players/me/", {"confirm": "Robin"})
    assert bob.call("PATCH", "players/me/", {"name": "Robin"}).status_code == 200
    assert bob.get("players/Robin/").status_code == 200


def test_a_name_that_a_moderator_took_away_is_not_had_back(alice: Api) -> None:
    ada, player = Player.objects.create_superuser("Ada"), Player.objects.get(name=alice.name)
    moderation.rename_player(player_id=player.pk, name="Calm Otter", reason="rude", now=timezone.now(), by=ada)
    answer = alice.call("PATCH", "players/me/", {"name": alice.name.upper()})
    assert answer.status_code == 400 and "moderator" in answer.data["error"]["message"]
    assert alice.call("PATCH", "players/me/", {"name": "Calmer Otter"}).status_code == 200


def test_moderation_forgets_the_names_of_who_was_deleted(alice: Api, bob: Api) -> None:
    ada, player = Player.objects.create_superuser("Ada"), Player.objects.get(name=alice.name)
    moderation.rename_player(player_id=player.pk, name="Calm Otter", reason="rude", now=timezone.now(), by=ada)
    AddressSighting.objects.create(player=player, digest=uuid.uuid4(), seen_at=timezone.now())
    alice.post(f"players/{bob.name}/report/", {"reason": "cheats"})
    held = json.loads(b"".join(export_player(player_id=player.pk, now=timezone.now())))
    assert [len(held[what]) for what in ("moderation", "reports", "address_sightings")] == [1, 1, 1]
    assert alice.call("DELETE", "players/me/", {"confirm": "Calm Otter"}).status_code == 200
    assert not AddressSighting.objects.exists()
    assert ReviewFlag.objects.get().reporter is None
    assert {(act.old_name, act.new_name) for act in ModerationAct.objects.filter(player=player)} == {("", "")}


def test_streaks_and_counts_are_never_the_clients_word(alice: Api) -> None:
    """Checkora #1881: streaks and puzzle counts taken from the client could be set to anything."""
    before = alice.get("players/me/statistics/").data
    for body in ({"submissions": 99, "streaks": {"current_days": 99}}, {"settings": {"streak": 99, "played": 99}}):
        assert alice.call("PATCH", "players/me/", body).status_code in (200, 400)
    assert alice.get("players/me/statistics/").data == before
    assert alice.get("players/me/").data["submissions"] == 0
