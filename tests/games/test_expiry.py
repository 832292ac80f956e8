"""Guests who don't play any more."""

from __future__ import annotations

import datetime
from collections.abc import Callable

import pytest
import time_machine
from django.utils import timezone
from knox.models import AuthToken

from games.models import Attempt, Challenge, Player
from games.services import deletion
from games.services.deletion import expire_guests
from games.services.verification import verify_pending
from games.tasks import expire
from qvserver.celery import app
from tests.accounts import browser, browser_call, full_player
from tests.conftest import Api, utc
from tests.dailies import publish

pytestmark = pytest.mark.django_db

JOINED = utc("2026-01-01T00:00:00")


def days(number: int) -> datetime.datetime:
    return JOINED + datetime.timedelta(days=number)


@pytest.fixture
def daily() -> Challenge:
    with time_machine.travel(JOINED, tick=False):
        return publish("ft-n", JOINED.date())


def at(moment: datetime.datetime, call: Callable[[], object]) -> None:
    with time_machine.travel(moment, tick=False):
        call()


def a_guest() -> Api:
    from games.services.players import create_guest

    caller, token = create_guest(now=JOINED)
    return Api(token, caller.name)


def test_a_guest_who_never_submitted_goes_without_a_trace(daily: Challenge) -> None:
    guest = a_guest()
    at(JOINED, lambda: guest.start(daily))
    at(JOINED, lambda: guest.post("clubs/", {"name": "The Kings"}))
    assert expire_guests(now=days(90)) == 0
    assert expire_guests(now=days(91)) == 1
    assert not Player.objects.exists() and not Attempt.objects.exists() and not AuthToken.objects.exists()


def test_a_guest_with_results_keeps_the_places_only(daily: Challenge, nobody: Api) -> None:
    guest = a_guest()
    at(JOINED, lambda: guest.submit(guest.start(daily), "d"))
    verify_pending(clock=timezone.now)
    assert expire_guests(now=days(91)) == 1 and expire_guests(now=days(91)) == 0
    player = Player.objects.get()
    assert (player.name, player.is_active, player.deleted_at) == ("deleted player", False, days(91))
    with time_machine.travel(days(91)):
        [line] = nobody.get(f"leaderboards/challenges/{daily.pk}/").data["lines"]
    assert line["player"] == "deleted player"


def test_who_submits_or_calls_stays(daily: Challenge) -> None:
    calls, plays, gone = a_guest(), a_guest(), a_guest()
    at(days(60), lambda: calls.get("players/me/"))
    attempts = {}
    with time_machine.travel(JOINED, tick=False):
        attempts["plays"] = plays.start(daily)
    at(days(60), lambda: plays.submit(attempts["plays"], "d"))
    AuthToken.objects.filter(user__name=plays.name).delete()
    assert expire_guests(now=days(100)) == 1
    assert set(Player.objects.values_list("name", flat=True)) == {calls.name, plays.name} != {gone.name}
    assert expire_guests(now=days(160)) == 2


def test_a_guest_who_uses_a_session_stays() -> None:
    guest = a_guest()
    with time_machine.travel(JOINED, tick=False) as clock:
        client = browser()
        headers = {"Authorization": f"Token {guest.token}"}
        browser_call(client, "POST", "/api/v1/players/me/session/", {}, **headers)
        clock.move_to(days(60))
        assert client.get("/api/v1/players/me/").status_code == 200
    assert expire_guests(now=days(100)) == 0
    assert expire_guests(now=days(151)) == 1


def test_full_players_and_new_guests_stay() -> None:
    with time_machine.travel(JOINED, tick=False):
        full_player("Bob")
    AuthToken.objects.all().delete()
    assert expire_guests(now=days(400)) == 0
    a_guest()
    assert expire_guests(now=days(10)) == 0


def test_the_time_is_a_setting(settings: object) -> None:
    settings.QV_GUEST_DAYS = 7  # type: ignore[attr-defined]
    a_guest()
    assert expire_guests(now=days(6)) == 0
    assert expire_guests(now=days(8)) == 1


def test_a_call_lets_a_few_go_and_the_task_is_on_the_timetable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deletion, "EXPIRED_AT_ONCE", 2)
    for _ in range(3):
        a_guest()
    assert [expire_guests(now=days(91)) for _ in range(3)] == [2, 1, 0]
    a_guest()
    with time_machine.travel(days(200)):
        expire.run()
    assert not Player.objects.exists() and not AuthToken.objects.exists()
    assert expire.name in {entry["task"] for entry in app.conf.beat_schedule.values()}
    assert expire.name not in app.conf.task_routes
