"""The pages on which games are watched, as the server renders them."""

from __future__ import annotations

import datetime
import json
import re
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone, translation

from games.engine import Deal, verify
from games.models import Challenge, Player, Submission
from games.pages.curve import draw
from games.pages.game_words import tell
from games.services.verification import verify_pending
from tests.conftest import Api
from tests.dailies import a_proof, publish

pytestmark = pytest.mark.django_db


def signed_in(api: Api) -> Client:
    """A browser in which that player is signed in."""
    client = Client()
    client.force_login(Player.objects.get(name=api.name))
    return client


def played(api: Api, challenge: Challenge, log: str, **fields: Any) -> int:
    """The number of a game that was submitted and has its verdict."""
    answer = api.submit(api.start(challenge), log, **fields)
    verify_pending(clock=timezone.now)
    return int(answer.data["id"])


def end(challenge: Challenge) -> None:
    """Let a challenge be over: its grace period has passed as well."""
    now = timezone.now()
    Challenge.objects.filter(pk=challenge.pk).update(
        opens_at=now - datetime.timedelta(days=2), closes_at=now - datetime.timedelta(hours=1)
    )


def data_of(content: str) -> dict[str, Any]:
    match = re.search(r'<script id="replay-data" type="application/json">(.*?)</script>', content, re.DOTALL)
    assert match
    found: dict[str, Any] = json.loads(match[1])
    return found


def test_ones_own_game_can_be_watched_at_once_others_only_when_all_is_over(
    client: Client, daily: Challenge, alice: Api, bob: Api, won_log: str
) -> None:
    game = played(alice, daily, won_log, times=[n * 500 for n in range(len(won_log.split()))])
    address = f"/games/{game}/replay/"
    assert signed_in(alice).get(address).status_code == 200
    for visitor in (client, signed_in(bob)):
        refused = visitor.get(address)
        assert refused.status_code == 404
        assert str(daily.code) not in refused.content.decode()
    end(daily)
    for visitor in (client, signed_in(bob)):
        assert visitor.get(address).status_code == 200
    Player.objects.filter(name=alice.name).update(is_banned=True, banned_at=timezone.now())
    assert client.get(address).status_code == 404
    assert signed_in(alice).get(address).status_code == 200


def test_a_replay_tells_every_action_with_the_score_after_it(daily: Challenge, alice: Api, won_log: str) -> None:
    game = played(alice, daily, won_log, times=[n * 500 for n in range(len(won_log.split()))])
    content = signed_in(alice).get(f"/games/{game}/replay/").content.decode()
    scores = re.findall(r'<span class="score">([\d,]+)</span>', content)
    assert len(scores) == len(won_log.split()) + 1
    assert (scores[0], scores[-1]) == ("0", "1,230")
    shown = data_of(content)["games"][0]
    assert (shown["log"], len(shown["times"])) == (won_log, len(won_log.split()))
    assert alice.name in content


def test_a_rejected_game_is_shown_up_to_the_action_to_blame(daily: Challenge, alice: Api) -> None:
    game = played(alice, daily, "d d aa d", times=[1, 2, 3, 4])
    page = signed_in(alice).get(f"/games/{game}/replay/")
    content = page.content.decode()
    assert "rejected" in content
    shown = data_of(content)["games"][0]
    assert (shown["log"], shown["times"]) == ("d d", [1, 2])


def test_a_game_that_waits_for_its_verdict_can_be_watched(daily: Challenge, alice: Api) -> None:
    game = alice.submit(alice.start(daily), "d aa d").data["id"]
    content = signed_in(alice).get(f"/games/{game}/replay/").content.decode()
    assert "is being checked" in content
    assert data_of(content)["games"][0]["log"] == "d"


def test_a_game_on_which_the_engine_broke_is_missing_and_no_error(daily: Challenge, alice: Api) -> None:
    game = played(alice, daily, "d")
    Submission.objects.filter(pk=game).update(state="failed")
    assert signed_in(alice).get(f"/games/{game}/replay/").status_code == 404


def test_a_game_of_no_action_is_a_page_with_the_deal_alone(daily: Challenge, alice: Api) -> None:
    game = played(alice, daily, "")
    content = signed_in(alice).get(f"/games/{game}/replay/").content.decode()
    assert content.count('<li><span class="what"') == 1


@pytest.mark.parametrize("address", ["/games/{}/replay/", "/challenges/{}/replay/", "/compare/{}/1/"])
@pytest.mark.parametrize("number", ["0", "999999", "9" * 30, "9" * 5000])
def test_numbers_that_are_nothing_are_missing(client: Client, db: None, address: str, number: str) -> None:
    assert client.get(address.format(number)).status_code == 404


