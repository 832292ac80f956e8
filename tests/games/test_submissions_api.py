"""PUT attempts/{id}/submission/ and what follows from it."""

from __future__ import annotations

import datetime
import threading
from collections.abc import Callable
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.utils import timezone

from games.models import Challenge, Submission, SubmissionLog
from games.services import publishing
from games.services.verification import verify_pending
from games.signals import verdicts_given
from tests.conftest import Api, utc
from tests.dailies import publish

pytestmark = pytest.mark.django_db


def verify_all() -> None:
    verify_pending(clock=timezone.now)


def test_a_new_submission_is_pending_and_names_its_address(alice: Api, daily: Challenge) -> None:
    answer = alice.submit(alice.start(daily), "d d d", times=[1, 2, 3], client="tests/1")
    assert answer.status_code == 202
    assert answer.data["state"] == "pending"
    assert answer["Location"] == answer.data["url"] == f"/api/v1/submissions/{answer.data['id']}/"
    log = SubmissionLog.objects.get()
    assert (log.text, log.times) == ("d d d", [1, 2, 3])


def test_the_same_log_again_answers_with_the_same_submission(alice: Api, daily: Challenge) -> None:
    attempt = alice.start(daily)
    first = alice.submit(attempt, "d d d")
    again = alice.submit(attempt, " d\td\r\nd ")
    assert (again.status_code, again.data) == (202, first.data)
    verify_all()
    known = alice.submit(attempt, "d d d")
    assert (known.status_code, known.data["state"], known.data["id"]) == (200, "verified", first.data["id"])
    assert Submission.objects.count() == 1


def test_a_duplicate_answers_with_the_stored_score_not_the_attempted_one(alice: Api, daily: Challenge) -> None:
    """Leetcode-City #489."""
    attempt = alice.start(daily)
    alice.submit(attempt, "d", claimed_score=0)
    verify_all()
    again = alice.submit(attempt, "d", claimed_score=1360)
    assert again.status_code == 200
    shown = alice.get(f"submissions/{again.data['id']}/").data
    assert (shown["claimed_score"], shown["verdict"]["score"]) == (0, 0)
    assert alice.submit(attempt, "d d", claimed_score=1360).status_code == 409
    assert Submission.objects.get().claimed_score == 0


def test_submits_to_what_is_gone_in_the_meantime_are_answered(alice: Api, bob: Api, daily: Challenge) -> None:
    """RAWeb PR 3229: rapid submits on a soft-deleted row gave a 500."""
    attempts = [player.start(daily) for player in (alice, bob)]
    publishing.cancel(challenge_id=daily.pk, now=timezone.now())
    assert [alice.submit(attempts[0], "d").status_code for _ in range(3)] == [202] * 3
    bob.call("DELETE", "players/me/", {"confirm": bob.name})
    assert [bob.submit(attempts[1], "d").status_code for _ in range(3)] == [401] * 3
    verify_all()
    assert Submission.objects.get().state == "verified"


def test_a_task_that_runs_six_times_gives_one_verdict(alice: Api, daily: Challenge) -> None:
    """learningequality/studio #3395: a visibility timeout ran one task six times."""
    alice.submit(alice.start(daily), "d")
    rulings: list[Any] = []

    def note(sender: Any, **announced: Any) -> None:
        rulings.extend(announced["rulings"])

    verdicts_given.connect(note)
    try:
        assert [verify_pending(clock=timezone.now) for _ in range(6)] == [1, 0, 0, 0, 0, 0]
    finally:
        verdicts_given.disconnect(note)
    assert len(rulings) == 1


def test_another_log_for_the_same_attempt_is_a_conflict(alice: Api, daily: Challenge) -> None:
    attempt = alice.start(daily)
    alice.submit(attempt, "d d d")
    for _ in range(2):
        answer = alice.submit(attempt, "d d")
        assert answer.status_code == 409
        assert answer.data["error"]["code"] == "already_submitted"
        verify_all()
    assert Submission.objects.count() == 1


