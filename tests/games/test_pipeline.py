"""A submitted game, all the way: view, service, row, worker, engine, verdict, standing, board."""

from __future__ import annotations

import pytest

from games.models import Challenge
from tests.conftest import Api, Process, wait_for


@pytest.mark.django_db(transaction=True)
def test_a_won_game_is_verified_by_the_worker_and_ranked(
    worker: Process, alice: Api, nobody: Api, daily: Challenge, won_log: str
) -> None:
    attempt = alice.start(daily)
    received = alice.submit(attempt, won_log, claimed_score=99999, client="tests/1")
    assert received.status_code == 202
    submission = wait_for(
        lambda: (data := alice.get(f"submissions/{received.data['id']}/").data)["state"] != "pending" and data
    )
    assert submission["state"] == "verified"
    assert submission["claimed_score"] == 99999
    assert submission["verdict"]["ranked_score"] == submission["verdict"]["score"] == 1230
    assert submission["best"] == {"rank": 1, "total": 1, "percentile": 100.0}
    assert submission["first"] is None
    [line] = nobody.get(f"leaderboards/challenges/{daily.pk}/").data["lines"]
    assert (line["player"], line["rank"], line["won"], line["ranked_score"]) == (alice.name, 1, True, 1230)
