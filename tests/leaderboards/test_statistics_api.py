"""GET players/{name}/statistics/."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from games.models import Player
from games.services.verification import verify_pending
from leaderboards.services.closing import close_dailies
from tests.conftest import Api, utc

from .stage import make_daily, place

pytestmark = pytest.mark.django_db(transaction=True)

SUNDAY = datetime.date(2026, 3, 29)


@pytest.fixture(autouse=True)
def _today() -> Any:
    with time_machine.travel(utc("2026-03-30T12:00:00"), tick=True):
        yield


def test_says_all_of_it_with_a_label_for_each_number(nobody: Api) -> None:
    """Participation was read as a streak (osu-web #11422): days played and days in a row are two numbers."""
    for n in (0, 1, 2, 5):
        daily = make_daily("kl-d1v", SUNDAY - datetime.timedelta(days=n))
        place(daily, "Alice", score=208 if n == 1 else -52, won=n == 1, moves=100 + n)
        place(daily, "bob", score=0)
    close_dailies(now=timezone.now())
    found = nobody.get("players/alice/statistics/")
    assert found.status_code == 200
    percentiles = found.data["modes"]["kl-d1v"].pop("percentiles")
    assert found.data == {
        "player": "Alice",
        "is_guest": False,
        "today": "2026-03-30",
        "streaks": {
            "current_days": 3,
            "longest_days": 3,
            "current_days_won": 0,
            "longest_days_won": 1,
            "days_played": 4,
            "has_played_today": False,
        },
        "modes": {
            "kl-d1v": {
                "dailies_played": 4,
                "dailies_won": 1,
                "win_rate": 0.25,
                "average_score": 13.0,
                "best_score": 208,
                "fewest_moves_of_a_win": 101,
            }
        },
        "medals": {"top_1_percent": 1, "top_3_percent": 0, "top_10_percent": 0},
        "months": [{"month": "2026-03", "days_played": 4, "badge": None}],
    }
    assert percentiles[:2] == [
        {"date": "2026-03-29", "rank": 2, "total": 2, "percentile": 0.0},
        {"date": "2026-03-28", "rank": 1, "total": 2, "percentile": 100.0},
    ]


def test_a_badge_has_a_name(nobody: Api) -> None:
    for n in range(31):
        place(make_daily("ft-n", datetime.date(2026, 1, 1) + datetime.timedelta(days=n)), "alice", score=0)
    for n in range(12):
        place(make_daily("ft-n", datetime.date(2026, 2, 1) + datetime.timedelta(days=n)), "alice", score=0)
    months = nobody.get("players/alice/statistics/").data["months"]
    assert [month["badge"] for month in months] == ["10_days", "all_days"]


def test_played_and_won_are_those_of_the_all_time_board(nobody: Api) -> None:
    """ForFunLabs/webapi #7: the profile's numbers differed from the board's."""
    for n, mode in enumerate(["ft-n", "ft-n", "kl-d3v"]):
        place(make_daily(mode, SUNDAY - datetime.timedelta(days=n)), "alice", score=9, won=n == 1)
    modes = nobody.get("players/alice/statistics/").data["modes"]
    for mode, found in modes.items():
        [line] = nobody.get(f"leaderboards/{mode}/all/").data["lines"]
        assert (line["played"], line["won"]) == (found["dailies_played"], found["dailies_won"])


def test_somebody_new_has_nothing_and_no_error(alice: Api) -> None:
    found = alice.get("players/me/statistics/")
    assert found.status_code == 200
    assert (found.data["modes"], found.data["months"], found.data["player"]) == ({}, [], alice.name)
    assert set(found.data["streaks"].values()) == {0}


def test_own_statistics_follow_a_played_game(alice: Api) -> None:
    daily = make_daily("ft-n", timezone.now().date())
    alice.submit(alice.start(daily), "d")
    verify_pending(clock=timezone.now)
    streaks = alice.get("players/me/statistics/").data["streaks"]
    assert (streaks["current_days"], streaks["has_played_today"]) == (1, True)


def test_me_needs_a_token_and_names_need_to_exist(nobody: Api, alice: Api) -> None:
    assert nobody.get("players/me/statistics/").status_code == 401
    assert Api("0" * 64).get("players/me/statistics/").status_code == 401
    for name in ("nobody-of-that-name", "%00", "%20"):
        assert nobody.get(f"players/{name}/statistics/").status_code == 404
    assert nobody.get(f"players/{alice.name.upper()}/statistics/").data["player"] == alice.name
    Player.objects.filter(name=alice.name).update(is_active=False)
    assert nobody.get(f"players/{alice.name}/statistics/").status_code == 404