def test_a_rejected_log_may_be_corrected_and_each_try_is_kept(alice: Api, daily: Challenge) -> None:
    attempt = alice.start(daily)
    rejected = alice.submit(attempt, "d aa").data["id"]
    verify_all()
    shown = alice.get(f"submissions/{rejected}/").data
    assert shown["state"] == "rejected"
    assert shown["verdict"]["error"]["reason"] == "same_pile"
    assert (shown["verdict"]["error"]["index"], shown["verdict"]["moves"]) == (1, 1)
    assert shown["best"] is None
    assert alice.start(daily)["id"] == attempt["id"], "a rejected log burns no attempt"
    corrected = alice.submit(attempt, "d d")
    assert corrected.status_code == 202
    verify_all()
    assert alice.get(f"submissions/{corrected.data['id']}/").data["state"] == "verified"
    assert Submission.objects.count() == 2


def test_the_same_rejected_log_again_answers_with_its_verdict(alice: Api, daily: Challenge) -> None:
    attempt = alice.start(daily)
    first = alice.submit(attempt, "aa").data["id"]
    verify_all()
    again = alice.submit(attempt, "aa")
    assert (again.status_code, again.data["id"], again.data["state"]) == (200, first, "rejected")


def test_the_sixth_correction_is_refused(alice: Api, daily: Challenge) -> None:
    attempt = alice.start(daily)
    for n in range(5):
        assert alice.submit(attempt, "d " * n + "aa").status_code == 202
        verify_all()
    answer = alice.submit(attempt, "d")
    assert (answer.status_code, answer.data["error"]["code"]) == (409, "too_many_rejected")
    assert alice.start(daily)["number"] == 2


def test_two_rejected_attempts_in_one_batch_reopen_only_the_later_one(alice: Api, daily: Challenge) -> None:
    first = alice.start(daily)
    alice.submit(first, "aa")
    second = alice.start(daily)
    alice.submit(second, "bb")
    verify_all()
    assert set(Submission.objects.values_list("state", flat=True)) == {"rejected"}
    assert alice.start(daily)["id"] == second["id"]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"log": "d x"}, 400, "bad_notation"),
        ({"log": "d " * 10_001}, 400, "too_many_actions"),
        ({"log": " " * 65_537}, 413, "log_too_large"),
        ({}, 400, "bad_request"),
        ({"log": 5}, 400, "bad_request"),
        ({"log": "d", "claimed_score": 2**31}, 400, "bad_request"),
        ({"log": "d", "times": [1, 2]}, 400, "bad_times"),
        ({"log": "d", "times": [-1]}, 400, "bad_request"),
        ({"log": "d", "client": "a\x00b"}, 400, "bad_request"),
        ({"log": "d", "client": "x" * 65}, 400, "bad_request"),
        ({"log": "d \x00"}, 400, "bad_notation"),
        ("not json", 400, "bad_json"),
        ("", 400, "bad_json"),
        (b"\xff\xfe", 400, "bad_json"),
        ('{"log": "\\ud800"}', 400, "bad_json"),
        ('{"x": ' + "[" * 100_000, 400, "bad_json"),
        ("[]", 400, "bad_request"),
        (" " * (513 * 1024), 413, "too_large"),
    ],
)
def test_bad_input_names_what_is_wrong(alice: Api, daily: Challenge, body: Any, status: int, code: str) -> None:
    attempt = alice.start(daily)
    answer = alice.put(f"attempts/{attempt['id']}/submission/", body)
    assert (answer.status_code, answer.data["error"]["code"]) == (status, code)
    assert answer.data["error"]["message"]
    assert not Submission.objects.exists()
    assert alice.start(daily)["id"] == attempt["id"]


def test_bad_notation_names_index_and_action(alice: Api, daily: Challenge) -> None:
    error = alice.submit(alice.start(daily), "d d\u00a0d w").data["error"]
    assert error["details"] == {"index": 1, "action": "d\u00a0d"}


