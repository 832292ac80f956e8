"""The admin of challenges: the calendar, the page of a challenge, and its buttons."""

from __future__ import annotations

import datetime
import json
import re
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from games.engine import Code, Deal, verify
from games.models import Challenge, Player
from games.services import publishing
from games.services.frames import frames
from games.services.verification import verify_pending
from tests.conftest import Api, utc
from tests.dailies import a_proof, publish, publish_days

pytestmark = pytest.mark.django_db
DAY = datetime.date(2026, 3, 29)
NOON = utc("2026-03-29T12:00:00")
CALENDAR = "/admin/games/challenge/calendar/"


@pytest.fixture
def ada(db: None) -> Player:
    return Player.objects.create_superuser("Ada")


@pytest.fixture
def admin(ada: Player) -> Client:
    client = Client(enforce_csrf_checks=False)
    client.force_login(ada)
    return client


def page(challenge: Challenge) -> str:
    return f"/admin/games/challenge/{challenge.pk}/change/"


def do(client: Client, challenge: Challenge, what: str, **fields: str) -> list[str]:
    """The messages after a button was pressed."""
    answer = client.post(f"/admin/games/challenge/{challenge.pk}/do/", {"what": what, **fields}, follow=True)
    assert answer.status_code == 200
    return [str(message) for message in answer.context["messages"]]


def test_the_calendar_shows_what_is_there_and_what_is_missing(admin: Client) -> None:
    with time_machine.travel(NOON, tick=False):
        challenge = publish("ft-n", DAY)
        text = admin.get(CALENDAR).content.decode()
        assert "41 dailies are missing" in text and "the first is kl-d1n of 2026-03-29" in text
        assert text.count(">missing<") == 2 + 3 * 7, "the days of April that the last week shows are planned too"
        assert page(challenge) in text and f"par {challenge.par}" in text
        assert (
            "March 2026" in text
            and "missing" not in admin.get(f"{CALENDAR}?month=2026-01").content.decode().split("qv-calendar")[1]
        )
        publish_days(DAY, days=14)
        assert "All dailies of the next 14 days are proven" in admin.get(CALENDAR).content.decode()


@pytest.mark.parametrize("month", ["", "2026-02", "x", "2026-13", "0000-01", "9999-11"])
def test_any_month_can_be_asked_for(admin: Client, month: str) -> None:
    assert admin.get(f"{CALENDAR}?month={month}").status_code == 200


def test_the_first_page_says_what_is_missing(admin: Client) -> None:
    assert "dailies are missing" in admin.get("/admin/").content.decode()


def test_the_page_of_a_challenge_shows_deal_proof_par_and_board(admin: Client, alice: Api, daily: Challenge) -> None:
    alice.submit(alice.start(daily), "d d")
    verify_pending(clock=timezone.now)
    text = admin.get(page(daily)).content.decode()
    for word in (str(daily.code), "315", "medium", alice.name, "published with"):
        assert word in text
    found = re.search(r'<script id="replay-frames" type="application/json">(.*?)</script>', text)
    assert found and len(json.loads(found[1])) == 316


@pytest.mark.parametrize("mode", ["ft-n", "kl-d3n"])
def test_frames_lead_from_the_deal_to_the_win(mode: str) -> None:
    proof = a_proof(mode)
    deal = Deal.parse(proof.code)
    shown = frames(deal, proof.log)
    piles: dict[str, list[str]] = {}
    for frame in shown:
        piles |= frame["piles"]
        assert sum(map(len, piles.values())) == (104 if mode == "ft-n" else 52), "no card is lost or doubled"
    assert all(len(cards) == (13 if name.isdigit() else 0) for name, cards in piles.items())
    assert shown[-1]["score"] == verify(deal, proof.log).score
    if mode == "kl-d3n":
        assert [len([card for card in shown[0]["piles"][name] if card[0] == "?"]) for name in "abcdefg"] == [*range(7)]


def test_a_deal_is_swapped_before_it_opens_and_the_page_says_how_it_goes(admin: Client, ada: Player) -> None:
    challenge = publish("ft-n", DAY)
    with time_machine.travel(utc("2026-03-28T12:00:00"), tick=False):
        assert "present one stays" in do(admin, challenge, "swap")[0]
        assert "proving..." in admin.get(page(challenge)).content.decode()
        assert "proving..." in admin.get(CALENDAR).content.decode()
        assert "told to leave it" in do(admin, challenge, "drop_search")[0]
        assert "not of ft-n" in do(admin, challenge, "swap", code="KL1-D1N-AAAAAAA")[0]
        assert "deal code" in do(admin, challenge, "swap", code="nonsense")[0]
        do(admin, challenge, "swap", code="FT1-N-AAAAAAA")
        search = challenge.searches.order_by("-id")[0]
        assert (search.number, search.asked_by) == (0, ada)
        publishing.end_search(search_id=search.pk, proof=None, state="not_proven", now=timezone.now())
        assert "not proven" in admin.get(page(challenge)).content.decode()
    with time_machine.travel(NOON, tick=False):
        assert "its deal stays" in do(admin, challenge, "swap")[0]
        assert "Swap deal" not in admin.get(page(challenge)).content.decode()


