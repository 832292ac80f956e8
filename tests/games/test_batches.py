"""A batch is as large as it says, whatever plan PostgreSQL picks for the statement that takes it."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from django.conf import settings
from django.db import connection
from django.utils import timezone

from games.models import Challenge, ReviewJob, Submission
from games.services import review, verification
from games.services.review import review_submissions
from tests.conftest import Api

pytestmark = pytest.mark.django_db(transaction=True)

# Some plans run `IN (SELECT ... LIMIT 2 FOR UPDATE SKIP LOCKED)` again for each row: then all rows are taken.
_WAYS = ("enable_hashjoin", "enable_mergejoin", "enable_hashagg", "enable_sort", "enable_material")
_PLANS = [off for count in range(len(_WAYS) + 1) for off in itertools.combinations(_WAYS, count)]


@pytest.fixture
def waiting(new_guest: Callable[[], Api], daily: Challenge) -> list[int]:
    """Five submissions that wait for their verdict."""
    return [guest.submit(guest.start(daily), "d").data["id"] for guest in [new_guest() for _ in range(5)]]


def _want_plans_for_few_rows(waiting: list[int]) -> None:
    """Have PostgreSQL believe that a single row waits."""
    ReviewJob.objects.create(submission_id=waiting[0])
    Submission.objects.exclude(pk=waiting[0]).update(tries=1)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE games_reviewjob, games_submission")


def test_a_batch_is_as_large_as_it_says_whatever_the_plan(waiting: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verification, "BATCH_SIZE", 2)
    monkeypatch.setattr(review, "BATCH_SIZE", 2)
    monkeypatch.setattr(review, "BATCHES", 1)
    _want_plans_for_few_rows(waiting)
    taken = {}
    for off in _PLANS:
        ReviewJob.objects.all().delete()
        ReviewJob.objects.bulk_create(ReviewJob(submission_id=number) for number in waiting)
        Submission.objects.update(tries=0)
        with connection.cursor() as cursor:
            for way in _WAYS:
                cursor.execute(f"SET {way} = {'off' if way in off else 'on'}")
        claimed = verification._claim_fresh(timezone.now())
        review_submissions(now=timezone.now())
        taken[off] = (len(claimed), len(waiting) - ReviewJob.objects.count())
    connection.close()
    assert taken == dict.fromkeys(_PLANS, (2, 2))


def test_no_job_is_compared_with_each_other_where_the_table_is_taken_for_an_empty_one(waiting: list[int]) -> None:
    _want_plans_for_few_rows(waiting)
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {review._TAKE}", {"limit": 200, "grace": settings.QV_GRACE})
        plan = "\n".join(row[0] for row in cursor.fetchall())
    assert "ctid = ANY" in plan