def test_a_compressed_body_is_refused_unread(alice: Api, daily: Challenge) -> None:
    answer = alice.call("PUT", "attempts/1/submission/", b"\x1f\x8b", **{"Content-Encoding": "gzip"})
    assert (answer.status_code, answer.data["error"]["code"]) == (415, "unsupported_encoding")


def test_anothers_attempt_is_not_there(alice: Api, bob: Api, nobody: Api, daily: Challenge) -> None:
    attempt = alice.start(daily)
    assert bob.submit(attempt, "d").status_code == 404
    assert bob.get(f"attempts/{attempt['id']}/").status_code == 404
    assert bob.put(f"attempts/{attempt['id']}/draft/", {"log": "d"}).status_code == 404
    assert nobody.submit(attempt, "d").status_code == 401
    assert not Submission.objects.exists()


def test_anothers_submission_is_not_there(alice: Api, bob: Api, nobody: Api, daily: Challenge) -> None:
    submission = alice.submit(alice.start(daily), "d").data["id"]
    assert bob.get(f"submissions/{submission}/").status_code == 404
    assert bob.get(f"submissions/{submission}/replay/").status_code == 404
    assert nobody.get(f"submissions/{submission}/").status_code == 401
    assert alice.get(f"submissions/{submission}/replay/").data["log"] == "d"


def test_a_row_number_beyond_the_database_is_not_found(alice: Api) -> None:
    for address in ("attempts/{}/", "submissions/{}/", "challenges/{}/", "leaderboards/challenges/{}/"):
        for number in (10**17, 10**18, 10**30):
            assert alice.get(address.format(number)).status_code == 404


def test_a_game_finished_just_after_midnight_counts(new_guest: Callable[[], Api]) -> None:
    """hackclub/scrappy #41: the grace period."""
    answers = _received_at(new_guest, utc("2026-03-01T23:59:00"), utc("2026-03-02T00:04:59"))
    assert answers["ranked"] is True
    assert answers["best"] == {"rank": 1, "total": 1, "percentile": 100.0}


def test_a_log_after_the_window_is_taken_and_shown_as_practice(new_guest: Callable[[], Api]) -> None:
    answers = _received_at(new_guest, utc("2026-03-01T23:59:00"), utc("2026-03-02T00:05:00"))
    assert (answers["state"], answers["ranked"], answers["best"]) == ("verified", False, None)
    assert answers["verdict"]["moves"] == 1


def _received_at(new_guest: Callable[[], Api], started: datetime.datetime, received: datetime.datetime) -> Any:
    with time_machine.travel(started, tick=False) as clock:
        player = new_guest()
        challenge = publish("ft-n", started.date())
        attempt = player.start(challenge)
        clock.move_to(received)
        answer = player.submit(attempt, "d")
        assert answer.status_code == 202
        verify_all()
        shown = player.get(f"submissions/{answer.data['id']}/").data
        assert shown["elapsed"] == (received - started).total_seconds()
        return shown


def test_a_clock_set_forward_plays_nothing_early(new_guest: Callable[[], Api]) -> None:
    """duotrigordle #157: only the server's clock opens a challenge, and times come from it."""
    with time_machine.travel(utc("2026-03-01T12:00:00"), tick=False) as clock:
        player = new_guest()
        tomorrow = publish("ft-n", datetime.date(2026, 3, 2))
        assert player.post(f"challenges/{tomorrow.pk}/attempts/").status_code == 404
        assert player.get(f"challenges/{tomorrow.pk}/").status_code == 404
        assert player.get(f"deals/{tomorrow.code}/").status_code == 404
        clock.move_to(utc("2026-03-02T00:00:00"))
        assert player.start(tomorrow)["code"] == str(tomorrow.code)