def test_cancelling_featuring_and_taking_it_back_are_in_the_history(admin: Client, ada: Player) -> None:
    challenge = publish("ft-n", DAY)
    for what in ("feature", "unfeature", "cancel", "bring_back"):
        do(admin, challenge, what)
    text = admin.get(page(challenge)).content.decode()
    for words in ("featured", "no longer featured", "cancelled", "brought back"):
        assert words in text
    assert set(challenge.history.values_list("history_user", flat=True)) == {None, ada.pk}
    assert "nothing that can be done" in do(admin, challenge, "explode")[0]


def event_fields(**fields: str) -> dict[str, str]:
    window = {"opens_at_0": "2026-04-01", "opens_at_1": "10:00", "closes_at_0": "2026-04-02", "closes_at_1": "10:00"}
    return {"title": "Spring cup", "mode": "ft-n", "code": "", "shows_par": "on", **window, **fields}


def test_an_event_is_published_and_waits_for_its_proof(admin: Client, ada: Player) -> None:
    with time_machine.travel(NOON, tick=False):
        answer = admin.post("/admin/games/challenge/add/", event_fields(code="ft1-n-qvqvqvq"), follow=True)
        event = Challenge.objects.get()
        assert "once its deal is proven" in answer.content.decode() and "proving..." in answer.content.decode()
        assert (event.code, event.title) == (Code.parse("FT1-N-QVQVQVQ"), "Spring cup")
        assert event.opens_at == utc("2026-04-01T10:00:00")
        publishing.end_search(search_id=event.searches.get().pk, proof=None, state="not_proven", now=NOON)
        assert "Published without a proof" in do(admin, event, "publish_unproven")[0]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"code": "XX"}, "deal code"),
        ({"code": "KL1-D1N-AAAAAAA"}, "not of ft-n"),
        ({"title": ""}, "required"),
        ({"closes_at_0": "2026-03-01"}, "open before it closes"),
        ({"opens_at_0": "2026-03-01", "closes_at_0": "2026-03-02"}, "closed already"),
        ({"opens_at_0": "x"}, "valid date"),
    ],
)
def test_a_bad_event_is_explained_on_the_form(admin: Client, fields: dict[str, str], message: str) -> None:
    with time_machine.travel(NOON, tick=False):
        answer = admin.post("/admin/games/challenge/add/", event_fields(**fields))
        assert answer.status_code == 200 and message in answer.content.decode()
    assert Challenge.objects.count() == 0


def test_title_and_par_can_be_edited_and_the_deal_can_not(admin: Client, ada: Player) -> None:
    challenge = publish("ft-n", DAY)
    admin.post(page(challenge), {"title": "Easter", "number": "5", "winning_log": "d", "opens_at_0": "2020-01-01"})
    edited = Challenge.objects.get()
    assert (edited.title, edited.shows_par) == ("Easter", False)
    assert (edited.number, edited.winning_log, edited.opens_at) == (
        challenge.number,
        challenge.winning_log,
        challenge.opens_at,
    )
    assert challenge.history.latest("history_id").history_user == ada


@pytest.mark.parametrize("address", [CALENDAR, "/admin/games/challenge/add/", "/admin/games/challenge/", "/admin/"])
def test_only_staff_get_in(alice: Api, address: str) -> None:
    player = Player.objects.get(name=alice.name)
    client = Client()
    assert client.get(address).status_code == 302
    client.force_login(player)
    assert client.get(address).status_code == 302


def test_buttons_need_post_a_token_and_the_right(ada: Player, alice: Api) -> None:
    challenge = publish("ft-n", DAY)
    address = f"/admin/games/challenge/{challenge.pk}/do/"
    strict: Any = Client(enforce_csrf_checks=True)
    strict.force_login(ada)
    assert strict.get(f"{address}?what=cancel").status_code == 405
    assert strict.post(address, {"what": "cancel"}).status_code == 403
    staff = Player.objects.create_user("Bert", is_staff=True)
    client = Client()
    client.force_login(staff)
    assert client.post(address, {"what": "cancel"}).status_code == 403
    assert client.get(CALENDAR).status_code == 403
    challenge.refresh_from_db()
    assert challenge.cancelled_at is None
