"""Publishing: proven dailies, events, what admins do with them; and keeping deals to their players."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection
from django.db.models import F
from django.utils import timezone

from games.engine import Code, NotWon
from games.models import Challenge, Search
from games.services import publishing
from games.services.calendar import missing_dailies
from games.services.publishing import PublishingError, publish_daily, publish_event
from games.services.verification import verify_pending
from tests.conftest import Api, utc
from tests.dailies import PROOFS, a_proof, publish, publish_days

pytestmark = pytest.mark.django_db
DAY = datetime.date(2026, 3, 29)
NOON = utc("2026-03-29T12:00:00")


def event(now: datetime.datetime = NOON, **fields: object) -> Challenge:
    """An event of three days from ``now`` on, still to be proven."""
    window = {"opens_at": now, "closes_at": now + datetime.timedelta(days=3)}
    return publish_event(**{"title": "Spring cup", "mode": "ft-n", "now": now, **window, **fields})  # type: ignore[arg-type]


def test_a_daily_is_open_from_midnight_to_midnight_utc_on_the_day_clocks_change() -> None:
    """habitica #3231: a day that ended with a DST change counted twice. UTC dates, whatever the clocks do."""
    challenge = publish("ft-n", DAY)
    assert (challenge.opens_at, challenge.closes_at) == (utc("2026-03-29T00:00:00"), utc("2026-03-30T00:00:00"))


def test_publishing_again_returns_what_is_there() -> None:
    first, is_new = publish_daily(date=DAY, proof=a_proof("ft-n", 0), now=NOON)
    again, is_new_again = publish_daily(date=DAY, proof=a_proof("ft-n", 1), now=NOON)
    assert (again, is_new, is_new_again) == (first, True, False)
    assert Challenge.objects.get().code == a_proof("ft-n", 0).code


def test_a_deal_is_used_once_even_under_another_prefix() -> None:
    proof = a_proof("kl-d1n")
    publish_daily(date=DAY, proof=proof, now=NOON)
    with pytest.raises(PublishingError, match="already used"):
        event(mode="kl-d3n", code=Code("kl-d3n", proof.code.number))
    event(mode="ft-n", code=Code("ft-n", proof.code.number))


def test_the_proof_is_stored_with_the_daily() -> None:
    proof = a_proof("ft-n")
    challenge = publish("ft-n", DAY)
    challenge.refresh_from_db()
    moves = len(proof.log.split())
    assert (challenge.winning_log, challenge.par) == (proof.log, moves)
    assert (challenge.search_seconds, challenge.solver_version) == (proof.seconds, proof.solver_version)
    assert challenge.difficulty in ("easy", "medium", "hard")


@pytest.mark.parametrize(
    "spoil", [lambda log: log[:-3], lambda log: "d", lambda log: log + " d", lambda log: "x" + log]
)
def test_a_wrong_winning_log_can_not_be_stored(spoil: Callable[[str], str]) -> None:
    proof = a_proof("ft-n")
    wrong = replace(proof, log=spoil(proof.log))
    with pytest.raises(NotWon):
        publish_daily(date=DAY, proof=wrong, now=NOON)
    with pytest.raises(NotWon):
        publish_daily(date=DAY, proof=replace(proof, code=a_proof("ft-n", 1).code), now=NOON)
    search = event().searches.get()
    with pytest.raises(NotWon):
        publishing.end_search(search_id=search.pk, proof=wrong, state="proven", now=NOON)
    assert not Challenge.objects.exclude(winning_log=None).exists()

    challenge = publish("ft-n", DAY)
    with pytest.raises(ValueError, match="saving the challenge"):
        Challenge.objects.update(winning_log=wrong.log)
    with pytest.raises(ValueError, match="saving the challenge"):
        Challenge.objects.filter(pk=challenge.pk).update(number=F("number") + 1)
    with pytest.raises(ValueError, match="saving the challenge"):
        Challenge.objects.bulk_update([challenge], ["winning_log"])
    challenge.pk, challenge.date, challenge.winning_log = None, DAY + datetime.timedelta(days=1), wrong.log
    with pytest.raises(NotWon):
        Challenge.objects.bulk_create([challenge])


