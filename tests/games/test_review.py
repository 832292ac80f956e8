"""What moderators are asked to look at, and what they decide on it; nobody is punished by a flag."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.utils import timezone
from django.utils.html import escape

from games.api.addresses import client_address
from games.models import AddressSighting, Challenge, Player, ReviewFlag, ReviewJob, Submission
from games.services import moderation, review
from games.services.moderation import ModerationError
from games.services.review import review_submissions
from games.services.sightings import address_digest, forget_addresses
from games.services.verification import verify_pending
from games.tasks import forget_addresses as forget_task
from games.tasks import review as review_task
from tests.conftest import Api, Process, wait_for
from tests.leaderboards.test_placing import lines

pytestmark = pytest.mark.django_db(transaction=True)

HOUR = datetime.timedelta(hours=1)
#: A log long enough to be looked at, and another.
LONG = " ".join(["d"] * 30)
OTHER = " ".join(["d"] * 31)


@pytest.fixture
def ada(db: None) -> Player:
    return Player.objects.create_superuser("Ada")


def play(who: Api, daily: Challenge, log: str, *, seconds: float = 600, **fields: Any) -> int:
    """A verified submission that took so long; returns its number."""
    attempt = who.start(daily)
    with time_machine.travel(timezone.now() + datetime.timedelta(seconds=seconds), tick=False):
        answer = who.submit(attempt, log, **fields)
        assert answer.status_code == 202, answer.data
        verify_pending(clock=timezone.now)
    return int(answer.data["id"])


def flags() -> list[tuple[str, str, int | None]]:
    """Kind, player and submission of the open flags."""
    review_submissions(now=timezone.now())
    found = ReviewFlag.objects.filter(state="open").order_by("id")
    return list(found.values_list("kind", "player__name", "submission_id"))


@pytest.fixture
def long_day(daily: Challenge) -> Challenge:
    """A daily that is open for another day, so that slow games fit in."""
    Challenge.objects.filter(pk=daily.pk).update(closes_at=timezone.now() + 24 * HOUR)
    return daily


def test_an_honest_game_is_not_flagged(alice: Api, bob: Api, long_day: Challenge) -> None:
    play(alice, long_day, LONG, claimed_score=0)
    play(bob, long_day, OTHER)
    assert flags() == [] and not ReviewJob.objects.exists()


def test_a_game_faster_than_a_hand_can_move(alice: Api, bob: Api, charlie: Api, long_day: Challenge) -> None:
    number = play(alice, long_day, LONG, seconds=4.4)
    play(bob, long_day, OTHER, seconds=4.7)
    play(charlie, long_day, "d d d", seconds=0)
    assert flags() == [("too_fast", alice.name, number)]
    assert ReviewFlag.objects.get().details == {"actions": 30, "seconds": 4.4}


def test_the_same_log_as_another_players(alice: Api, bob: Api, charlie: Api, long_day: Challenge) -> None:
    first = play(alice, long_day, LONG)
    play(alice, long_day, LONG)
    assert flags() == [], "one's own log may be played again"
    second = play(bob, long_day, LONG)
    play(charlie, long_day, OTHER)
    assert flags() == [("same_log", bob.name, second)]
    assert ReviewFlag.objects.get().other_id == first


def test_equal_logs_in_one_batch_and_in_any_order_flag_the_later_one(alice: Api, bob: Api, long_day: Challenge) -> None:
    first, second = play(alice, long_day, LONG), play(bob, long_day, LONG)
    ReviewJob.objects.filter(submission_id=first).delete()
    review_submissions(now=timezone.now())
    ReviewJob.objects.create(submission_id=first)
    assert flags() == [("same_log", bob.name, second)]


def test_short_logs_are_often_alike(alice: Api, bob: Api, long_day: Challenge) -> None:
    play(alice, long_day, "d d")
    play(bob, long_day, "d d")
    assert flags() == []


def test_the_stored_winning_log_while_nobody_can_know_it(
    alice: Api, bob: Api, long_day: Challenge, won_log: str
) -> None:
    attempt = bob.start(long_day)
    number = play(alice, long_day, won_log)
    assert flags() == [("winning_log", alice.name, number)]
    with time_machine.travel(timezone.now() + 48 * HOUR):
        bob.submit(attempt, won_log)
        verify_pending(clock=timezone.now)
        assert [kind for kind, player, _ in flags() if player == bob.name] == ["same_log"]


def test_another_score_claimed_than_the_verdict_gives(alice: Api, long_day: Challenge) -> None:
    number = play(alice, long_day, LONG, claimed_score=1230)
    assert flags() == [("other_score", alice.name, number)]
    assert ReviewFlag.objects.get().details == {"claimed": 1230, "score": 0}


def from_address(address: str, who: Api, daily: Challenge) -> None:
    answer = Client(REMOTE_ADDR=address, headers={"Authorization": f"Token {who.token}"}).post(
        f"/api/v1/challenges/{daily.pk}/attempts/"
    )
    assert answer.status_code == 201


def test_many_accounts_on_one_address_are_flagged_once_each_and_no_address_is_kept(
    new_guest: Callable[[], Api], long_day: Challenge
) -> None:
    players = [new_guest() for _ in range(6)]
    for n, player in enumerate(players[:5]):
        from_address("203.0.113.9", player, long_day)
        play(player, long_day, " ".join(["d"] * (30 + n)))
        assert len(flags()) == (n == 4)
    from_address("203.0.113.10", players[5], long_day)
    play(players[5], long_day, " ".join(["d"] * 50))
    assert [(kind, name) for kind, name, _ in flags()] == [("same_address", players[4].name)], "the fifth makes many"
    play(players[0], long_day, " ".join(["d"] * 51))
    play(players[0], long_day, " ".join(["d"] * 52))
    assert [name for _, name, _ in flags()] == [players[4].name, players[0].name]
    with connection.cursor() as cursor:
        cursor.execute("SELECT string_agg(s::text || f::text, ' ') FROM games_addresssighting s, games_reviewflag f")
        assert "203.0.113" not in cursor.fetchone()[0]


def test_traces_of_addresses_are_deleted_after_their_time(alice: Api, long_day: Challenge) -> None:
    from_address("203.0.113.9", alice, long_day)
    seen = AddressSighting.objects.get().seen_at
    assert forget_addresses(now=seen + datetime.timedelta(days=13)) == 0
    with time_machine.travel(seen + datetime.timedelta(days=14, seconds=1)):
        forget_task()
        forget_task()
    assert not AddressSighting.objects.exists()


def test_a_digest_depends_on_the_key_and_on_the_household(settings: Any) -> None:
    digest = address_digest("203.0.113.9")
    assert digest == address_digest("::ffff:203.0.113.9") != address_digest("203.0.113.10")
    assert address_digest("2001:db8:1:2::1") == address_digest("2001:db8:1:2:ffff::9")
    assert address_digest("2001:db8:1:2::1") != address_digest("2001:db8:1:3::1")
    assert address_digest("127.0.0.1") is address_digest("") is address_digest("::1") is None
    settings.SECRET_KEY = "another"
    assert address_digest("203.0.113.9") != digest


@pytest.mark.parametrize(
    ("proxies", "forwarded", "address"),
    [
        (0, "198.51.100.1", "203.0.113.9"),
        (1, "198.51.100.1", "198.51.100.1"),
        (1, "6.6.6.6, 198.51.100.1", "198.51.100.1"),
        (2, "6.6.6.6, 198.51.100.1, 10.0.0.2", "198.51.100.1"),
        (1, None, "203.0.113.9"),
        (2, "198.51.100.1", "203.0.113.9"),
    ],
)
def test_what_a_client_writes_into_x_forwarded_for_is_not_believed(
    settings: Any, rf: Any, proxies: int, forwarded: str | None, address: str
) -> None:
    """Without NUM_PROXIES REST framework trusts all of X-Forwarded-For."""
    settings.QV_PROXIES = proxies
    headers = {} if forwarded is None else {"X-Forwarded-For": forwarded}
    assert client_address(rf.get("/", headers=headers, REMOTE_ADDR="203.0.113.9")) == address


def test_looking_again_changes_nothing(alice: Api, bob: Api, long_day: Challenge) -> None:
    play(alice, long_day, LONG)
    number = play(bob, long_day, LONG, seconds=1, claimed_score=5)
    kinds = {"too_fast", "same_log", "other_score"}
    assert {kind for kind, *_ in flags()} == kinds
    ReviewJob.objects.create(submission_id=number)
    assert review_submissions(now=timezone.now()) == 0
    ReviewFlag.objects.update(state="settled")
    ReviewJob.objects.create(submission_id=number)
    assert review_submissions(now=timezone.now()) == 0 and flags() == [], "what was decided isn't asked again"


def test_nobody_is_punished_by_a_flag(alice: Api, nobody: Api, long_day: Challenge) -> None:
    play(alice, long_day, LONG, seconds=0, claimed_score=5)
    assert len(flags()) == 2
    assert [line[1] for line in lines(nobody, f"challenges/{long_day.pk}/")] == [alice.name]


def test_a_lost_message_is_made_good_by_beat(alice: Api, long_day: Challenge) -> None:
    from qvserver.celery import app

    number = play(alice, long_day, LONG, seconds=0)
    assert list(ReviewJob.objects.values_list("submission_id", flat=True)) == [number]
    review_task()
    review_task()
    assert ReviewFlag.objects.get().kind == "too_fast" and not ReviewJob.objects.exists()
    assert {"games.review", "games.forget_addresses"} <= {entry["task"] for entry in app.conf.beat_schedule.values()}
    assert app.amqp.router.route({}, "games.review")["queue"].name == "verdicts"


def test_a_worker_looks_after_the_verdict_by_itself(worker: Process, alice: Api, daily: Challenge) -> None:
    alice.submit(alice.start(daily), LONG)
    wait_for(lambda: ReviewFlag.objects.filter(kind="too_fast").exists(), what="the flag")


def test_while_another_process_looks_this_one_does_not(alice: Api, long_day: Challenge) -> None:
    from django.db import connections

    play(alice, long_day, LONG, seconds=0)
    other = connections.create_connection("default")
    try:
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [review._REVIEW_LOCK])
        assert review_submissions(now=timezone.now()) == 0 and ReviewJob.objects.exists()
    finally:
        other.close()
    wait_for(lambda: review_submissions(now=timezone.now()) == 1)


def test_a_player_is_reported_once_at_a_time(alice: Api, bob: Api, charlie: Api) -> None:
    answer = alice.post(f"players/{bob.name.upper()}/report/", {"reason": " a  rude name "})
    assert (answer.status_code, answer.data) == (202, {"player": bob.name, "state": "open"})
    assert alice.post(f"players/{bob.name}/report/", {"reason": "again"}).status_code == 202
    assert charlie.post(f"players/{bob.name}/report/", {"reason": "me too"}).status_code == 202
    reasons = ReviewFlag.objects.order_by("id").values_list("reporter__name", "player__name", "details")
    assert list(reasons) == [
        (alice.name, bob.name, {"reason": "a rude name"}),
        (charlie.name, bob.name, {"reason": "me too"}),
    ]


def test_who_was_reported_can_be_reported_again_after_the_decision(ada: Player, alice: Api, bob: Api) -> None:
    alice.post(f"players/{bob.name}/report/", {"reason": "rude"})
    first = ReviewFlag.objects.get()
    review.dismiss(flag_id=first.pk, now=timezone.now(), by=ada)
    alice.post(f"players/{bob.name}/report/", {"reason": "still rude"})
    assert ReviewFlag.objects.count() == 2
    with pytest.raises(ModerationError, match="again"):
        review.reopen(flag_id=first.pk, now=timezone.now(), by=ada)


def test_bad_reports_are_refused(ada: Player, alice: Api, bob: Api, nobody: Api) -> None:
    report = f"players/{bob.name}/report/"
    moderation.ban_player(
        player_id=Player.objects.get(name=bob.name).pk, reason="x", until=None, now=timezone.now(), by=ada
    )
    for answer, status in (
        (alice.post(report, {"reason": "hidden"}), 404),
        (bob.post(f"players/{alice.name}/report/", {"reason": "revenge"}), 403),
        (alice.post(f"players/{alice.name}/report/", {"reason": "me"}), 400),
        (alice.post("players/Nobody/report/", {"reason": "x"}), 404),
        (alice.post("players/a%00b/report/", {"reason": "x"}), 404),
        (alice.post("players/Ada/report/", {"reason": ""}), 400),
        (alice.post("players/Ada/report/", {"reason": "  "}), 400),
        (alice.post("players/Ada/report/", {"reason": "a\x00b"}), 400),
        (alice.post("players/Ada/report/", {"reason": "x" * 501}), 400),
        (alice.post("players/Ada/report/", {}), 400),
        (nobody.post("players/Ada/report/", {"reason": "x"}), 401),
    ):
        assert answer.status_code == status, answer.data
    assert not ReviewFlag.objects.exists()


@pytest.mark.parametrize("what", ["dismiss", "disqualify", "ban"])
def test_every_decision_can_be_undone(ada: Player, alice: Api, nobody: Api, long_day: Challenge, what: str) -> None:
    number = play(alice, long_day, LONG, seconds=0)
    address = f"challenges/{long_day.pk}/"
    before = lines(nobody, address)
    flags()
    flag = ReviewFlag.objects.get()
    decide: Any = {
        "dismiss": lambda **who: review.dismiss(**who),
        "disqualify": lambda **who: review.disqualify(reason="a bot", **who),
        "ban": lambda **who: review.ban(reason="a bot", until=None, **who),
    }[what]
    decide(flag_id=flag.pk, now=timezone.now(), by=ada)
    flag.refresh_from_db()
    assert (flag.state, flag.settled_by) == ("settled", ada) and flag.outcome.startswith(what[:3])
    assert lines(nobody, address) == (before if what == "dismiss" else [])
    with pytest.raises(ModerationError, match="already"):
        decide(flag_id=flag.pk, now=timezone.now(), by=ada)
    review.reopen(flag_id=flag.pk, now=timezone.now(), by=ada)
    flag.refresh_from_db()
    assert (flag.state, flag.outcome, flag.act, flag.settled_by) == ("open", "", None, None)
    assert lines(nobody, address) == before and not Submission.objects.get(pk=number).is_disqualified
    with pytest.raises(ModerationError, match="Nothing"):
        review.reopen(flag_id=flag.pk, now=timezone.now(), by=ada)


def test_undoing_a_decision_leaves_alone_what_was_decided_since(ada: Player, alice: Api, long_day: Challenge) -> None:
    play(alice, long_day, LONG, seconds=0)
    flags()
    flag, player = ReviewFlag.objects.get(), Player.objects.get(name=alice.name)
    review.ban(flag_id=flag.pk, reason="a bot", until=None, now=timezone.now(), by=ada)
    moderation.ban_player(player_id=player.pk, reason="abuse", until=None, now=timezone.now(), by=ada)
    review.reopen(flag_id=flag.pk, now=timezone.now(), by=ada)
    player.refresh_from_db()
    assert (player.is_banned, player.ban_reason) == (True, "abuse")


def test_a_long_queue_is_looked_at_bit_by_bit(
    new_guest: Callable[[], Api], long_day: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(review, "BATCH_SIZE", 2)
    monkeypatch.setattr(review, "BATCHES", 2)
    for n in range(5):
        play(new_guest(), long_day, " ".join(["d"] * (30 + n)), seconds=0)
    monkeypatch.setattr(review, "wake", told.append)
    assert review_submissions(now=timezone.now()) == 4 and ReviewJob.objects.count() == 1
    assert told == ["games.review"]
    assert review_submissions(now=timezone.now()) == 1 and not ReviewJob.objects.exists()
    assert told == ["games.review"]


def test_a_rejection_that_its_player_doubts_is_looked_at_once(
    ada: Player, alice: Api, bob: Api, nobody: Api, daily: Challenge
) -> None:
    rejected = play(alice, daily, "d aa")
    verified = play(alice, daily, "d")
    dispute = f"submissions/{rejected}/dispute/"
    assert alice.post(dispute).data == {"submission": rejected, "state": "open"}
    assert alice.post(dispute).status_code == 202
    assert flags() == [("disputed", alice.name, rejected)]
    assert bob.post(dispute).status_code == 404
    assert nobody.post(dispute).status_code == 401
    assert alice.post(f"submissions/{verified}/dispute/").status_code == 404
    message = alice.get(f"submissions/{rejected}/").data["verdict"]["error"]["message"]
    client = Client()
    client.force_login(ada)
    page = client.get(f"/admin/games/reviewflag/{ReviewFlag.objects.get().pk}/change/").content.decode()
    assert "a rejection that its player doubts" in page and escape(message) in page
