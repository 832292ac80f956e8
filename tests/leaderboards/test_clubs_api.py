"""clubs/...: for members, for owners, for nobody else; and the boards of a club."""

from __future__ import annotations

import datetime
import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from games.models import Player
from games.services.intake import Conflict, NotFound, Refused
from leaderboards.club_names import BadName, clean_name
from leaderboards.models import Club, ClubRenaming, Membership
from leaderboards.services import clubs
from tests.conftest import Api

from .stage import make_daily, place

pytestmark = pytest.mark.django_db(transaction=True)


def make_club(owner: Api, *members: Api, name: str = "The Kings") -> Any:
    made = owner.post("clubs/", {"name": name})
    assert made.status_code == 201, made.data
    for member in members:
        assert member.post(f"clubs/join/{made.data['code']}/").status_code == 201
    return owner.get(f"clubs/{made.data['id']}/").data


def names(club: Any) -> list[str]:
    return [member["player"] for member in club["members"]]


def test_a_club_is_made_joined_by_code_and_shown_to_its_members(alice: Api, bob: Api) -> None:
    club = make_club(alice)
    assert (club["name"], club["owner"], names(club), club["max_members"]) == (
        "The Kings",
        alice.name,
        [alice.name],
        100,
    )
    assert club["members"][0]["is_owner"] and club["link"] == f"/api/v1/clubs/join/{club['code']}/"
    invitation = bob.get(f"clubs/join/{club['code']}/").data
    assert invitation == {"name": "The Kings", "owner": alice.name, "members": 1, "max_members": 100}
    joined = bob.post(f"clubs/join/{club['code'].lower()}/")
    assert joined.status_code == 201 and names(joined.data) == [alice.name, bob.name]
    assert joined.data == bob.get(f"clubs/{club['id']}/").data == alice.get(f"clubs/{club['id']}/").data
    assert bob.get("clubs/").data["items"] == [
        {"id": club["id"], "name": "The Kings", "owner": alice.name, "is_owner": False, "members": 2}
    ]


def test_joining_twice_changes_nothing(alice: Api, bob: Api) -> None:
    club = make_club(alice, bob)
    again = bob.post(f"clubs/join/{club['code']}/")
    assert again.status_code == 200 and names(again.data) == [alice.name, bob.name]


def every_call(club: Any, member: str) -> list[tuple[str, str, Any]]:
    """All calls that concern a club and don't take its code."""
    number = club["id"]
    return [
        ("GET", f"clubs/{number}/", None),
        ("PATCH", f"clubs/{number}/", {"name": "Others"}),
        ("POST", f"clubs/{number}/leave/", None),
        ("POST", f"clubs/{number}/owner/", {"player": member}),
        ("POST", f"clubs/{number}/code/", None),
        ("DELETE", f"clubs/{number}/members/{member}/", None),
        ("DELETE", f"clubs/{number}/", {"confirm": club["name"]}),
    ]


def test_every_call_needs_a_good_token(alice: Api, nobody: Api) -> None:
    club = make_club(alice)
    calls = every_call(club, alice.name)
    calls += [("GET", "clubs/", None), ("POST", "clubs/", {"name": "Others"})]
    calls += [(method, f"clubs/join/{club['code']}/", None) for method in ("GET", "POST")]
    for method, address, body in calls:
        for caller in (nobody, Api("0" * 64)):
            answer = caller.call(method, address, body)
            assert (answer.status_code, answer.data["error"]["code"]) == (401, "not_authenticated"), (method, address)
    assert alice.get(f"clubs/{club['id']}/").data == club


def test_to_who_is_not_in_it_there_is_no_such_club(alice: Api, bob: Api, charlie: Api) -> None:
    club = make_club(alice, bob)
    missing = {"id": 987654321}
    for method, address, body in every_call(club, bob.name):
        answer = charlie.call(method, address, body)
        assert (answer.status_code, answer.data["error"]["code"]) == (404, "not_found"), (method, address)
        nowhere = charlie.call(method, address.replace(str(club["id"]), str(missing["id"]), 1), body)
        assert nowhere.data == answer.data, "nobody can tell a club of others from none"
    assert charlie.get("clubs/").data["items"] == []
    assert alice.get(f"clubs/{club['id']}/").data == club


