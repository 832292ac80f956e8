"""Publishing dailies, and keeping their deals to their players."""

from __future__ import annotations

import datetime
import itertools
import json
from collections.abc import Callable
from io import StringIO

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.db import IntegrityError
from django.utils import timezone

from games.engine import Code
from games.models import Challenge
from games.services.publishing import PublishingError, publish_dailies, publish_daily
from tests.conftest import Api, utc

pytestmark = pytest.mark.django_db
DAY = datetime.date(2026, 3, 29)


def test_a_daily_is_open_from_midnight_to_midnight_utc_on_the_day_clocks_change() -> None:
    """habitica #3231: a day that ended with a DST change counted twice. UTC dates, whatever the clocks do."""
    challenge, is_new = publish_daily(mode="ft-n", date=DAY)
    assert is_new
    assert (challenge.opens_at, challenge.closes_at) == (utc("2026-03-29T00:00:00"), utc("2026-03-30T00:00:00"))


def test_publishing_again_returns_what_is_there() -> None:
    first, _ = publish_daily(mode="ft-n", date=DAY)
    again, is_new = publish_daily(mode="ft-n", date=DAY)
    assert (again, is_new) == (first, False)


def test_a_code_is_used_once_even_under_another_prefix() -> None:
    code = Code.parse("KL1-D1N-AAAAAAG")
    publish_daily(mode="kl-d1n", date=DAY, code=code)
    with pytest.raises(PublishingError, match="already used"):
        publish_daily(mode="kl-d3n", date=DAY, code=Code("kl-d3n", code.number))
    publish_daily(mode="ft-n", date=DAY, code=Code("ft-n", code.number))


def test_a_published_day_keeps_its_deal() -> None:
    publish_daily(mode="ft-n", date=DAY)
    with pytest.raises(PublishingError, match="already published"):
        publish_daily(mode="ft-n", date=DAY, code=Code("ft-n", 1))


@pytest.mark.parametrize("mode", ["kl", "FT-N", ""])
def test_an_unknown_mode_is_named(mode: str) -> None:
    with pytest.raises(PublishingError, match="is no mode"):
        publish_daily(mode=mode, date=DAY)


def test_codes_are_neither_sequential_nor_repeated() -> None:
    made = publish_dailies(today=DAY, days=14)
    numbers = [challenge.number for challenge in made]
    assert len(made) == 14 * 3 and len(set(numbers)) == len(numbers)
    assert all(abs(a - b) > 1 for a, b in itertools.pairwise(numbers))
    assert publish_dailies(today=DAY, days=14) == []


def test_a_window_that_closes_before_it_opens_is_refused_by_the_database() -> None:
    now = timezone.now()
    with pytest.raises(IntegrityError, match="opens_before"):
        Challenge.objects.create(mode="ft-n", family="FT1", number=5, opens_at=now, closes_at=now)


def test_the_command_publishes_and_explains() -> None:
    out = StringIO()
    call_command("publish_daily", "--mode", "kl-d3v", "--date", "2026-05-01", "--code", "kl1-d3v-qvqvqvq", stdout=out)
    assert "published kl-d3v of 2026-05-01" in out.getvalue()
    with pytest.raises(CommandError, match="already used"):
        call_command("publish_daily", "--code", "KL1-D1N-QVQVQVQ")
    with pytest.raises(CommandError, match="deal code"):
        call_command("publish_daily", "--code", "XX")
    with pytest.raises(CommandError, match="not of ft-n"):
        call_command("publish_daily", "--mode", "ft-n", "--code", "KL1-D1N-AAAAAAA")


def test_no_answer_shows_the_deal_of_an_open_or_coming_challenge(new_guest: Callable[[], Api]) -> None:
    """Everything that the API answers to others is searched for the codes of today and tomorrow."""
    with time_machine.travel(utc("2026-03-29T12:00:00"), tick=False) as clock:
        player, other = new_guest(), new_guest()
        dailies = publish_dailies(today=DAY, days=2)
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
        challenge, _ = publish_daily(mode="ft-n", date=DAY)
        clock.move_to(utc("2026-03-30T00:00:00"))
        answer = player.post(f"challenges/{challenge.pk}/attempts/")
        assert (answer.status_code, answer.data["error"]["code"]) == (409, "challenge_closed")


def test_an_open_attempt_is_returned_after_the_window_too(new_guest: Callable[[], Api]) -> None:
    with time_machine.travel(utc("2026-03-29T23:59:59"), tick=False) as clock:
        player = new_guest()
        challenge, _ = publish_daily(mode="ft-n", date=DAY)
        attempt = player.start(challenge)
        clock.move_to(utc("2026-03-30T00:00:01"))
        assert player.start(challenge)["id"] == attempt["id"]


def test_others_replays_are_shown_only_once_the_challenge_is_over(new_guest: Callable[[], Api]) -> None:
    """Promise 7: no spoilers."""
    with time_machine.travel(utc("2026-03-29T12:00:00"), tick=False) as clock:
        player, other = new_guest(), new_guest()
        challenge, _ = publish_daily(mode="ft-n", date=DAY)
        submission = player.submit(player.start(challenge), "d d").data["id"]
        assert player.get(f"submissions/{submission}/replay/").data["log"] == "d d"
        assert other.get(f"submissions/{submission}/replay/").status_code == 404
        clock.move_to(utc("2026-03-30T00:05:00"))
        assert other.get(f"submissions/{submission}/replay/").data["code"] == str(challenge.code)
