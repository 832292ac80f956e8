"""Simulated players over real HTTP, verified by a real worker, and every board recomputed."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from games.engine import Code
from games.models import Submission
from games.services.publishing import publish_dailies, publish_daily
from leaderboards.services.standings import push_all_unpushed
from qvserver.simulation import Simulation
from tests.conftest import Process

pytestmark = pytest.mark.django_db(transaction=True)


def test_boards_equal_a_recomputation_from_the_stored_logs(worker: Process, live_server: Any) -> None:
    today = timezone.now().date()
    publish_daily(mode="kl-d1n", date=today, code=Code("kl-d1n", 1007))
    publish_dailies(today=today)
    totals = Simulation(live_server.url, seed=5).run(60)
    assert totals.contradictions == []
    assert totals.submitted.total() >= 60
    assert totals.rejected.total() >= 1 and totals.won.total() >= 1
    assert Submission.objects.exclude(state__in=["verified", "rejected"]).count() == 0
    push_all_unpushed()
    call_command("rebuild_boards")
    out = StringIO()
    call_command("audit", stdout=out)
    assert "no difference" in out.getvalue()


def test_prepared_games_are_all_played_before_one_is_sent(worker: Process, live_server: Any) -> None:
    publish_dailies(today=timezone.now().date())
    out = StringIO()
    call_command("simulate", "--players", "12", "--prepared", "--seed", "1", "--url", live_server.url, stdout=out)
    assert "12 players" in out.getvalue() and "games ranked per second" in out.getvalue()


def test_a_server_without_dailies_is_named(live_server: Any) -> None:
    with pytest.raises(CommandError, match="no daily is open"):
        call_command("simulate", "--players", "1", "--url", live_server.url)