def test_what_is_the_owners_is_forbidden_to_other_members(alice: Api, bob: Api, charlie: Api) -> None:
    club = make_club(alice, bob, charlie)
    for method, address, body in every_call(club, charlie.name):
        if method != "GET" and "leave" not in address:
            answer = bob.call(method, address, body)
            assert (answer.status_code, answer.data["error"]["code"]) == (403, "forbidden"), (method, address)
    assert alice.get(f"clubs/{club['id']}/").data == club


def test_the_owner_removes_a_member_and_the_old_code_brings_nobody_back(alice: Api, bob: Api) -> None:
    club = make_club(alice, bob)
    after = alice.call("DELETE", f"clubs/{club['id']}/members/{bob.name.upper()}/")
    assert after.status_code == 200 and names(after.data) == [alice.name]
    assert bob.get(f"clubs/{club['id']}/").status_code == 404
    assert bob.post(f"clubs/join/{club['code']}/").status_code == 404
    assert bob.post(f"clubs/join/{after.data['code']}/").status_code == 201
    for name in ("nobody-there", "%00"):
        assert alice.call("DELETE", f"clubs/{club['id']}/members/{name}/").status_code == 404
    assert alice.call("DELETE", f"clubs/{club['id']}/members/{alice.name}/").status_code == 409


def test_the_owner_hands_over_and_only_then_leaves(alice: Api, bob: Api) -> None:
    club = make_club(alice, bob)
    address = f"clubs/{club['id']}/"
    refused = alice.post(f"{address}leave/")
    assert (refused.status_code, refused.data["error"]["code"]) == (409, "owner_stays")
    assert alice.post(f"{address}owner/", {"player": "nobody-there"}).status_code == 404
    assert alice.post(f"{address}owner/", {"player": "\x00"}).status_code == 404
    assert alice.post(f"{address}owner/", {}).status_code == 400
    assert alice.post(f"{address}owner/", {"player": bob.name}).data["owner"] == bob.name
    assert alice.post(f"{address}code/").status_code == 403
    assert alice.post(f"{address}leave/").data["items"] == []
    assert names(bob.get(address).data) == [bob.name]


def test_the_last_one_to_leave_takes_the_club_along(alice: Api) -> None:
    club = make_club(alice)
    assert alice.post(f"clubs/{club['id']}/leave/").status_code == 200
    assert not Club.objects.exists() and not Membership.objects.exists()
    assert alice.post(f"clubs/{club['id']}/leave/").status_code == 404
    make_club(alice, name=club["name"])


def test_the_owner_dissolves_a_club_by_its_name(alice: Api, bob: Api, charlie: Api) -> None:
    club = make_club(alice, bob)
    address, body = f"clubs/{club['id']}/", {"confirm": "The Kings"}
    for caller, sent, status in ((bob, body, 403), (charlie, body, 404), (alice, {"confirm": "the kings"}, 400)):
        assert caller.call("DELETE", address, sent).status_code == status
    assert len(bob.get(address).data["members"]) == 2
    answer = alice.call("DELETE", address, body)
    assert (answer.status_code, answer.data["items"]) == (200, [])
    for caller in (alice, bob):
        assert caller.get(address).status_code == 404
    assert bob.post(f"clubs/join/{club['code']}/").status_code == 404
    assert make_club(bob)["owner"] == bob.name, "the name is free again"


def test_a_new_code_ends_the_old_one(alice: Api, bob: Api) -> None:
    club = make_club(alice)
    code = alice.post(f"clubs/{club['id']}/code/").data["code"]
    assert code != club["code"]
    assert bob.get(f"clubs/join/{club['code']}/").status_code == 404
    assert bob.get(f"clubs/join/{code}/").status_code == 200
    for word in ("%00", "AAAA", "%20", "é"):
        assert bob.post(f"clubs/join/{word}/").status_code == 404


