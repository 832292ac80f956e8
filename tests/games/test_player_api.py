"""`players/{name}/`: what everybody sees of a player."""

from __future__ import annotations

import pytest
from django.utils import timezone

from games.models import Challenge
from games.services.verification import verify_pending
from tests.accounts import an_admin, full_player, sign_up
from tests.conftest import Api

pytestmark = pytest.mark.django_db


def test_the_profile_is_the_same_for_everybody_and_holds_no_address(
    alice: Api, bob: Api, nobody: Api, daily: Challenge, won_log: str
) -> None:
    alice.submit(alice.start(daily), won_log)
    verify_pending(clock=timezone.now)
    sign_up("Alice", guest=alice, email="alice@example.org")
    alice.call("PATCH", "players/me/", {"settings": {"secret": 1}})
    shown = nobody.get("players/aLiCe/")
    assert set(shown.data) == {"name", "is_guest", "joined_at", "submissions", "verified", "won"}
    assert (shown.data["name"], shown.data["submissions"], shown.data["won"]) == ("Alice", 1, 1)
    for api in (alice, bob, full_player("Carol"), an_admin()):
        assert api.get("players/Alice/").data == shown.data
    assert nobody.get(f"players/{bob.name}/").data["is_guest"]


@pytest.mark.parametrize("name", ["nobody", "a%00b", "%20", "guest2", "%F0%9F%98%80", "x" * 200])
def test_who_isnt_there_is_not_found(nobody: Api, name: str) -> None:
    assert nobody.get(f"players/{name}/").status_code == 404


def test_the_profile_is_only_read(alice: Api) -> None:
    for method in ("PATCH", "DELETE", "POST", "PUT"):
        assert alice.call(method, f"players/{alice.name}/", {}).status_code == 405
