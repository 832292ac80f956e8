"""Players who go: by their own wish, or guests who haven't played for long.

What was verified keeps its place under `Player.DELETED_NAME`, as a board of yesterday is everybody's. All else that is
known of a deleted player goes at once.
"""

from __future__ import annotations

import datetime

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Exists, OuterRef, ProtectedError, Q, QuerySet
from knox.models import AuthToken

from games.announcements import close_streams
from games.models import AddressSighting, Attempt, ModerationAct, Player, ReviewFlag, Submission
from games.services.intake import Conflict
from games.services.players import token_life
from games.signals import player_deleted

#: So many guests go in one call of `expire_guests`.
EXPIRED_AT_ONCE = 200


def delete_player(*, player_id: int, now: datetime.datetime) -> None:
    """Delete all personal data of a player. Safe to repeat. Raises `Conflict` for somebody of the staff."""
    with transaction.atomic():
        player = Player.objects.select_for_update(no_key=True).get(pk=player_id)
        if player.deleted_at is not None:
            return
        if player.is_staff or player.is_superuser:
            raise Conflict("is_staff", "You run this server: another admin has to take that from you first.")
        _delete_unverified(player_id)
        AuthToken.objects.filter(user_id=player_id).delete()
        close_player(player=player, merged_into=None, now=now)
        player_deleted.send(sender=None, player_id=player_id)


def close_player(*, player: Player, merged_into: int | None, now: datetime.datetime) -> None:
    """Take name, settings and the ways in from a row; call it inside the transaction that empties it."""
    close_streams(player_id=player.pk)
    _forget_person(player.pk)
    player.groups.clear()
    player.user_permissions.clear()
    Player.objects.filter(pk=player.pk).update(
        name=Player.DELETED_NAME,
        skeleton=None,
        tombstone=player.pk,
        email="",
        password=make_password(None),
        settings={},
        last_login=None,
        is_active=False,
        deleted_at=now,
        merged_into=merged_into,
    )


def _forget_person(player_id: int) -> None:
    """What moderation holds of a person; acts stay, without names, since results hang on them."""
    AddressSighting.objects.filter(player_id=player_id).delete()
    ReviewFlag.objects.filter(reporter_id=player_id).update(reporter=None)
    ReviewFlag.objects.filter(player_id=player_id, kind=ReviewFlag.Kind.REPORTED).update(details={})
    ModerationAct.objects.filter(player_id=player_id).update(old_name="", new_name="")


def _delete_unverified(player_id: int) -> None:
    """Logs that got no place; a pending one may get one still."""
    submissions = Submission.objects.filter(player_id=player_id)
    submissions.filter(state__in=(Submission.State.REJECTED, Submission.State.FAILED)).delete()
    submissions.update(client="", claimed_score=None)
    attempts = Attempt.objects.filter(player_id=player_id)
    attempts.filter(~Exists(Submission.objects.filter(attempt=OuterRef("pk")))).delete()
    attempts.update(draft="")


def expire_guests(*, now: datetime.datetime) -> int:
    """Let guests go who have neither submitted nor called for `QV_GUEST_DAYS`, `EXPIRED_AT_ONCE` at most.

    Returns how many. One who never submitted leaves nothing behind.
    """
    found = list(_expired(now - datetime.timedelta(days=settings.QV_GUEST_DAYS))[:EXPIRED_AT_ONCE])
    for player_id in found:
        if Submission.objects.filter(player_id=player_id).exists():
            delete_player(player_id=player_id, now=now)
        else:
            _delete_row(player_id, now)
    return len(found)


def _expired(limit: datetime.datetime) -> QuerySet[Player, int]:
    recent = Submission.objects.filter(player=OuterRef("pk"), received_at__gte=limit)
    # A token lives so long from its last use.
    used = AuthToken.objects.filter(user=OuterRef("pk"), expiry__gte=limit + token_life())
    guests = Player.objects.filter(is_guest=True, deleted_at=None, joined_at__lt=limit, is_staff=False)
    unseen = guests.filter(Q(last_login=None) | Q(last_login__lt=limit))
    return unseen.filter(~Exists(recent), ~Exists(used)).order_by("pk").values_list("pk", flat=True)


def clear_expired(*, now: datetime.datetime) -> None:
    """Delete tokens and sessions that are no good any more."""
    # Tokens of merged guests too: they say where the guest went only as long as they are good.
    AuthToken.objects.filter(expiry__lt=now).delete()
    Session.objects.filter(expire_date__lt=now).delete()


def _delete_row(player_id: int, now: datetime.datetime) -> None:
    try:
        with transaction.atomic():
            _delete_unverified(player_id)
            player_deleted.send(sender=None, player_id=player_id)
            Player.objects.filter(pk=player_id).delete()
    except ProtectedError:
        # Something of the server's own refers to it, such as a report.
        delete_player(player_id=player_id, now=now)