def test_a_daily_without_a_proof_is_refused_by_the_database() -> None:
    challenge = publish("ft-n", DAY)
    with pytest.raises(IntegrityError, match="challenge_daily_is_proven"), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE games_challenge SET winning_log = NULL, search_seconds = NULL, solver_version = NULL,"
            " difficulty = NULL WHERE id = %s",
            [challenge.pk],
        )


def test_a_window_that_closes_before_it_opens_is_refused() -> None:
    with pytest.raises(PublishingError, match="open before it closes"):
        event(opens_at=NOON, closes_at=NOON)
    with pytest.raises(IntegrityError, match="opens_before"):
        Challenge.objects.create(mode="ft-n", number=5, opens_at=NOON, closes_at=NOON)


def test_missing_dailies_are_named_the_earliest_first() -> None:
    publish("kl-d1n", DAY)
    missing = [str(slot) for slot in missing_dailies(today=DAY, days=2)]
    assert missing[:2] == ["ft-n of 2026-03-29", "kl-d3n of 2026-03-29"]
    assert len(missing) == 5


def test_with_the_solver_away_the_site_says_what_is_missing(nobody: Api) -> None:
    with time_machine.travel(NOON, tick=False):
        publish("kl-d1n", DAY)
        today = nobody.get("challenges/today/").data
        assert ([item["mode"] for item in today["items"]], today["missing"]) == (["kl-d1n"], ["ft-n", "kl-d3n"])


# Events.


def test_an_event_is_hidden_until_it_is_proven(alice: Api) -> None:
    with time_machine.travel(NOON, tick=False):
        challenge = event()
        assert alice.get(f"challenges/{challenge.pk}/").status_code == 404
        assert alice.post(f"challenges/{challenge.pk}/attempts/").status_code == 404
        assert alice.get(f"leaderboards/challenges/{challenge.pk}/").status_code == 404
        proof = a_proof("ft-n", 3)
        state = publishing.end_search(search_id=challenge.searches.get().pk, proof=proof, state="proven", now=NOON)
        assert state == "proven"
        assert alice.start(challenge)["code"] == str(proof.code)
        shown = alice.get("challenges/today/").data["items"]
        assert [(item["title"], item["par"]) for item in shown] == [("Spring cup", len(proof.log.split()))]


def test_a_code_of_ones_own_stays_and_is_said_to_be_not_proven(alice: Api) -> None:
    with time_machine.travel(NOON, tick=False):
        code = Code("ft-n", 77)
        challenge = event(code=code)
        publishing.end_search(search_id=challenge.searches.get().pk, proof=None, state="not_proven", now=NOON)
        challenge.refresh_from_db()
        assert (challenge.code, challenge.published_at) == (code, None)
        publishing.publish_unproven(challenge_id=challenge.pk, now=NOON)
        assert alice.get(f"challenges/{challenge.pk}/").data["par"] is None
        assert alice.start(challenge)["code"] == str(code)
        with pytest.raises(PublishingError, match="published already"):
            publishing.publish_unproven(challenge_id=challenge.pk, now=NOON)


def test_a_deal_proven_to_have_no_win_can_not_be_let_go() -> None:
    challenge = event(mode="kl-d1n", code=Code("kl-d1n", 12))
    publishing.end_search(search_id=challenge.searches.get().pk, proof=None, state="impossible", now=NOON)
    with pytest.raises(PublishingError, match="has no win"):
        publishing.publish_unproven(challenge_id=challenge.pk, now=NOON)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"mode": "ft"}, "is no mode"),
        ({"code": Code("kl-d1n", 1)}, "not of ft-n"),
        ({"opens_at": NOON - datetime.timedelta(days=9), "closes_at": NOON}, "closed already"),
    ],
)
def test_a_bad_event_is_explained(fields: dict[str, object], message: str) -> None:
    with pytest.raises(PublishingError, match=message):
        event(**fields)


# Swapping.