def test_a_claimed_score_is_stored_and_never_used(alice: Api, daily: Challenge) -> None:
    """Checkora #1632: scores taken from the client could be set to anything."""
    submission = alice.submit(alice.start(daily), "d", claimed_score=1360).data["id"]
    verify_all()
    shown = alice.get(f"submissions/{submission}/").data
    assert (shown["claimed_score"], shown["verdict"]["score"], shown["verdict"]["ranked_score"]) == (1360, 0, 0)
    [line] = alice.get(f"leaderboards/challenges/{daily.pk}/").data["lines"]
    assert line["ranked_score"] == 0


def test_an_unknown_client_is_accepted(alice: Api, daily: Challenge) -> None:
    """osu #12002: a new client build's id wasn't registered and honest players were refused."""
    assert alice.submit(alice.start(daily), "d", client="never-heard-of/0.0.1-β").status_code == 202


def test_a_score_of_zero_counts_as_having_taken_part(alice: Api, daily: Challenge) -> None:
    """osu #31808."""
    alice.submit(alice.start(daily), "")
    verify_all()
    board = alice.get(f"leaderboards/challenges/{daily.pk}/").data
    assert (board["total"], board["lines"][0]["ranked_score"], board["own"]["rank"]) == (1, 0, 1)


def in_threads(calls: list[Callable[[], Any]]) -> list[Any]:
    """What the calls return when all are made at once."""
    barrier = threading.Barrier(len(calls))
    results: list[Any] = [None] * len(calls)

    def run(i: int) -> None:
        barrier.wait()
        try:
            results[i] = calls[i]()
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


@pytest.mark.django_db(transaction=True)
def test_two_identical_puts_at_once_make_one_submission(alice: Api, daily: Challenge) -> None:
    """codabench PR 2426: a retry after a 504 gave two rows, two jobs, two entries."""
    attempt = alice.start(daily)
    answers = in_threads([lambda: alice.submit(attempt, "d d d")] * 8)
    assert {answer.status_code for answer in answers} == {202}
    assert len({answer.data["id"] for answer in answers}) == 1
    assert Submission.objects.count() == SubmissionLog.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_different_puts_at_once_make_one_submission(alice: Api, daily: Challenge) -> None:
    """osu PR 26333: fail and quit raced and submitted twice."""
    attempt = alice.start(daily)
    answers = in_threads([lambda n=n: alice.submit(attempt, "d " * n) for n in range(1, 9)])  # type: ignore[misc]
    assert sorted(answer.status_code for answer in answers) == [202] + [409] * 7
    [log] = SubmissionLog.objects.all()
    [winner] = [n for n, answer in enumerate(answers, 1) if answer.status_code == 202]
    assert log.text == " ".join(["d"] * winner)


@pytest.mark.django_db(transaction=True)
def test_many_starts_at_once_give_one_attempt(alice: Api, daily: Challenge) -> None:
    answers = in_threads([lambda: alice.post(f"challenges/{daily.pk}/attempts/")] * 8)
    assert sorted(answer.status_code for answer in answers) == [200] * 7 + [201]
    assert len({answer.data["id"] for answer in answers}) == 1


@pytest.mark.django_db(transaction=True)
def test_fifty_players_submitting_at_once_get_one_row_each_and_right_ranks(
    new_guest: Callable[[], Api], nobody: Api, daily: Challenge
) -> None:
    players = [new_guest() for _ in range(50)]
    attempts = [player.start(daily) for player in players]
    calls = [
        lambda p=player, a=attempt, n=n: p.submit(a, "d " * (1 + n % 10))  # type: ignore[misc]
        for n, (player, attempt) in enumerate(zip(players, attempts, strict=True))
    ]
    answers = in_threads(calls)
    assert {answer.status_code for answer in answers} == {202}
    in_threads([verify_all] * 4)
    assert Submission.objects.filter(state="verified").count() == 50
    lines = nobody.get(f"leaderboards/challenges/{daily.pk}/").data["lines"]
    order = [(-line["ranked_score"], line["moves"], line["elapsed"]) for line in lines]
    assert len(lines) == 50 and order == sorted(order)
    assert [line["rank"] for line in lines] == [1 + order.index(place) for place in order]