def test_a_full_club_takes_nobody_more(alice: Api, bob: Api, charlie: Api, settings: Any) -> None:
    settings.QV_CLUB_SIZE = 2
    club = make_club(alice, bob)
    answer = charlie.post(f"clubs/join/{club['code']}/")
    assert (answer.status_code, answer.data["error"]["code"]) == (409, "club_full")
    assert bob.post(f"clubs/join/{club['code']}/").status_code == 200


def test_two_who_join_at_once_do_not_overfill_a_club(alice: Api, new_guest: Callable[[], Api], settings: Any) -> None:
    settings.QV_CLUB_SIZE = 3
    club = make_club(alice)
    guests = [new_guest() for _ in range(6)]
    answers: list[int] = []
    barrier = threading.Barrier(len(guests))

    def join(guest: Api) -> None:
        try:
            barrier.wait()
            answers.append(guest.post(f"clubs/join/{club['code']}/").status_code)
        finally:
            connection.close()

    threads = [threading.Thread(target=join, args=[guest]) for guest in guests]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [201, 201, 409, 409, 409, 409]
    assert Membership.objects.count() == 3


def test_a_player_is_in_so_many_clubs_at_most(alice: Api, bob: Api, settings: Any) -> None:
    settings.QV_CLUBS_A_PLAYER = 2
    make_club(alice, name="One 1")
    make_club(alice, name="Two 2")
    assert alice.post("clubs/", {"name": "Three 3"}).data["error"]["code"] == "too_many_clubs"
    club = make_club(bob, name="Four 4")
    assert alice.post(f"clubs/join/{club['code']}/").data["error"]["code"] == "too_many_clubs"


def test_names_are_unique_without_regard_to_case_and_forms(alice: Api, bob: Api) -> None:
    make_club(alice, name="  The  Kings ")
    for name in ("the kings", "THE KINGS", "Ｔhe Kings", "The\u00a0Kings"):
        answer = bob.post("clubs/", {"name": name})
        assert (answer.status_code, answer.data["error"]["code"]) == (409, "name_taken"), name
    club = make_club(bob, name="Queens")
    assert bob.call("PATCH", f"clubs/{club['id']}/", {"name": "the Kings"}).status_code == 409
    assert bob.call("PATCH", f"clubs/{club['id']}/", {"name": "QUEENS"}).data["name"] == "QUEENS"


BAD_NAMES = ["", "ab", "a  b"[:3], "x" * 41, "a\x00bc", "a\u200bbc", "\u202eabc", "---", "Admin", "QVserver staff"]
BAD_NAMES += ["the-official", "Кings", "Αce Club"]


@pytest.mark.parametrize("name", BAD_NAMES)
def test_bad_names_are_refused(alice: Api, name: str) -> None:
    answer = alice.post("clubs/", {"name": name})
    assert (answer.status_code, answer.data["error"]["code"]) == (400, "bad_name"), answer.data


@pytest.mark.parametrize("name", ["Les Rois d'Orléans", "Клуб 40", "四十大盗团", "A-1", "Badminton", "x" * 40])
def test_good_names_of_all_alphabets_are_taken(name: str) -> None:
    assert clean_name(name) == name


@pytest.mark.parametrize("body", ["", "[]", "{}", '{"name": 5}', '{"name": null}', "{", '{"name": "\\ud800abc"}'])
def test_bad_bodies_are_refused(alice: Api, body: str) -> None:
    assert alice.post("clubs/", body).status_code == 400
    assert not Club.objects.exists()