def test_a_swapped_daily_keeps_its_deal_until_another_is_proven() -> None:
    challenge = publish("ft-n", DAY)
    before = utc("2026-03-28T12:00:00")
    publishing.swap_deal(challenge_id=challenge.pk, now=before)
    search = challenge.searches.get()
    challenge.refresh_from_db()
    assert (search.state, challenge.code) == ("proving", a_proof("ft-n", 0).code)
    new = a_proof("ft-n", 1)
    assert publishing.end_search(search_id=search.pk, proof=new, state="proven", now=before) == "proven"
    challenge.refresh_from_db()
    assert (challenge.code, challenge.winning_log, challenge.par) == (new.code, new.log, len(new.log.split()))


def test_a_deal_whose_window_has_opened_can_not_be_changed() -> None:
    challenge = publish("ft-n", DAY)
    for now in (utc("2026-03-28T23:59:30"), NOON, utc("2026-04-05T00:00:00")):
        with pytest.raises(PublishingError, match="its deal stays"):
            publishing.swap_deal(challenge_id=challenge.pk, now=now)


def test_a_swap_that_is_proven_too_late_is_dropped() -> None:
    challenge = publish("ft-n", DAY)
    publishing.swap_deal(challenge_id=challenge.pk, now=utc("2026-03-28T12:00:00"))
    search = challenge.searches.get()
    assert publishing.end_search(search_id=search.pk, proof=a_proof("ft-n", 1), state="proven", now=NOON) == "dropped"
    challenge.refresh_from_db()
    assert challenge.code == a_proof("ft-n", 0).code


def test_a_second_swap_takes_the_place_of_the_first_and_can_be_taken_back() -> None:
    challenge = publish("ft-n", DAY)
    before = utc("2026-03-28T12:00:00")
    publishing.swap_deal(challenge_id=challenge.pk, now=before)
    publishing.swap_deal(challenge_id=challenge.pk, code=Code("ft-n", 99), now=before)
    first, second = challenge.searches.order_by("id")
    assert (first.state, second.state, second.number) == ("dropped", "proving", 99)
    publishing.drop_search(challenge_id=challenge.pk, now=before)
    assert publishing.end_search(search_id=second.pk, proof=a_proof("ft-n", 1), state="proven", now=before) == "dropped"
    challenge.refresh_from_db()
    assert challenge.code == a_proof("ft-n", 0).code
    with pytest.raises(PublishingError, match="already used"):
        publishing.swap_deal(challenge_id=challenge.pk, code=challenge.code, now=before)
    assert Search.objects.filter(state="proving").count() == 0


# Cancelling.


def test_a_cancelled_challenge_vanishes_and_comes_back_with_its_board(alice: Api, bob: Api, daily: Challenge) -> None:
    started = bob.start(daily)
    submission = alice.submit(alice.start(daily), "d d").data["id"]
    verify_pending(clock=timezone.now)
    addresses = [f"challenges/{daily.pk}/", f"leaderboards/challenges/{daily.pk}/"]
    publishing.cancel(challenge_id=daily.pk, now=timezone.now())
    assert [alice.get(address).status_code for address in addresses] == [404, 404]
    assert alice.get(f"submissions/{submission}/").data["best"] is None
    assert alice.get("challenges/today/").data["items"] == []
    assert alice.get(f"deals/{daily.code}/").status_code == 404, "it may come back"
    assert bob.submit(started, "d").status_code == 202, "nothing is lost meanwhile"
    verify_pending(clock=timezone.now)
    publishing.bring_back(challenge_id=daily.pk)
    board = alice.get(addresses[1]).data
    assert board["total"] == 2
    assert alice.get(f"submissions/{submission}/").data["best"]["rank"] == 2


