"""The pages of clubs. Who isn't in a club finds nothing at its address; who has its code is told its name."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from games.models import Player
from games.services.challenges import list_today
from games.services.intake import IntakeError, NotFound
from games.services.players import Credential
from leaderboards.addresses import ChallengeBoard
from leaderboards.models import Club
from leaderboards.models.club import NAME_MAX_LENGTH, NAME_MIN_LENGTH
from leaderboards.models.standing import Board
from leaderboards.services import clubs as services
from leaderboards.services import reading

from .page import page, visitor_of

#: Lines of each of today's boards on a club's page.
LINES = 5

_NAME_LENGTHS = {"name_min_length": NAME_MIN_LENGTH, "name_max_length": NAME_MAX_LENGTH}


@page
@require_http_methods(["GET", "HEAD", "POST"])
def clubs(request: HttpRequest) -> HttpResponse:
    """The visitor's clubs; takes the name of a new one."""
    visitor = visitor_of(request)
    if visitor is not None and request.method == "POST":
        name = request.POST.get("name", "")
        try:
            made = services.create_club(player_id=visitor.pk, name=name, now=timezone.now())
        except IntakeError as error:
            messages.error(request, str(error))
        else:
            return redirect("club", club_id=made.pk)
    mine = Club.objects.none()
    if visitor is not None:
        own = Club.objects.filter(memberships__player_id=visitor.pk)
        mine = Club.objects.filter(pk__in=own).select_related("owner").annotate(size=Count("memberships"))
    context = {
        "clubs": mine.order_by("name"),
        "max_clubs": settings.QV_CLUBS_A_PLAYER,
        "name": request.POST.get("name", ""),
        **_NAME_LENGTHS,
    }
    return render(request, "leaderboards/clubs.html", context)


@page
@require_safe
def find_invitation(request: HttpRequest) -> HttpResponse:
    """The way from a typed code to the invitation."""
    code = "".join(character for character in request.GET.get("code", "") if character.isalnum())
    return redirect("join-club", code=code.upper()) if code else redirect("clubs")


@page
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, code: str) -> HttpResponse:
    """An invitation: names the club and asks; joins by its button."""
    visitor = visitor_of(request)
    try:
        invited = services.find_invited(code=code)
    except NotFound:
        return render(request, "leaderboards/join_club.html", status=404)
    if visitor is not None and request.method == "POST":
        try:
            services.join_club(player_id=visitor.pk, code=code, now=timezone.now())
        except IntakeError as error:
            messages.error(request, str(error))
        else:
            return redirect("club", club_id=invited.pk)
    if visitor is not None and invited.memberships.filter(player_id=visitor.pk).exists():
        return redirect("club", club_id=invited.pk)
    context = {"club": invited, "size": invited.memberships.count(), "max_size": settings.QV_CLUB_SIZE}
    return render(request, "leaderboards/join_club.html", context)


@page
@require_safe
def club(request: HttpRequest, club_id: int) -> HttpResponse:
    """A club of the visitor's: members, today's boards, the invitation, what its owner may do."""
    visitor = _member(request)
    found = services.find_club(player_id=visitor.pk, club_id=club_id)
    members = found.memberships.select_related("player").order_by("joined_at", "id")
    context = {
        "club": found,
        "members": members,
        "is_owner": found.owner_id == visitor.pk,
        "max_size": settings.QV_CLUB_SIZE,
        "invitation": request.build_absolute_uri(reverse("join-club", args=[found.code])),
        "boards": _boards_of_today(found, visitor),
        "modes": settings.DAILY_MODES,
        **_NAME_LENGTHS,
    }
    return render(request, "leaderboards/club.html", context)


def _boards_of_today(found: Club, visitor: Player) -> list[tuple[str, reading.BoardPage]]:
    """Mode and first lines of the club's part of each of today's boards."""
    now, credential = timezone.now(), Credential(session_player=visitor.pk)
    boards = []
    for challenge in list_today(now=now):
        if challenge.date is not None:
            board = ChallengeBoard(challenge.pk, Board.BEST.value, found.pk)
            glimpse = reading.glimpse(credential=credential, board=board, now=now)
            shown = reading.read_page(board=board, own=glimpse.own, limit=LINES, sign=glimpse.sign)
            boards.append((challenge.mode, shown))
    return boards


@page
@require_POST
def leave(request: HttpRequest, club_id: int) -> HttpResponse:
    """Takes the visitor out of a club."""
    visitor = _member(request)
    try:
        services.leave_club(player_id=visitor.pk, club_id=club_id)
    except NotFound:
        raise
    except IntakeError as error:
        messages.error(request, str(error))
        return redirect("club", club_id=club_id)
    messages.success(request, _("You have left the club."))
    return redirect("clubs")


@page
@require_POST
def dissolve(request: HttpRequest, club_id: int) -> HttpResponse:
    """The owner ends the club for everybody."""
    confirm = request.POST.get("confirm", "")
    done = _owners(
        request,
        club_id,
        lambda owner_id: services.dissolve_club(owner_id=owner_id, club_id=club_id, confirm=confirm),
        _("The club is dissolved."),
    )
    return done if Club.objects.filter(pk=club_id).exists() else redirect("clubs")


@page
@require_POST
def rename(request: HttpRequest, club_id: int) -> HttpResponse:
    """The owner gives the club another name."""
    name = request.POST.get("name", "")
    return _owners(
        request,
        club_id,
        lambda owner_id: services.rename_club(owner_id=owner_id, club_id=club_id, name=name),
        _("The club has another name now."),
    )


@page
@require_POST
def hand_over(request: HttpRequest, club_id: int) -> HttpResponse:
    """The owner makes a member the owner."""
    name = request.POST.get("player", "")
    return _owners(
        request,
        club_id,
        lambda owner_id: services.hand_over(owner_id=owner_id, club_id=club_id, name=name),
        _("The club is {name}'s now.").format(name=name),
    )


@page
@require_POST
def new_code(request: HttpRequest, club_id: int) -> HttpResponse:
    """The owner makes a new code."""
    return _owners(
        request,
        club_id,
        lambda owner_id: services.renew_code(owner_id=owner_id, club_id=club_id),
        _("There is a new invitation; the old one leads nowhere any more."),
    )


@page
@require_POST
def remove(request: HttpRequest, club_id: int) -> HttpResponse:
    """The owner removes a member."""
    name = request.POST.get("player", "")
    return _owners(
        request,
        club_id,
        lambda owner_id: services.remove_member(owner_id=owner_id, club_id=club_id, name=name),
        _("{name} is no longer in the club, and there is a new invitation.").format(name=name),
    )


def _owners(request: HttpRequest, club_id: int, act: Callable[[int], object], done: str) -> HttpResponse:
    """Does what only an owner may, and leads back to the club, saying what came of it."""
    visitor = _member(request)
    # A club that the visitor isn't in is a 404, whatever else is wrong with the form.
    services.find_club(player_id=visitor.pk, club_id=club_id)
    try:
        act(visitor.pk)
    except PermissionDenied:
        messages.error(request, _("Only the club's owner can do that."))
    except IntakeError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, done)
    return redirect("club", club_id=club_id)


def _member(request: HttpRequest) -> Player:
    """The visitor, who can be a member only where signed in. Raises `NotFound`."""
    visitor = visitor_of(request)
    if visitor is None:
        raise NotFound("not_found", "There is no such club of yours.")
    return visitor