def test_the_winning_line_is_shown_once_the_challenge_is_over(client: Client, daily: Challenge, won_log: str) -> None:
    address = f"/challenges/{daily.pk}/replay/"
    refused = client.get(address)
    assert refused.status_code == 404
    assert won_log[:60] not in refused.content.decode()
    end(daily)
    content = client.get(address).content.decode()
    assert data_of(content)["games"][0]["log"] == won_log
    Challenge.objects.filter(pk=daily.pk).update(cancelled_at=timezone.now())
    assert client.get(address).status_code == 404


def test_two_games_are_compared_only_where_both_may_be_watched(
    client: Client, daily: Challenge, alice: Api, bob: Api, won_log: str
) -> None:
    one, other = played(alice, daily, "d d d"), played(bob, daily, won_log)
    address = f"/compare/{one}/{other}/"
    assert signed_in(alice).get(address).status_code == 404
    assert signed_in(alice).get(f"/compare/{one}/{one}/").status_code == 200
    end(daily)
    content = client.get(address).content.decode()
    assert [game["log"] for game in data_of(content)["games"]] == ["d d d", won_log]
    assert alice.name in content
    assert bob.name in content
    beside = signed_in(alice).get(f"/games/{other}/replay/").content.decode()
    assert f'href="/compare/{one}/{other}/"' in beside


def test_games_of_two_challenges_are_not_compared(client: Client, daily: Challenge, alice: Api) -> None:
    klondike = publish("kl-d1n", timezone.now().date())
    one, other = played(alice, daily, "d"), played(alice, klondike, "d")
    assert signed_in(alice).get(f"/compare/{one}/{other}/").status_code == 404


def test_a_deleted_player_has_a_name_that_can_be_translated_and_no_page(
    client: Client, daily: Challenge, alice: Api
) -> None:
    game = played(alice, daily, "d")
    end(daily)
    Player.objects.filter(name=alice.name).update(deleted_at=timezone.now(), name=Player.DELETED_NAME, skeleton=None)
    content = client.get(f"/games/{game}/replay/").content.decode()
    assert "deleted player" in content
    assert "/players/deleted" not in content


def test_a_vegas_game_is_told_in_dollars() -> None:
    proof = a_proof("kl-d1v")
    lines = tell(Deal.parse(proof.code), proof.log)
    assert lines[0].score == -52
    assert lines[-1].score == 208
    assert {line.points for line in lines} == {0, 5}


@pytest.mark.parametrize("mode", ["ft-n", "kl-d1n", "kl-d3n", "kl-d1v", "kl-d3v"])
def test_what_is_told_ends_at_the_engines_score(mode: str) -> None:
    proof = a_proof(mode)
    deal = Deal.parse(proof.code)
    lines = tell(deal, proof.log)
    verdict = verify(deal, proof.log)
    assert verdict.won
    assert lines[-1].score == verdict.score
    assert sum(line.points for line in lines[1:]) == verdict.score - lines[0].score
    assert all(line.words for line in lines[1:])


def test_every_kind_of_action_has_its_words() -> None:
    redeal = ["d"] * 16 + ["r"]
    log = "eb e3 3c u ef d we ge g3 gf g4 c4 ge d d d w2 d d d d wc fc3"
    lines = tell(Deal.parse("KL1-D1N-AAAAABR"), " ".join([log, *redeal]))
    told = [line.words for line in lines]
    assert told[1] == "queen of diamonds: from column e to column b; turned up: ace of diamonds"
    assert told[2] == "ace of diamonds: from column e to foundation 3; turned up: 10 of spades"
    assert told[3] == "ace of diamonds: taken back from foundation 3 to column c"
    assert told[4] == f"Undone: {told[3]}"
    assert told[6] == "Drawn: 6 of clubs"
    assert told[7] == "6 of clubs: from the waste to column e"
    assert told[17] == "ace of hearts: from the waste to foundation 2"
    assert told[23] == "jack of hearts and 2 cards on it: from column f to column c; turned up: 3 of hearts"
    assert (told[-1], lines[-1].points) == ("The waste is turned over", -100)
    assert tell(Deal.parse("KL1-D3N-AAAAABR"), "d")[1].words.count(",") == 2


def test_words_are_told_as_far_as_the_rules_go() -> None:
    assert len(tell(Deal.parse("FT1-N-AAAAAAV"), "d d aa d")) == 3


def test_a_curve_steps_where_the_score_changes_and_fits_the_game_beside_it() -> None:
    curve = draw([0, 0, 10, 10], beside=[0, 20, -5, 0, 0, 0])
    assert (curve.width, curve.least, curve.most) == (5, -5, 20)
    assert curve.path.count("V") == 1
    assert curve.path.endswith("H3")
    assert draw([0]).width == 1


def test_replays_speak_the_language_of_their_reader() -> None:
    with translation.override("en"):
        assert tell(Deal.parse("FT1-N-AAAAAAV"), "d")[1].words == "Drawn: 7 of clubs"
