"""The rest of the API: guests, challenges, attempts, practice, the error shape, the schema."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from knox.models import AuthToken

from games.api.lean import LeanView
from games.engine import MODES
from games.models import Challenge, Player
from games.services.verification import verify_pending
from tests.conftest import WON_CODE, Api, utc
from tests.dailies import publish_days

pytestmark = pytest.mark.django_db


def test_a_guest_gets_a_name_and_a_token_that_is_stored_only_as_a_hash(nobody: Api) -> None:
    made = nobody.post("players/guest/")
    assert made.status_code == 201
    player, token = made.data["player"], made.data["token"]
    assert player["is_guest"] and 3 <= len(player["name"]) <= 20
    assert Api(token).get("players/me/").data["name"] == player["name"]
    row = AuthToken.objects.get()
    assert token not in (row.digest, row.token_key) and not Player.objects.get().has_usable_password()
    assert row.expiry > timezone.now() + datetime.timedelta(days=89)


def test_a_token_is_renewed_by_use(new_guest: Callable[[], Api]) -> None:
    with time_machine.travel(utc("2026-01-01T00:00:00"), tick=False) as clock:
        player = new_guest()
        clock.move_to(utc("2026-03-30T00:00:00"))
        assert player.get("players/me/").status_code == 200
        clock.move_to(utc("2026-06-20T00:00:00"))
        assert player.get("players/me/").status_code == 200
        clock.move_to(utc("2026-12-01T00:00:00"))
        assert player.get("players/me/").status_code == 401


@pytest.mark.parametrize("header", ["Token", "Token ", "Bearer abc", "Token nonsense", "Token \u00e9", "x"])
def test_a_bad_token_is_refused_with_the_way_to_get_one(nobody: Api, header: str) -> None:
    answer = nobody.get("players/me/", Authorization=header)
    assert (answer.status_code, answer.data["error"]["code"]) == (401, "not_authenticated")
    assert answer["WWW-Authenticate"] == "Token"
    assert "players/guest/" in answer.data["error"]["message"]


def test_an_inactive_player_is_nobody(alice: Api, daily: Challenge) -> None:
    Player.objects.update(is_active=False)
    for address in ("players/me/", f"leaderboards/challenges/{daily.pk}/", "submissions/1/"):
        assert alice.get(address).status_code == 401


def test_today_shows_the_dailies_with_the_own_state(alice: Api, nobody: Api) -> None:
    today = timezone.now().date()
    publish_days(today)
    shown = nobody.get("challenges/today/").data["items"]
    assert {item["mode"] for item in shown} == {"ft-n", "kl-d1n", "kl-d3n"}
    assert all(item["is_open"] and item["own"] is None for item in shown)
    challenge = Challenge.objects.get(pk=shown[0]["id"])
    attempt = alice.start(challenge)
    own = {item["id"]: item["own"] for item in alice.get("challenges/today/").data["items"]}
    assert own[challenge.pk] == {"attempts": 1, "open_attempt": attempt["id"], "won": False, "best_score": None}
    alice.submit(attempt, "d")
    verify_pending(clock=timezone.now)
    assert alice.get(f"challenges/{challenge.pk}/").data["own"] == {
        "attempts": 1,
        "open_attempt": None,
        "won": False,
        "best_score": 0,
    }


def test_today_rolls_over_at_midnight_utc(nobody: Api) -> None:
    """sidhant947/Puzzle #97: yesterday's ticks stayed hours into the new day."""
    publish_days(datetime.date(2026, 3, 28), days=2)
    with time_machine.travel(utc("2026-03-28T23:59:59"), tick=False) as clock:
        assert {item["date"] for item in nobody.get("challenges/today/").data["items"]} == {"2026-03-28"}
        clock.move_to(utc("2026-03-29T00:00:00"))
        assert {item["date"] for item in nobody.get("challenges/today/").data["items"]} == {"2026-03-29"}


