"""`players/me/tokens/`: tokens made, listed, revoked."""

from __future__ import annotations

import pytest
import time_machine
from django.utils import timezone
from knox.models import AuthToken

from games.services.players import token_digest
from games.services.tokens import MAX_TOKENS
from tests.accounts import PASSWORD, an_admin, browser, browser_call, full_player, sign_in, sign_up
from tests.conftest import Api, utc

pytestmark = pytest.mark.django_db


def test_guests_players_and_admins_make_tokens_and_list_them(alice: Api) -> None:
    for player in (alice, full_player("Bob"), an_admin()):
        made = player.post("players/me/tokens/", {"name": "my phone"})
        assert made.status_code == 201
        phone = Api(made.data["token"])
        assert phone.get("players/me/").data["name"] == player.name
        listed = {row["id"]: row for row in phone.get("players/me/tokens/").data["items"]}
        assert len(listed) == 2
        mine = listed[made.data["id"]]
        assert (mine["name"], mine["is_current"]) == ("my phone", True)
        assert [row["is_current"] for row in listed.values()].count(True) == 1
        text = str(player.get("players/me/tokens/").data)
        digest = token_digest(made.data["token"])
        assert made.data["token"] not in text and digest not in text and digest.startswith(made.data["id"])


def test_nobody_has_none(nobody: Api) -> None:
    for api in (nobody, Api("nonsense")):
        for method in ("GET", "POST", "DELETE"):
            assert api.call(method, "players/me/tokens/", {}).status_code == 401
        assert api.call("DELETE", "players/me/tokens/0123456789abcdef/").status_code == 401


def test_a_login_is_listed_by_the_name_of_its_client(nobody: Api) -> None:
    api = Api(sign_up("Alice").data["meta"]["access_token"])
    sign_in(username="Alice")
    assert len(api.get("players/me/tokens/").data["items"]) == 2


def test_last_use_and_end_follow_use(alice: Api) -> None:
    with time_machine.travel(utc("2026-01-01T00:00:00"), tick=False) as clock:
        made = alice.post("players/me/tokens/", {}).data
        clock.move_to(utc("2026-02-01T00:00:00"))
        Api(made["token"]).get("players/me/")
        [row] = [row for row in alice.get("players/me/tokens/").data["items"] if row["id"] == made["id"]]
        assert (row["created"][:10], row["last_used"][:10], row["expires"][:10]) == (
            "2026-01-01",
            "2026-02-01",
            "2026-05-02",
        )


def test_a_revoked_token_is_no_good(alice: Api) -> None:
    made = alice.post("players/me/tokens/", {}).data
    address = f"players/me/tokens/{made['id']}/"
    assert alice.call("DELETE", address).status_code == 200
    assert Api(made["token"]).get("players/me/").status_code == 401
    assert alice.call("DELETE", address).status_code == 404
    assert alice.get("players/me/").status_code == 200


def test_anothers_token_is_not_found_also_for_an_admin(alice: Api, bob: Api) -> None:
    made = alice.post("players/me/tokens/", {}).data
    for other in (bob, full_player("Carol"), an_admin()):
        assert other.call("DELETE", f"players/me/tokens/{made['id']}/").status_code == 404
        assert made["id"] not in str(other.get("players/me/tokens/").data)
    assert Api(made["token"]).get("players/me/").status_code == 200


@pytest.mark.parametrize("token_id", ["", "0", "a", "%25", "_" * 16, "%00" * 16, "x" * 500])
def test_a_part_of_an_id_revokes_nothing(alice: Api, token_id: str) -> None:
    if token_id:
        assert alice.call("DELETE", f"players/me/tokens/{token_id}/").status_code == 404
    assert alice.get("players/me/").status_code == 200


def test_logging_out_everywhere_ends_tokens_and_sessions_of_nobody_else(bob: Api) -> None:
    alice = full_player("Alice")
    other = Api(alice.post("players/me/tokens/", {}).data["token"])
    client = browser()
    browser_call(client, "POST", "/_allauth/browser/v1/auth/login", {"username": "Alice", "password": PASSWORD})
    assert client.get("/api/v1/players/me/").status_code == 200
    assert alice.call("DELETE", "players/me/tokens/").status_code == 200
    for api in (alice, other):
        assert api.get("players/me/").status_code == 401
    assert client.get("/api/v1/players/me/").status_code == 401
    assert bob.get("players/me/").status_code == 200
    assert sign_in(username="Alice").status_code == 200


def test_a_player_has_so_many_tokens_at_most_and_old_ones_dont_count(alice: Api) -> None:
    for _ in range(MAX_TOKENS - 1):
        assert alice.post("players/me/tokens/", {}).status_code == 201
    refused = alice.post("players/me/tokens/", {})
    assert (refused.status_code, refused.data["error"]["code"]) == (409, "too_many_tokens")
    one = AuthToken.objects.exclude(digest=token_digest(alice.token or "")).first()
    AuthToken.objects.filter(pk=one.pk).update(expiry=timezone.now())
    assert alice.post("players/me/tokens/", {}).status_code == 201


@pytest.mark.parametrize("body", [{"name": "x" * 65}, {"name": 5}, {"name": "a\nb"}, [], "{"])
def test_bad_names_of_tokens_are_refused(alice: Api, body: object) -> None:
    assert alice.post("players/me/tokens/", body).status_code == 400
