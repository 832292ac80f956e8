"""/clubs/...: for members, for owners, for those who were invited, and for nobody else."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from games.models import Player
from games.services import moderation
from leaderboards.models import Club
from leaderboards.services import clubs
from tests.leaderboards.stage import make_daily, place

from .conftest import Visit, links_of, text_of

pytestmark = [pytest.mark.usefixtures("sunday"), pytest.mark.django_db]


@pytest.fixture
def kings(visit: Visit) -> Club:
    """A club of alice's, with bob."""
    for name in ("alice", "bob", "charlie"):
        visit(name)
    ids = dict(Player.objects.values_list("name", "pk"))
    club = clubs.create_club(player_id=ids["alice"], name="The Kings", now=timezone.now())
    clubs.join_club(player_id=ids["bob"], code=club.code, now=timezone.now())
    return club


def test_a_club_is_made_by_its_form(visit: Visit) -> None:
    alice = visit("alice")
    assert "You aren't in a club yet" in text_of(alice.get("/clubs/"))
    done = alice.post("/clubs/", {"name": " The  Kings "}, follow=True)
    club = Club.objects.get()
    assert done.redirect_chain == [(f"/clubs/{club.pk}/", 302)]
    said = text_of(done)
    assert "The Kings" in said and club.code in said and "1 member of at most 100" in said
    assert f"http://testserver/clubs/join/{club.code}/" in done.content.decode()
    assert "The Kings 1 member · yours" in text_of(alice.get("/clubs/"))


@pytest.mark.parametrize(
    ("name", "problem"), [("", "A club's name has 3 to"), ("the kings", "There is a club named the kings already")]
)
def test_a_refused_name_is_explained_and_kept_in_the_form(visit: Visit, kings: Club, name: str, problem: str) -> None:
    answer = visit("charlie").post("/clubs/", {"name": name})
    assert problem in text_of(answer) and f'name="name" value="{name}"' in answer.content.decode()
    assert Club.objects.count() == 1


def test_an_invitation_names_the_club_and_asks(visit: Visit, kings: Club) -> None:
    charlie = visit("charlie")
    typed = charlie.get("/clubs/join/", {"code": f" {kings.code[:5].lower()}-{kings.code[5:]} "})
    assert typed.headers["Location"] == f"/clubs/join/{kings.code}/"
    asked = charlie.get(typed.headers["Location"])
    assert "Join The Kings?" in text_of(asked) and "A club of alice, with 2 members." in text_of(asked)
    assert not kings.memberships.filter(player__name="charlie").exists()
    joined = charlie.post(f"/clubs/join/{kings.code}/")
    assert joined.headers["Location"] == f"/clubs/{kings.pk}/"
    assert charlie.get(f"/clubs/join/{kings.code}/").headers["Location"] == f"/clubs/{kings.pk}/"
    assert "charlie you" in text_of(charlie.get(f"/clubs/{kings.pk}/"))


def test_who_isnt_signed_in_is_told_how_and_comes_back(client: Client, kings: Club) -> None:
    address = f"/clubs/join/{kings.code}/"
    answer = client.get(address)
    assert "Join The Kings?" in text_of(answer) and f"/account/?next={address}" in links_of(answer)
    assert "bob" not in text_of(answer)
    assert client.post(address).status_code == 200
    assert kings.memberships.count() == 2
    assert "/account/?next=/clubs/" in links_of(client.get("/clubs/"))


def test_a_guest_can_join_and_is_told_what_an_account_keeps(visit: Visit, kings: Club) -> None:
    Player.objects.create(name="Guest", is_guest=True)
    guest = visit("Guest")
    assert "You play as a guest" in text_of(guest.get(f"/clubs/join/{kings.code}/"))
    assert guest.post(f"/clubs/join/{kings.code}/").status_code == 302


def test_invitations_that_lead_nowhere_say_so(visit: Visit, kings: Club, settings: Any) -> None:
    wrong = visit("charlie").get("/clubs/join/AAAAAAAAAA/")
    assert wrong.status_code == 404 and "This invitation leads nowhere" in text_of(wrong)
    assert visit("charlie").get("/clubs/join/", {"code": "-"}).headers["Location"] == "/clubs/"
    settings.QV_CLUB_SIZE = 2
    full = visit("charlie")
    assert "The club is full" in text_of(full.get(f"/clubs/join/{kings.code}/"))
    assert "2 players are taken at most" in text_of(full.post(f"/clubs/join/{kings.code}/"))


