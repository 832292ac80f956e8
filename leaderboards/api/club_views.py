"""The API of clubs. Who isn't in a club learns nothing of it: its calls answer 404 to them."""

from __future__ import annotations

from django.conf import settings
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from games.api.lean import Answer, LeanView, caller_of, describe, read_body
from leaderboards.models import Club
from leaderboards.services import clubs

from . import shapes


class Clubs(LeanView):
    """The caller's clubs."""

    @describe("The caller's clubs", answers={200: shapes.ClubListOut}, errors=[401])
    def get(self, request: HttpRequest) -> Answer:
        caller = caller_of(request)
        mine = Club.objects.filter(pk__in=Club.objects.filter(memberships__player_id=caller.id))
        found = mine.select_related("owner").annotate(size=Count("memberships")).order_by("name")
        items = [
            shapes.ClubBriefOut(club.pk, club.name, club.owner.name, club.owner_id == caller.id, club.size)
            for club in found
        ]
        return 200, shapes.ClubListOut(items, settings.QV_CLUBS_A_PLAYER)

    @describe(
        "Make a club",
        body=shapes.ClubIn,
        answers={201: shapes.ClubOut},
        errors=[400, 401, 403, 409],
    )
    def post(self, request: HttpRequest) -> Answer:
        caller = caller_of(request)
        name = read_body(request, shapes.ClubIn).name
        club = clubs.create_club(player_id=caller.id, name=name, now=timezone.now())
        return 201, _club_out(club)


class ClubDetail(LeanView):
    """A club of the caller's."""

    @describe("A club of the caller's, with its members and its code", answers={200: shapes.ClubOut}, errors=[401, 404])
    def get(self, request: HttpRequest, club_id: int) -> Answer:
        return 200, _club_out(clubs.find_club(player_id=caller_of(request).id, club_id=club_id))

    @describe(
        "Rename a club: for its owner",
        body=shapes.ClubIn,
        answers={200: shapes.ClubOut},
        errors=[400, 401, 403, 404, 409],
    )
    def patch(self, request: HttpRequest, club_id: int) -> Answer:
        caller = caller_of(request)
        name = read_body(request, shapes.ClubIn).name
        return 200, _club_out(clubs.rename_club(owner_id=caller.id, club_id=club_id, name=name))

    @describe(
        "Dissolve a club, with all its members in it: for its owner",
        body=shapes.DissolveIn,
        answers={200: shapes.ClubListOut},
        errors=[400, 401, 403, 404],
    )
    def delete(self, request: HttpRequest, club_id: int) -> Answer:
        caller = caller_of(request)
        confirm = read_body(request, shapes.DissolveIn).confirm
        clubs.dissolve_club(owner_id=caller.id, club_id=club_id, confirm=confirm)
        return Clubs().get(request)


class Invitation(LeanView):
    """A club's invitation."""

    @describe("The club that a code invites to", answers={200: shapes.InvitationOut}, errors=[401, 404])
    def get(self, request: HttpRequest, code: str) -> Answer:
        caller_of(request)
        club = clubs.find_invited(code=code)
        size = club.memberships.count()
        return 200, shapes.InvitationOut(club.name, club.owner.name, size, settings.QV_CLUB_SIZE)

    @describe(
        "Join a club by its code; joining again changes nothing",
        answers={201: shapes.ClubOut, 200: shapes.ClubOut},
        errors=[401, 403, 404, 409],
    )
    def post(self, request: HttpRequest, code: str) -> Answer:
        club, is_new = clubs.join_club(player_id=caller_of(request).id, code=code, now=timezone.now())
        return (201 if is_new else 200), _club_out(club)


class Leave(LeanView):
    """Leaving a club."""

    @describe(
        "Leave a club; the owner hands it over first, and the last one takes it along",
        answers={200: shapes.ClubListOut},
        errors=[401, 404, 409],
    )
    def post(self, request: HttpRequest, club_id: int) -> Answer:
        clubs.leave_club(player_id=caller_of(request).id, club_id=club_id)
        return Clubs().get(request)


class Owner(LeanView):
    """Who owns a club."""

    @describe(
        "Hand a club over to another member: for its owner",
        body=shapes.MemberIn,
        answers={200: shapes.ClubOut},
        errors=[400, 401, 403, 404],
    )
    def post(self, request: HttpRequest, club_id: int) -> Answer:
        caller = caller_of(request)
        name = read_body(request, shapes.MemberIn).player
        return 200, _club_out(clubs.hand_over(owner_id=caller.id, club_id=club_id, name=name))


class InviteCode(LeanView):
    """A club's code."""

    @describe(
        "Make a new code: for the club's owner. The old one leads nowhere any more",
        answers={200: shapes.ClubOut},
        errors=[401, 403, 404],
    )
    def post(self, request: HttpRequest, club_id: int) -> Answer:
        return 200, _club_out(clubs.renew_code(owner_id=caller_of(request).id, club_id=club_id))


class Member(LeanView):
    """A member of a club."""

    @describe(
        "Remove a member: for the club's owner. The code changes too",
        answers={200: shapes.ClubOut},
        errors=[401, 403, 404, 409],
    )
    def delete(self, request: HttpRequest, club_id: int, name: str) -> Answer | HttpResponse:
        caller = caller_of(request)
        clubs.remove_member(owner_id=caller.id, club_id=club_id, name=name)
        return 200, _club_out(clubs.find_club(player_id=caller.id, club_id=club_id))


def _club_out(club: Club) -> shapes.ClubOut:
    members = club.memberships.select_related("player").order_by("joined_at", "id")
    return shapes.ClubOut(
        id=club.pk,
        name=club.name,
        owner=club.owner.name,
        code=club.code,
        link=f"/api/v1/clubs/join/{club.code}/",
        created_at=club.created_at,
        max_members=settings.QV_CLUB_SIZE,
        members=[
            shapes.MemberOut(
                member.player.name, member.player.is_guest, member.player_id == club.owner_id, member.joined_at
            )
            for member in members
        ],
    )