def test_challenges_are_paged_and_filtered(nobody: Api) -> None:
    start = datetime.date(2026, 1, 1)
    publish_days(start, days=35)
    with time_machine.travel(utc("2026-03-01T00:00:00"), tick=False):
        first = nobody.get("challenges/").data
        second = nobody.get(f"challenges/?cursor={first['next_cursor']}").data
        third = nobody.get(f"challenges/?cursor={second['next_cursor']}").data
        ids = [item["id"] for page in (first, second, third) for item in page["items"]]
        assert len(ids) == len(set(ids)) == 105 and third["next_cursor"] is None
        assert len(nobody.get("challenges/?date=2026-01-05").data["items"]) == 3
        [one] = nobody.get("challenges/?date=2026-01-05&mode=ft-n").data["items"]
        assert (one["mode"], one["date"]) == ("ft-n", "2026-01-05")
        for query in ("date=x", "date=2026-02-30", "mode=x", "mode=", "cursor=!"):
            assert nobody.get(f"challenges/?{query}").data["error"]["details"]["parameter"] == query.split("=")[0]


def test_a_cancelled_challenge_is_gone(alice: Api, daily: Challenge) -> None:
    Challenge.objects.update(cancelled_at=timezone.now())
    for address in (f"challenges/{daily.pk}/", f"leaderboards/challenges/{daily.pk}/"):
        assert alice.get(address).status_code == 404
    assert alice.post(f"challenges/{daily.pk}/attempts/").status_code == 404


def test_an_attempt_hands_out_the_deal_and_the_same_one_again(alice: Api, bob: Api, daily: Challenge) -> None:
    first = alice.post(f"challenges/{daily.pk}/attempts/")
    again = alice.post(f"challenges/{daily.pk}/attempts/")
    assert (first.status_code, again.status_code) == (201, 200)
    assert {**first.data, "server_time": 0} == {**again.data, "server_time": 0}
    assert (first.data["code"], first.data["number"], len(first.data["deal"]["stock"])) == (WON_CODE, 1, 64)
    shown = alice.get(f"attempts/{first.data['id']}/").data
    assert {**shown, "server_time": 0} == {**first.data, "server_time": 0}
    assert bob.start(daily)["number"] == 1


def test_attempts_are_numbered(alice: Api, daily: Challenge) -> None:
    for number in (1, 2, 3):
        attempt = alice.start(daily)
        assert attempt["number"] == number
        alice.submit(attempt, "d")


def test_only_the_first_attempt_of_players_who_are_no_guests_counts_first(alice: Api, daily: Challenge) -> None:
    for is_guest, counts in ((True, False), (False, True)):
        Player.objects.filter(name=alice.name).update(is_guest=is_guest)
        attempt = alice.start(daily)
        assert attempt["counts_first"] is alice.get(f"attempts/{attempt['id']}/").data["counts_first"] is counts
    alice.submit(attempt, "d")
    assert alice.start(daily)["counts_first"] is False


def test_a_draft_is_kept_for_another_device_until_the_submission(alice: Api, daily: Challenge) -> None:
    attempt = alice.start(daily)
    assert alice.put(f"attempts/{attempt['id']}/draft/", {"log": "d  d"}).status_code == 200
    assert alice.start(daily)["draft"] == alice.get(f"attempts/{attempt['id']}/").data["draft"] == "d d"
    assert alice.put(f"attempts/{attempt['id']}/draft/", {"log": "?"}).data["error"]["code"] == "bad_notation"
    submission = alice.submit(attempt, "d d d").data
    shown = alice.get(f"attempts/{attempt['id']}/").data
    assert (shown["draft"], shown["submission"]) == ("", submission["url"])
    assert alice.put(f"attempts/{attempt['id']}/draft/", {"log": "d"}).status_code == 404


@pytest.mark.parametrize("mode", list(MODES))
def test_practice_deals_by_code_and_at_random(nobody: Api, mode: str) -> None:
    deal = nobody.get(f"deals/random/?mode={mode}").data
    assert deal["mode"] == mode
    assert nobody.get(f"deals/{deal['code'].lower()}/").data == deal
    verdict = nobody.post(f"deals/{deal['code']}/verify/", {"log": "d d"}).data
    assert (verdict["valid"], verdict["moves"], verdict["code"]) == (True, 2, deal["code"])
    refused = nobody.post(f"deals/{deal['code']}/verify/", {"log": "d aa"}).data
    assert refused["error"]["reason"] == "same_pile"
    assert nobody.post(f"deals/{deal['code']}/verify/", {"log": "x"}).status_code == 400