class TestModeration:
    """A name that a moderator takes away, and gives back."""

    def test_renames_with_a_reason_that_is_kept_and_the_owner_can_not_rename_back(self, alice: Api, bob: Api) -> None:
        club = make_club(alice, name="Rude Words")
        moderator = Player.objects.create_superuser("moderator-1")
        renaming = clubs.moderate_name(
            club_id=club["id"], name="Club 1", reason="rude", moderator_id=moderator.pk, now=timezone.now()
        )
        assert alice.get(f"clubs/{club['id']}/").data["name"] == "Club 1"
        assert (renaming.old_name, renaming.reason, renaming.moderator) == ("Rude Words", "rude", moderator)
        answer = alice.call("PATCH", f"clubs/{club['id']}/", {"name": "RUDE words"})
        assert (answer.status_code, answer.data["error"]["code"]) == (400, "bad_name")
        for _ in range(2):
            clubs.undo_renaming(renaming_id=renaming.pk, now=timezone.now())
        assert alice.get(f"clubs/{club['id']}/").data["name"] == "Rude Words"
        assert alice.call("PATCH", f"clubs/{club['id']}/", {"name": "RUDE words"}).status_code == 200

    def test_undoing_leaves_a_name_that_the_owner_chose_since(self, alice: Api) -> None:
        club = make_club(alice, name="Rude Words")
        moderator = Player.objects.create_superuser("moderator-1")
        renaming = clubs.moderate_name(
            club_id=club["id"], name="Club 1", reason="rude", moderator_id=moderator.pk, now=timezone.now()
        )
        alice.call("PATCH", f"clubs/{club['id']}/", {"name": "Kind Words"})
        clubs.undo_renaming(renaming_id=renaming.pk, now=timezone.now())
        assert Club.objects.get().name == "Kind Words"

    def test_a_name_taken_meanwhile_can_not_be_given_back(self, alice: Api, bob: Api) -> None:
        club = make_club(alice, name="Rude Words")
        moderator = Player.objects.create_superuser("moderator-1")
        renaming = clubs.moderate_name(
            club_id=club["id"], name="Club 1", reason="rude", moderator_id=moderator.pk, now=timezone.now()
        )
        make_club(bob, name="Rude words")
        with pytest.raises(Conflict, match="named Rude Words already"):
            clubs.undo_renaming(renaming_id=renaming.pk, now=timezone.now())
        assert ClubRenaming.objects.get().undone_at is None

    def test_what_is_not_there_is_named(self) -> None:
        moderator = Player.objects.create_superuser("moderator-1")
        with pytest.raises(NotFound, match="no such club"):
            clubs.moderate_name(club_id=1, name="Club 1", reason="", moderator_id=moderator.pk, now=timezone.now())
        with pytest.raises(NotFound, match="no such renaming"):
            clubs.undo_renaming(renaming_id=1, now=timezone.now())
        with pytest.raises(Refused):
            clubs.create_club(player_id=moderator.pk, name="admin", now=timezone.now())
        with pytest.raises(BadName, match="one alphabet"):
            clean_name("Кings")


def player_of(api: Api) -> int:
    return Player.objects.get(name=api.name).pk


def test_a_deleted_players_clubs_go_to_who_joined_first(alice: Api, bob: Api, charlie: Api) -> None:
    club = make_club(alice, bob, charlie)
    make_club(alice, name="Alone")
    clubs.leave_all_clubs(player_id=player_of(alice))
    found = charlie.get(f"clubs/{club['id']}/").data
    assert (found["owner"], names(found)) == (bob.name, [bob.name, charlie.name])
    assert [club.name for club in Club.objects.all()] == ["The Kings"]


def test_an_account_takes_over_the_clubs_of_a_guest(alice: Api, bob: Api, charlie: Api) -> None:
    """IronbaneServerLegacy #348: guest progress was gone after signing up."""
    own, shared = make_club(alice, charlie, name="Own"), make_club(alice, bob, name="Shared")
    clubs.move_memberships(from_player_id=player_of(alice), to_player_id=player_of(bob))
    for club, members in ((own, [bob.name, charlie.name]), (shared, [bob.name])):
        found = bob.get(f"clubs/{club['id']}/").data
        assert (found["owner"], names(found)) == (bob.name, members)
    assert alice.get("clubs/").data["items"] == []


