"""`players/me/submissions/`: the own history."""

from __future__ import annotations

import datetime

import pytest
import time_machine
from django.utils import timezone

from games.models import Challenge
from games.services.verification import verify_pending
from tests.accounts import an_admin, full_player
from tests.conftest import Api, utc
from tests.dailies import publish_days

pytestmark = pytest.mark.django_db


def test_everybody_sees_their_own_submissions_and_nobody_elses(
    alice: Api, nobody: Api, daily: Challenge, won_log: str
) -> None:
    for player in (alice, full_player("Bob"), an_admin()):
        assert player.get("players/me/submissions/").data == {"items": [], "next_cursor": None}
        number = player.submit(player.start(daily), won_log).data["id"]
        verify_pending(clock=timezone.now)
        rejected = player.submit(player.start(daily), "aa").data["id"]
        waiting, judged = player.get("players/me/submissions/").data["items"]
        assert (waiting["id"], waiting["state"], waiting["won"], waiting["moves"]) == (rejected, "pending", None, None)
        assert {**judged, "received_at": 0, "elapsed": 0} == {
            "id": number,
            "url": f"/api/v1/submissions/{number}/",
            "challenge": daily.pk,
            "mode": "ft-n",
            "date": str(daily.date),
            "attempt_number": 1,
            "state": "verified",
            "ranked": True,
            "received_at": 0,
            "elapsed": 0,
            "won": True,
            "ranked_score": 1230,
            "moves": 315,
        }
        assert player.get(judged["url"].removeprefix("/api/v1/")).data["id"] == number
        verify_pending(clock=timezone.now)
    for api in (nobody, Api("nonsense")):
        assert api.get("players/me/submissions/").status_code == 401


def test_pages_show_each_submission_once_also_those_of_one_moment(alice: Api) -> None:
    with time_machine.travel(utc("2026-03-01T12:00:00"), tick=False) as clock:
        for challenge in publish_days(datetime.date(2026, 3, 1)):
            for _ in range(3):
                alice.submit(alice.start(challenge), "d")
            clock.shift(1)
        sent = [row["id"] for row in alice.get("players/me/submissions/").data["items"]]
        assert sent == sorted(sent, reverse=True) and len(sent) == 9
        seen: list[int] = []
        cursor = ""
        while cursor is not None:
            page = alice.get(f"players/me/submissions/?limit=2&cursor={cursor}").data
            seen += [row["id"] for row in page["items"]]
            cursor = page["next_cursor"]
        assert seen == sent


@pytest.mark.parametrize(
    "query", ["limit=0", "limit=101", "limit=x", "cursor=!", "cursor=NS4", "cursor=OTk5OTk5OTk5OTk5OTk5OTk5LjE"]
)
def test_bad_parameters_are_refused(alice: Api, query: str) -> None:
    assert alice.get(f"players/me/submissions/?{query}").data["error"]["details"]["parameter"] == query.split("=")[0]