def test_a_club_is_for_its_members(visit: Visit, client: Client, kings: Club) -> None:
    assert visit("bob").get(f"/clubs/{kings.pk}/").status_code == 200
    for stranger in (client, visit("charlie")):
        for path in ("", "leave/", "owner/", "code/", "remove/", "name/", "dissolve/"):
            form = {"player": "bob", "name": "Ours", "confirm": "The Kings"}
            address = f"/clubs/{kings.pk}/{path}"
            answer = stranger.get(address) if path == "" else stranger.post(address, form)
            assert answer.status_code == 404, path
            assert "Kings" not in answer.content.decode() and kings.code not in answer.content.decode()
    kings.refresh_from_db()
    assert (kings.name, kings.memberships.count()) == ("The Kings", 2)


def test_what_only_the_owner_may(visit: Visit, kings: Club) -> None:
    bob = visit("bob")
    content = bob.get(f"/clubs/{kings.pk}/").content.decode()
    assert "Remove from the club" not in content and "Make a new invitation" not in content
    for path in ("owner/", "code/", "remove/", "name/", "dissolve/"):
        form = {"player": "alice", "name": "Ours", "confirm": "The Kings"}
        done = bob.post(f"/clubs/{kings.pk}/{path}", form, follow=True)
        assert "Only the club's owner can do that." in text_of(done)
    old_code = kings.code
    alice = visit("alice")
    assert "another name now" in text_of(alice.post(f"/clubs/{kings.pk}/name/", {"name": "Queens"}, follow=True))
    assert "a new invitation" in text_of(alice.post(f"/clubs/{kings.pk}/code/", follow=True))
    assert "There is no such member" in text_of(
        alice.post(f"/clubs/{kings.pk}/remove/", {"player": "charlie"}, follow=True)
    )
    assert "bob is no longer in the club" in text_of(
        alice.post(f"/clubs/{kings.pk}/remove/", {"player": "bob"}, follow=True)
    )
    kings.refresh_from_db()
    assert kings.name == "Queens" and kings.code != old_code
    assert bob.get(f"/clubs/{kings.pk}/").status_code == 404


def test_an_owner_hands_over_before_leaving(visit: Visit, kings: Club) -> None:
    alice = visit("alice")
    assert "To leave the club, make another member its owner first" in text_of(alice.get(f"/clubs/{kings.pk}/"))
    assert "hand it over or dissolve it" in text_of(alice.post(f"/clubs/{kings.pk}/leave/", follow=True))
    assert "The club is bob's now." in text_of(alice.post(f"/clubs/{kings.pk}/owner/", {"player": "bob"}, follow=True))
    left = alice.post(f"/clubs/{kings.pk}/leave/", follow=True)
    assert "You have left the club." in text_of(left) and "The Kings" not in text_of(left)
    ended = visit("bob").post(f"/clubs/{kings.pk}/leave/", follow=True)
    assert ended.status_code == 200 and not Club.objects.exists()


def test_an_owner_dissolves_a_club_by_its_name(visit: Visit, kings: Club) -> None:
    alice = visit("alice")
    kept = alice.post(f"/clubs/{kings.pk}/dissolve/", {"confirm": "the kings"}, follow=True)
    assert "Send the club's name" in text_of(kept) and Club.objects.exists()
    done = alice.post(f"/clubs/{kings.pk}/dissolve/", {"confirm": "The Kings"}, follow=True)
    assert done.redirect_chain == [("/clubs/", 302)] and "The club is dissolved." in text_of(done)
    assert not Club.objects.exists()


def test_todays_boards_among_the_members_and_the_way_to_all_others(visit: Visit, kings: Club) -> None:
    today = make_daily("ft-n", datetime.date(2026, 3, 29))
    make_daily("kl-d1n", datetime.date(2026, 3, 29))
    for name, score in (("charlie", 90), ("bob", 80), ("alice", 70)):
        place(today, name, score=score)
    answer = visit("alice").get(f"/clubs/{kings.pk}/")
    said = text_of(answer)
    assert "1 bob 80 2 alice 70" in said and "charlie" not in said
    assert "Nobody of you has played yet." in said
    for mode in ("ft-n", "kl-d1n", "kl-d3n"):
        for board in ("", "week/", "month/", "all/"):
            assert f"/boards/{mode}/{board}?club={kings.pk}" in links_of(answer)


def test_the_banned_make_and_join_no_clubs_and_are_told_why(visit: Visit, kings: Club) -> None:
    charlie = visit("charlie")
    ada = Player.objects.create_superuser("Ada")
    until = timezone.now() + datetime.timedelta(days=2)
    moderation.ban_player(
        player_id=Player.objects.get(name="charlie").pk, reason="a bot", until=until, now=timezone.now(), by=ada
    )
    # Whoever is banned reads on; the ban ended the session, and signing in again is allowed.
    charlie.force_login(Player.objects.get(name="charlie"))
    assert "You are banned until 2026-03-31 12:00 UTC: a bot" in text_of(charlie.post("/clubs/", {"name": "Bots"}))
    assert "You are banned" in text_of(charlie.post(f"/clubs/join/{kings.code}/"))
    assert kings.memberships.count() == 2