def test_a_bad_code_says_what_is_wrong(nobody: Api) -> None:
    error = nobody.get("deals/FT1-N-AAAAAA9/").data["error"]
    assert error["code"] == "bad_code" and "'9'" in error["message"]
    assert nobody.get("deals/random/").data["error"]["details"]["parameter"] == "mode"


def test_every_error_has_the_one_shape(nobody: Api, alice: Api) -> None:
    answers = [
        nobody.get("nowhere/"),
        nobody.get("players/me/"),
        nobody.call("DELETE", "players/guest/"),
        alice.put("attempts/1/submission/", "{"),
        alice.get("challenges/?mode=x"),
        nobody.call("GET", "challenges/today/", **{"Host": "evil.example"}),
    ]
    assert [answer.status_code for answer in answers] == [404, 401, 405, 400, 400, 400]
    for answer in answers:
        assert list(answer.data) == ["error"]
        assert set(answer.data["error"]) == {"code", "message", "details"}
        assert answer["Content-Type"] == "application/json"


def test_a_fault_of_the_servers_own_keeps_the_shape_and_tells_nothing(
    nobody: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_down(**_: Any) -> None:
        raise ZeroDivisionError("inner secret")

    monkeypatch.setattr("games.api.player_views.players.create_guest", break_down)
    answer = nobody.post("players/guest/")
    assert (answer.status_code, answer.data["error"]["code"]) == (500, "server_error")
    assert "secret" not in answer.content.decode()


def test_options_and_head_are_answered(nobody: Api, daily: Challenge) -> None:
    assert nobody.call("OPTIONS", "players/guest/")["Allow"] == "POST"
    assert nobody.call("HEAD", f"challenges/{daily.pk}/").status_code == 200


def test_the_schema_describes_every_address(nobody: Api) -> None:
    from qvserver.urls import urlpatterns

    schema = nobody.get("schema/?format=json").data
    paths = set(schema["paths"])
    assert "/api/v1/attempts/{attempt_id}/submission/" in paths
    patterns = [p for resolver in urlpatterns for p in getattr(resolver, "url_patterns", [resolver])]
    views = [getattr(getattr(p, "callback", None), "view_class", object) for p in patterns]
    api = [view for view in views if issubclass(view, LeanView)]
    assert len(paths) == len(api)
    text = json.dumps(schema)
    for reference in {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]}:
        assert reference in schema["components"]["schemas"]
    for operations in schema["paths"].values():
        for operation in operations.values():
            assert operation["summary"] and operation["responses"]


def test_the_documentation_page_shows_the_schema(nobody: Api) -> None:
    from django.test import Client

    page = Client().get("/api/v1/docs/")
    assert page.status_code == 200 and b"swagger" in page.content


def statements(call: Callable[[], Any]) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert call().status_code < 300
    return len([q for q in queries if "SAVEPOINT" not in q["sql"]])


def test_hot_calls_cost_one_or_two_statements(alice: Api, nobody: Api, daily: Challenge) -> None:
    attempt = alice.start(daily)
    submission = f"attempts/{attempt['id']}/submission/"
    assert statements(lambda: nobody.post("players/guest/")) == 1
    assert statements(lambda: alice.post(f"challenges/{daily.pk}/attempts/")) == 1
    assert statements(lambda: alice.put(submission, {"log": "d"})) == 1
    verify_pending(clock=timezone.now)
    number = alice.put(submission, {"log": "d"}).data["id"]
    alice.get(f"submissions/{number}/")
    board = f"leaderboards/challenges/{daily.pk}/"
    assert statements(lambda: alice.get(f"submissions/{number}/")) == 1
    assert statements(lambda: alice.get(board)) == 2
    # The names are known now.
    assert statements(lambda: nobody.get(board)) == 1
    assert statements(lambda: alice.get(f"{board}around/")) == 1
    assert statements(lambda: nobody.get(f"{board}distribution/")) == 1


def test_a_batch_of_verdicts_costs_as_many_statements_as_one(new_guest: Callable[[], Api], daily: Challenge) -> None:
    def judge(players: int) -> int:
        for _ in range(players):
            player = new_guest()
            player.submit(player.start(daily), "d")
        with CaptureQueriesContext(connection) as queries:
            assert verify_pending(clock=timezone.now) == players
        return len(queries)

    assert judge(1) == judge(40) <= 12
