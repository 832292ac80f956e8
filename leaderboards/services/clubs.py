"""Clubs: making, joining, leaving, and what only their owners or moderators may do.

A club's row is locked by whoever changes who is in it, so that neither its size nor its owner slips past a check.
"""

from __future__ import annotations

import datetime
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from games.announcements import announce_club
from games.services.intake import Conflict, NotFound, Refused, check_not_banned
from leaderboards.club_names import BadName, clean_name
from leaderboards.models import Club, ClubRenaming, Membership

#: Letters and digits that nobody mixes up.
_CODE_ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
_CODE_LENGTH = 10


def create_club(*, player_id: int, name: str, now: datetime.datetime) -> Club:
    """A new club, owned by the player. Raises `Refused` for a bad name, `Conflict` for a taken one or too many."""
    cleaned = _clean(name)
    check_not_banned(player_id=player_id, now=now)
    _check_has_room(player_id)
    with _free_name(cleaned), transaction.atomic():
        club = Club.objects.create(name=cleaned, owner_id=player_id, code=_new_code(), created_at=now)
        Membership.objects.create(club=club, player_id=player_id, joined_at=now)
    return club


def find_club(*, player_id: int, club_id: int) -> Club:
    """A club that the player is in. Raises `NotFound`, also where there is one that the player isn't in."""
    club = Club.objects.filter(pk=club_id, memberships__player_id=player_id).select_related("owner").first()
    if club is None:
        raise NotFound("not_found", "There is no such club of yours.")
    return club


def find_invited(*, code: str) -> Club:
    """The club that a code invites to. Raises `NotFound`."""
    return _invited(Club.objects.select_related("owner"), code)


def join_club(*, player_id: int, code: str, now: datetime.datetime) -> tuple[Club, bool]:
    """Join by code; returns the club, and whether the player is new there. Raises `NotFound`, `Conflict` when full."""
    check_not_banned(player_id=player_id, now=now)
    with transaction.atomic():
        club = _invited(Club.objects.select_for_update(), code)
        if club.memberships.filter(player_id=player_id).exists():
            return club, False
        if club.memberships.count() >= settings.QV_CLUB_SIZE:
            raise Conflict("club_full", f"The club is full: {settings.QV_CLUB_SIZE} players are taken at most.")
        _check_has_room(player_id)
        Membership.objects.create(club=club, player_id=player_id, joined_at=now)
        announce_club(club.pk)
    return club, True


def leave_club(*, player_id: int, club_id: int) -> None:
    """Leave; the last one takes the club along. Raises `Conflict` where the owner would leave others behind."""
    with transaction.atomic():
        club = _locked(player_id, club_id)
        others = club.memberships.exclude(player_id=player_id)
        if club.owner_id != player_id:
            _take_out(club, player_id)
        elif others.exists():
            raise Conflict("owner_stays", "The club is yours: hand it over or dissolve it.")
        else:
            _delete(club)


def dissolve_club(*, owner_id: int, club_id: int, confirm: str) -> None:
    """The owner ends the club for all its members. Raises `Refused` where ``confirm`` isn't its name."""
    with transaction.atomic():
        club = _owned(owner_id, club_id)
        if confirm != club.name:
            raise Refused("not_confirmed", "Send the club's name as confirm: what is dissolved doesn't come back.")
        _delete(club)


def remove_member(*, owner_id: int, club_id: int, name: str) -> None:
    """The owner removes a member, and the code changes, so that it doesn't bring them back. Raises `NotFound`."""
    with transaction.atomic():
        club = _owned(owner_id, club_id)
        player_id = _member(club, name).player_id
        if player_id == owner_id:
            raise Conflict("owner_stays", "The club is yours: hand it over or dissolve it.")
        _take_out(club, player_id)
        _renew(club)


def hand_over(*, owner_id: int, club_id: int, name: str) -> Club:
    """The owner makes another member the owner. Raises `NotFound`."""
    with transaction.atomic():
        club = _owned(owner_id, club_id)
        club.owner_id = _member(club, name).player_id
        club.save(update_fields=["owner"])
    return club


def renew_code(*, owner_id: int, club_id: int) -> Club:
    """The owner makes a new code; the old one leads nowhere from then on."""
    with transaction.atomic():
        club = _owned(owner_id, club_id)
        _renew(club)
    return club


def rename_club(*, owner_id: int, club_id: int, name: str) -> Club:
    """The owner gives another name, though none that a moderator took away from the club."""
    cleaned = _clean(name)
    with _free_name(cleaned), transaction.atomic():
        club = _owned(owner_id, club_id)
        if club.renamings.filter(undone_at=None, old_name__iexact=cleaned).exists():
            raise Refused("bad_name", "A moderator took that name away.")
        _set_name(club, cleaned)
    return club


