"""What becomes of a submission whose replay breaks, and of a batch that meets a deadlock."""

from __future__ import annotations

import datetime
from collections.abc import Callable

import pytest
from django.db import OperationalError
from django.utils import timezone
from psycopg.errors import DeadlockDetected

from games.models import Challenge, Submission
from games.services import verification
from games.services.verification import MAX_TRIES, again_on_deadlock, verify_pending
from tests.conftest import Api

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_log_on_which_the_engine_breaks_fails_after_its_tries_and_keeps_the_trace(
    alice: Api, bob: Api, daily: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = alice.submit(alice.start(daily), "d d").data["id"]
    sound = bob.submit(bob.start(daily), "d").data["id"]
    verify = verification.verify

    def breaks(deal: object, log: str) -> object:
        if log == "d d":
            raise ZeroDivisionError("a fault of the engine")
        return verify(deal, log)  # type: ignore[arg-type]

    monkeypatch.setattr(verification, "verify", breaks)
    now, states = timezone.now(), []
    for n in range(MAX_TRIES + 1):
        verify_pending(clock=lambda n=n: now + n * datetime.timedelta(seconds=10))  # type: ignore[misc]
        states.append(Submission.objects.get(pk=broken).state)
    assert states == ["pending"] * (MAX_TRIES - 1) + ["failed"] * 2
    assert "a fault of the engine" in Submission.objects.get(pk=broken).traceback
    assert Submission.objects.get(pk=sound).state == "verified"
    assert alice.get(f"submissions/{broken}/").data["state"] == "failed"


def deadlock() -> OperationalError:
    error = OperationalError("deadlock detected")
    error.__cause__ = DeadlockDetected()
    return error


def fails(times: int, error: Callable[[], Exception]) -> Callable[[], int]:
    """Does its work after so many failures."""
    tries = iter(range(times + 1))

    def write() -> int:
        if (n := next(tries)) < times:
            raise error()
        return n

    return write


def test_a_batch_that_meets_deadlocks_is_tried_again_a_few_times() -> None:
    assert again_on_deadlock(fails(4, deadlock)) == 4
    with pytest.raises(OperationalError, match="deadlock"):
        again_on_deadlock(fails(5, deadlock))
    with pytest.raises(OperationalError, match="away"):
        again_on_deadlock(fails(1, lambda: OperationalError("the database is away")))
