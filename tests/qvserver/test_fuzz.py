"""Mutated calls over HTTP: each gets an answer, none a 5xx. `manage.py fuzz` does the same with 20,000."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from games.models import Submission
from games.services.verification import verify_pending
from tests.dailies import publish_days
from tests.qvserver import fuzzing
from tests.qvserver.fuzzing import Wrong, feed

pytestmark = pytest.mark.django_db(transaction=True)


def test_mutated_calls_get_an_answer_that_can_be_true(live_server: Any) -> None:
    publish_days(timezone.now().date())
    answers = feed(live_server.url, 400, seed=3)
    assert sum(answers.values()) == 400
    expected = {"200 verdict", "202", "400 bad_json", "400 bad_request", "400 bad_notation", "413 too_large"}
    assert expected | {"415 unsupported_encoding", "405 method_not_allowed", "404 not_found"} <= set(answers), answers
    verify_pending(clock=timezone.now)
    assert set(Submission.objects.values_list("state", flat=True)) == {"verified", "rejected"}


@pytest.mark.parametrize("what", ["breaks", "lies"])
def test_a_server_that_breaks_is_found(live_server: Any, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    publish_days(timezone.now().date())
    monkeypatch.setattr(fuzzing, "_CALLS", (fuzzing._practice,))

    def broken(deal: Any, log: str) -> Any:
        if what == "breaks":
            raise ZeroDivisionError
        return verify(deal, "")

    verify = fuzzing.verify
    monkeypatch.setattr("games.api.views.verify", broken)
    with pytest.raises(Wrong, match="500" if what == "breaks" else "instead of"):
        feed(live_server.url, 50, seed=1)