def moderate_name(*, club_id: int, name: str, reason: str, moderator_id: int, now: datetime.datetime) -> ClubRenaming:
    """A moderator gives a club another name, for a reason that is kept. Raises `Refused`, `Conflict`, `NotFound`."""
    cleaned = _clean(name)
    with _free_name(cleaned), transaction.atomic():
        club = Club.objects.select_for_update().filter(pk=club_id).first()
        if club is None:
            raise NotFound("not_found", "There is no such club.")
        renaming = ClubRenaming.objects.create(
            club=club,
            old_name=club.name,
            new_name=cleaned,
            reason=reason,
            moderator_id=moderator_id,
            renamed_at=now,
        )
        _set_name(club, cleaned)
    return renaming


def undo_renaming(*, renaming_id: int, now: datetime.datetime) -> Club:
    """Give a club its name back, if it still has the moderator's. Safe to repeat. Raises `Conflict`, `NotFound`."""
    renaming = ClubRenaming.objects.filter(pk=renaming_id).first()
    if renaming is None:
        raise NotFound("not_found", "There is no such renaming.")
    with _free_name(renaming.old_name), transaction.atomic():
        club = Club.objects.select_for_update().get(pk=renaming.club_id)
        undone = ClubRenaming.objects.filter(pk=renaming_id, undone_at=None).update(undone_at=now)
        if undone and club.name == renaming.new_name:
            _set_name(club, renaming.old_name)
    return club


def move_memberships(*, from_player_id: int, to_player_id: int) -> None:
    """Have a player take another's place in all clubs: a guest's account takes over what the guest has."""
    with transaction.atomic():
        for club in _all_locked(from_player_id):
            membership = club.memberships.get(player_id=from_player_id)
            if club.memberships.filter(player_id=to_player_id).exists():
                membership.delete()
            else:
                membership.player_id = to_player_id
                membership.save(update_fields=["player"])
            announce_club(club.pk, gone=[from_player_id])
            if club.owner_id == from_player_id:
                club.owner_id = to_player_id
                club.save(update_fields=["owner"])


def leave_all_clubs(*, player_id: int) -> None:
    """Take a player out of all clubs, as when an account is deleted: clubs go to the member who joined first."""
    with transaction.atomic():
        for club in _all_locked(player_id):
            heir = club.memberships.exclude(player_id=player_id).order_by("joined_at", "id").first()
            if heir is None:
                _delete(club)
                continue
            if club.owner_id == player_id:
                club.owner_id = heir.player_id
                club.save(update_fields=["owner"])
            _take_out(club, player_id)


def _take_out(club: Club, player_id: int) -> None:
    club.memberships.filter(player_id=player_id).delete()
    announce_club(club.pk, gone=[player_id])


def _delete(club: Club) -> None:
    announce_club(club.pk, gone=list(club.memberships.values_list("player_id", flat=True)))
    club.delete()


def _clean(name: str) -> str:
    try:
        return clean_name(name)
    except BadName as error:
        raise Refused("bad_name", str(error)) from None


def _invited(clubs: QuerySet[Club], code: str) -> Club:
    club = clubs.filter(code=code.upper()).first() if code.isalnum() else None
    if club is None:
        raise NotFound("not_found", "This invitation leads nowhere: ask for a new one.")
    return club


def _check_has_room(player_id: int) -> None:
    if Membership.objects.filter(player_id=player_id).count() >= settings.QV_CLUBS_A_PLAYER:
        raise Conflict("too_many_clubs", f"A player is in {settings.QV_CLUBS_A_PLAYER} clubs at most: leave one first.")


def _locked(player_id: int, club_id: int) -> Club:
    find_club(player_id=player_id, club_id=club_id)
    club = Club.objects.select_for_update().filter(pk=club_id).first()
    if club is None or not club.memberships.filter(player_id=player_id).exists():
        raise NotFound("not_found", "There is no such club of yours.")
    return club


def _all_locked(player_id: int) -> QuerySet[Club]:
    clubs = Club.objects.filter(memberships__player_id=player_id)
    return clubs.order_by("id").select_for_update(of=("self",))


def _owned(owner_id: int, club_id: int) -> Club:
    club = _locked(owner_id, club_id)
    if club.owner_id != owner_id:
        raise PermissionDenied
    return club


def _member(club: Club, name: str) -> Membership:
    membership = club.memberships.filter(player__name__iexact=name).first() if "\x00" not in name else None
    if membership is None:
        raise NotFound("not_found", "There is no such member.")
    return membership


def _set_name(club: Club, name: str) -> None:
    club.name = name
    club.save(update_fields=["name"])


def _renew(club: Club) -> None:
    club.code = _new_code()
    club.save(update_fields=["code"])


def _new_code() -> str:
    return "".join(secrets.choice(_CODE_ALPHABET) for _ in range(_CODE_LENGTH))


@contextmanager
def _free_name(name: str) -> Iterator[None]:
    """Raises `Conflict` where the constraint says that another club has the name."""
    try:
        yield
    except IntegrityError as error:
        if "club_name_unique" not in str(error):
            raise
        raise Conflict("name_taken", f"There is a club named {name} already.") from None