def test_who_did_what_is_kept(django_user_model: type) -> None:
    admin = django_user_model.objects.create_superuser("Ada")  # type: ignore[attr-defined]
    challenge = publish("ft-n", DAY)
    publishing.set_featured(challenge_id=challenge.pk, is_featured=True, by=admin)
    publishing.cancel(challenge_id=challenge.pk, now=NOON, by=admin)
    publishing.bring_back(challenge_id=challenge.pk, by=admin)
    kept = [(row.history_change_reason, row.history_user) for row in challenge.history.order_by("history_id")]
    assert kept == [
        (f"published with {challenge.code}", None),
        ("featured", admin),
        ("cancelled", admin),
        ("brought back", admin),
    ]


def test_a_featured_challenge_comes_first(nobody: Api) -> None:
    with time_machine.travel(NOON, tick=False):
        publish_days(DAY)
        assert [item["mode"] for item in nobody.get("challenges/today/").data["items"]] == ["ft-n", "kl-d1n", "kl-d3n"]
        publishing.set_featured(challenge_id=Challenge.objects.get(mode="kl-d3n").pk, is_featured=True)
        first = nobody.get("challenges/today/").data["items"][0]
        assert (first["mode"], first["is_featured"]) == ("kl-d3n", True)


# Par and the winning log.


def test_the_winning_log_is_shown_only_once_the_challenge_is_over(nobody: Api) -> None:
    challenge = publish("ft-n", DAY)
    proof = a_proof("ft-n")
    with time_machine.travel(NOON, tick=False) as clock:
        shown = nobody.get(f"challenges/{challenge.pk}/").data
        assert (shown["proof"], shown["code"], shown["par"]) == (None, None, len(proof.log.split()))
        assert proof.log not in json.dumps(nobody.get("challenges/").data)
        clock.move_to(utc("2026-03-30T00:05:00"))
        shown = nobody.get(f"challenges/{challenge.pk}/").data
        assert shown["proof"] == {
            "log": proof.log,
            "moves": len(proof.log.split()),
            "solver_version": proof.solver_version,
        }


def test_par_is_kept_back_while_open_if_the_admin_wants_it(nobody: Api) -> None:
    challenge = publish("ft-n", DAY)
    challenge.shows_par = False
    challenge.save()
    with time_machine.travel(NOON, tick=False) as clock:
        assert nobody.get(f"challenges/{challenge.pk}/").data["par"] is None
        clock.move_to(utc("2026-03-30T00:05:00"))
        assert nobody.get(f"challenges/{challenge.pk}/").data["par"] == challenge.par


def test_a_win_in_fewer_moves_lowers_par(alice: Api, bob: Api, daily: Challenge, won_log: str) -> None:
    assert daily.par == 315
    Challenge.objects.filter(pk=daily.pk).get()
    with connection.cursor() as cursor:
        cursor.execute("UPDATE games_challenge SET par = 320 WHERE id = %s", [daily.pk])
    alice.submit(alice.start(daily), won_log)
    bob.submit(bob.start(daily), "d " + "u " + won_log)
    verify_pending(clock=timezone.now)
    daily.refresh_from_db()
    assert daily.par == 315


# The command.


def test_the_command_takes_proofs_from_a_file() -> None:
    out = StringIO()
    call_command("publish_daily", "--proofs", str(PROOFS), "--date", "2026-05-01", "--days", "2", stdout=out)
    assert Challenge.objects.filter(date__in=["2026-05-01", "2026-05-02"]).count() == 6
    assert "ft-n of 2026-05-02: FT1-N-" in out.getvalue()
    call_command("publish_daily", "--proofs", str(PROOFS), "--date", "2026-05-01", "--days", "2", stdout=out)
    assert "nothing to publish" in out.getvalue()


def test_the_command_explains(tmp_path: Path) -> None:
    publish("ft-n", DAY)
    with pytest.raises(CommandError, match="already published, with another"):
        call_command("publish_daily", "--code", "FT1-N-QVQVQVQ", "--date", str(DAY))
    with pytest.raises(CommandError, match="deal code"):
        call_command("publish_daily", "--code", "XX")
    with pytest.raises(CommandError, match="not of ft-n"):
        call_command("publish_daily", "--mode", "ft-n", "--code", "KL1-D1N-AAAAAAA")
    with pytest.raises(CommandError, match="No such file"):
        call_command("publish_daily", "--proofs", str(tmp_path / "y"))
    (tmp_path / "bad").write_text('{"code": "FT1-N-AAAAAAA"}\n')
    with pytest.raises(CommandError, match="is no line of a file of solve_sample"):
        call_command("publish_daily", "--proofs", str(tmp_path / "bad"))
    (tmp_path / "few").write_text("")
    with pytest.raises(CommandError, match="has no proof left for kl-d1n"):
        call_command("publish_daily", "--proofs", str(tmp_path / "few"), "--date", str(DAY))


