"""The second opinion: plain recomputation, and that it finds what is wrong."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.utils import timezone

from games import redis_client
from games.models import Challenge, Submission
from games.services.verification import verify_pending
from leaderboards.models import Standing
from qvserver.audit import Place, Stored, audit, judge, rank_boards
from tests.conftest import Api


def stored(number: int, player: int, log: str, **changes: object) -> Stored:
    row = Stored(number, 1, player, False, 1, True, "verified", 100, "ft-n", 21, log, {})
    return row._replace(**changes)  # type: ignore[arg-type]


def boards(*rows: Stored) -> dict[tuple[int, str], list[Place]]:
    return rank_boards([(row, judge(row)) for row in rows])


def test_ties_share_a_rank_and_list_the_earlier_first() -> None:
    found = boards(stored(3, 30, "d"), stored(1, 10, "d d"), stored(2, 20, "d"), stored(4, 40, "d", elapsed=99))
    assert found[1, "best"] == [Place(1, 4, 40), Place(2, 2, 20), Place(2, 3, 30), Place(4, 1, 10)]


def test_first_leaves_out_guests_and_later_attempts() -> None:
    found = boards(stored(1, 10, "d"), stored(2, 20, "d", is_guest=True), stored(3, 30, "", attempt_number=2))
    assert [place.player for place in found[1, "first"]] == [10]
    assert [place.player for place in found[1, "best"]] == [30, 10, 20]


def test_only_legal_and_ranked_logs_count_and_each_player_once() -> None:
    found = boards(stored(1, 10, "aa"), stored(2, 20, "d", ranked=False), stored(3, 30, "d d"), stored(4, 30, "d"))
    assert found == {(1, "best"): [Place(1, 4, 30)], (1, "first"): [Place(1, 4, 30)]}


@pytest.mark.django_db(transaction=True)
def test_an_audit_finds_forged_verdicts_standings_and_boards(new_guest: Callable[[], Api], daily: Challenge) -> None:
    for n in range(1, 6):
        player = new_guest()
        player.submit(player.start(daily), "d " * n)
    verify_pending(clock=timezone.now)
    assert audit().differences == []
    Submission.objects.filter(moves=3).update(ranked_score=1360)
    assert len(audit().differences) == 1
    Submission.objects.filter(moves=3).update(ranked_score=0)
    key = Standing.objects.order_by("key").values_list("key", flat=True)[0]
    Standing.objects.filter(submission__moves=5).update(key=key - 1)
    assert [text for text in audit().differences if "PostgreSQL" in text]
    Standing.objects.filter(submission__moves=5).delete()
    assert [text for text in audit().differences if "standings" in text and "Redis" not in text]
    redis_client.ask(lambda redis: redis.flushall())
    assert [text for text in audit().differences if "not whole in Redis" in text]
