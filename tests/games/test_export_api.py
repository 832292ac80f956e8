"""`players/me/export/`: everything the server holds on a player."""

from __future__ import annotations

import json
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.test import Client
from django.utils import timezone

from games.api.shapes import ExportOut
from games.models import Challenge, Player
from games.services.verification import verify_pending
from tests.accounts import an_admin, full_player, sign_up
from tests.conftest import Api

pytestmark = pytest.mark.django_db


def export(player: Api) -> dict[str, Any]:
    answer = Client().get("/api/v1/players/me/export/", headers={"Authorization": f"Token {player.token}"})
    assert answer.status_code == 200 and "attachment" in answer["Content-Disposition"]
    assert answer.streaming and answer["Cache-Control"] == "no-store"
    text = b"".join(answer.streaming_content)
    found: dict[str, Any] = json.loads(text)
    return found


def test_everything_is_in_it(alice: Api, bob: Api, daily: Challenge, won_log: str) -> None:
    alice.submit(alice.start(daily), won_log, client="my phone", claimed_score=5)
    alice.submit(alice.start(daily), "d")
    bob.submit(bob.start(daily), "d d d d")
    verify_pending(clock=timezone.now)
    alice.put(f"attempts/{alice.start(daily)['id']}/draft/", {"log": "d d"})
    alice.post("clubs/", {"name": "The Kings"})
    sign_up("Alice", guest=alice, email="alice@example.org")
    alice.call("PATCH", "players/me/", {"settings": {"a": [1]}})
    player = Player.objects.get(name="Alice")
    Authenticator.objects.create(user=player, type="totp", data={"secret": "hidden"})
    SocialAccount.objects.create(user=player, provider="github", uid="77", extra_data={"login": "al"})
    held = export(alice)
    assert set(held) == set(ExportOut.__struct_fields__)
    assert (held["profile"]["name"], held["profile"]["settings"]) == ("Alice", {"a": [1]})
    assert [row["log__text"] for row in held["submissions"]] == [won_log, "d"]
    assert (held["submissions"][0]["client"], held["submissions"][0]["claimed_score"]) == ("my phone", 5)
    assert held["submissions"][0]["ranked_score"] == 1230
    assert [row["draft"] for row in held["attempts"]] == ["", "", "d d"]
    assert {row["board"] for row in held["standings"]} == {"best", "first"}
    assert {row["period"] for row in held["period_standings"]} == {"week", "month", "all"}
    assert [row["club__name"] for row in held["clubs"]] == ["The Kings"]
    assert [row["email"] for row in held["email_addresses"]] == ["alice@example.org"]
    assert [row["uid"] for row in held["social_logins"]] == ["77"]
    assert [row["type"] for row in held["authenticators"]] == ["totp"]
    assert len(held["sessions"]) == 1 and len(held["tokens"]) == 2
    text = json.dumps(held)
    assert "hidden" not in text and player.password not in text and bob.name not in text


def test_guests_players_and_admins_get_theirs_and_nobody_gets_none(alice: Api, nobody: Api) -> None:
    for player in (alice, full_player("Bob"), an_admin()):
        held = export(player)
        assert held["profile"]["name"] == player.name
        assert held["submissions"] == held["attempts"] == held["clubs"] == []
    for api in (nobody, Api("nonsense")):
        assert api.get("players/me/export/").status_code == 401