# Secrecy.


def test_no_answer_shows_the_deal_of_an_open_or_coming_challenge(new_guest: Callable[[], Api]) -> None:
    """Everything that the API answers to others is searched for the codes of today and tomorrow."""
    with time_machine.travel(utc("2026-03-29T12:00:00"), tick=False) as clock:
        player, other = new_guest(), new_guest()
        dailies = publish_days(DAY, days=2)
        today = [challenge for challenge in dailies if challenge.date == DAY]
        for challenge in today:
            player.start(challenge)
        addresses = ["challenges/today/", "challenges/", "players/me/", "schema/?format=json"]
        addresses += [f"challenges/{c.pk}/{part}" for c in dailies for part in ("", "attempts/")]
        addresses += [f"leaderboards/challenges/{c.pk}/{part}" for c in dailies for part in ("", "distribution/")]
        for challenge in dailies:
            for address in addresses:
                assert str(challenge.code)[-7:] not in json.dumps(other.get(address).data)
            for prefix in ("KL1-D1N", "KL1-D3N", "KL1-D1V", "KL1-D3V") if challenge.family == "KL1" else ("FT1-N",):
                code = f"{prefix}-{str(challenge.code)[-7:]}"
                assert player.get(f"deals/{code}/").status_code == 404
                assert player.post(f"deals/{code}/verify/", {"log": "d"}).status_code == 404
        clock.move_to(utc("2026-03-30T00:04:59"))
        assert other.get(f"challenges/{today[0].pk}/").data["deal"] is None, "the grace period is secret too"
        clock.move_to(utc("2026-03-30T00:05:00"))
        shown = other.get(f"challenges/{today[0].pk}/").data
        assert shown["code"] == shown["deal"]["code"] == str(today[0].code)
        assert other.get(f"deals/{today[0].code}/").status_code == 200


def test_an_attempt_can_not_start_once_the_window_has_closed(new_guest: Callable[[], Api]) -> None:
    with time_machine.travel(utc("2026-03-29T12:00:00"), tick=False) as clock:
        player = new_guest()
        challenge = publish("ft-n", DAY)
        clock.move_to(utc("2026-03-30T00:00:00"))
        answer = player.post(f"challenges/{challenge.pk}/attempts/")
        assert (answer.status_code, answer.data["error"]["code"]) == (409, "challenge_closed")


def test_an_open_attempt_is_returned_after_the_window_too(new_guest: Callable[[], Api]) -> None:
    with time_machine.travel(utc("2026-03-29T23:59:59"), tick=False) as clock:
        player = new_guest()
        challenge = publish("ft-n", DAY)
        attempt = player.start(challenge)
        clock.move_to(utc("2026-03-30T00:00:01"))
        assert player.start(challenge)["id"] == attempt["id"]


def test_others_replays_are_shown_only_once_the_challenge_is_over(new_guest: Callable[[], Api]) -> None:
    """Promise 7: no spoilers."""
    with time_machine.travel(utc("2026-03-29T12:00:00"), tick=False) as clock:
        player, other = new_guest(), new_guest()
        challenge = publish("ft-n", DAY)
        submission = player.submit(player.start(challenge), "d d").data["id"]
        assert player.get(f"submissions/{submission}/replay/").data["log"] == "d d"
        assert other.get(f"submissions/{submission}/replay/").status_code == 404
        clock.move_to(utc("2026-03-30T00:05:00"))
        assert other.get(f"submissions/{submission}/replay/").data["code"] == str(challenge.code)