class TestBoards:
    """Every board can be read for a club, by its members, with ranks among them."""

    BOARDS = ("", "around/", "distribution/")

    @pytest.fixture
    def club(self, alice: Api, bob: Api) -> Any:
        daily = make_daily("ft-n", timezone.now().date())
        for name, score in (("rich", 99), (alice.name, 50), ("middle", 40), (bob.name, 30), ("poor", 1)):
            place(daily, name, score=score)
        Player.objects.update(is_guest=False)
        self.addresses = [f"challenges/{daily.pk}/", f"challenges/{daily.pk}/around/"]
        self.addresses += [f"ft-n/{period}/{part}" for period in ("week", "month", "all") for part in ("", "around/")]
        self.daily = daily
        return make_club(alice, bob)

    def test_hold_the_members_alone_with_ranks_among_them(self, alice: Api, bob: Api, club: Any) -> None:
        """The club's read comes first, so Redis is told of the whole board by it: once it was told the club's part."""
        for address in self.addresses:
            page = bob.get(f"leaderboards/{address}?club={club['id']}").data
            lines = [(line["rank"], line["player"]) for line in page["lines"]]
            assert lines == [(1, alice.name), (2, bob.name)], address
            assert (page["total"], page["own"]["rank"]) == (2, 2)
            assert bob.get(f"leaderboards/{address}").data["own"]["rank"] == 4, address
        found = bob.get(f"leaderboards/challenges/{self.daily.pk}/distribution/?club={club['id']}").data
        assert (found["played"], found["quantiles"]["0.5"]["ranked_score"]) == (2, 30)

    def test_can_be_read_page_by_page(self, alice: Api, bob: Api, charlie: Api, club: Any) -> None:
        place(self.daily, charlie.name, score=50)
        charlie.post(f"clubs/join/{club['code']}/")
        for address in (f"challenges/{self.daily.pk}/", "ft-n/all/"):
            seen: list[tuple[int, str]] = []
            cursor = ""
            while True:
                page = alice.get(f"leaderboards/{address}?club={club['id']}&limit=1{cursor}").data
                seen += [(line["rank"], line["player"]) for line in page["lines"]]
                if page["next_cursor"] is None:
                    break
                cursor = f"&cursor={page['next_cursor']}"
            assert seen == [(1, alice.name), (1, charlie.name), (3, bob.name)]

    def test_the_first_board_too(self, alice: Api, bob: Api, club: Any) -> None:
        for name in (alice.name, bob.name):
            place(self.daily, name, score=99)
        tomorrow = make_daily("ft-n", timezone.now().date() - datetime.timedelta(days=1))
        place(tomorrow, bob.name, score=5)
        place(tomorrow, "rich", score=9)
        page = alice.get(f"leaderboards/challenges/{tomorrow.pk}/?board=first&club={club['id']}").data
        assert [(line["rank"], line["player"]) for line in page["lines"]] == [(1, bob.name)]
        assert page["own"] is None

    def test_are_for_members_only(self, alice: Api, charlie: Api, nobody: Api, club: Any) -> None:
        addresses = [*self.addresses, f"challenges/{self.daily.pk}/distribution/"]
        for address in addresses:
            for caller, status in ((nobody, 401), (Api("0" * 64), 401), (charlie, 404)):
                answer = caller.get(f"leaderboards/{address}?club={club['id']}&player={alice.name}")
                assert answer.status_code == status, (address, answer.data)
            assert alice.get(f"leaderboards/{address}?club=987654321").status_code == 404
            for bad in ("0", "x", "-1", "", "9" * 30):
                assert alice.get(f"leaderboards/{address}?club={bad}").status_code == 400

    def test_who_left_is_gone_from_them_and_nobody_else_stands_around(self, alice: Api, bob: Api, club: Any) -> None:
        bob.post(f"clubs/{club['id']}/leave/")
        for address in self.addresses:
            assert bob.get(f"leaderboards/{address}?club={club['id']}").status_code == 404
            page = alice.get(f"leaderboards/{address}?club={club['id']}").data
            assert [line["player"] for line in page["lines"]] == [alice.name]
        for name in (bob.name, "rich"):
            answer = alice.get(f"leaderboards/ft-n/week/around/?club={club['id']}&player={name}")
            assert answer.status_code == 404
