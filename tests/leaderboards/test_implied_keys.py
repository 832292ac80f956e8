"""Rows that copy player and challenge from a row they hang on: that one's foreign keys keep both."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import ProtectedError
from django.utils import timezone

from games.models import Challenge, Player, ReviewedLog
from games.services.review import review_submissions
from games.services.verification import verify_pending
from leaderboards.models import PeriodStanding, Standing
from tests.conftest import Api

pytestmark = pytest.mark.django_db(transaction=True)

COPIES = (Standing, PeriodStanding, ReviewedLog)


@pytest.fixture
def played(new_guest: Callable[[], Api], daily: Challenge) -> Challenge:
    guest = new_guest()
    guest.submit(guest.start(daily), "d " * 30)
    verify_pending(clock=timezone.now)
    review_submissions(now=timezone.now())
    assert [model.__name__ for model in COPIES if not model.objects.exists()] == []
    return daily


@pytest.mark.parametrize("table", ["games_player", "games_challenge", "games_attempt", "games_submission"])
def test_what_a_copy_names_can_not_be_deleted_past_django(played: Challenge, table: str) -> None:
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {table}")


def test_the_keys_that_imply_the_others_are_there() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT conrelid::regclass::text || '.' || attname FROM pg_constraint JOIN pg_attribute
                ON attrelid = conrelid AND attnum = conkey[1]
            WHERE contype = 'f'
            """
        )
        found = {name for (name,) in cursor.fetchall()}
    needed = {
        "games_attempt.player_id",
        "games_attempt.challenge_id",
        "games_submission.attempt_id",
        "games_submissionlog.submission_id",
        "games_reviewedlog.submission_id",
        "leaderboards_standing.submission_id",
    }
    assert needed - found == set()


def test_nor_by_django(played: Challenge) -> None:
    for row in (Player.objects.get(submissions__challenge=played), played):
        with pytest.raises(ProtectedError):
            row.delete()
