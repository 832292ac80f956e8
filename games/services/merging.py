"""An account takes over what its player has played as a guest."""

from __future__ import annotations

import datetime

from django.db import IntegrityError, connection, transaction
from django.db.models import Exists, OuterRef
from django.utils.translation import gettext as _
from knox.models import AuthToken

from games.models import Attempt, Player, Submission
from games.services.deletion import close_player
from games.services.intake import Conflict, NotFound
from games.services.players import token_digest
from games.signals import guest_merged, players_counted_anew

_TRIES = 5


def merge_guest(*, player_id: int, guest_token: str, now: datetime.datetime) -> None:
    """Move everything that the token's guest has to an account, and close the guest. Safe to repeat.

    The account's attempts at a challenge keep their numbers and the guest's follow, so that nothing gets onto a `first`
    board over an attempt that was there; a challenge's `best` standing becomes the better of the two. Where both have
    an attempt open, the guest's ends; its draft stays and can still be submitted.

    Raises `NotFound` for a token that is nobody's, `Conflict` where it isn't a guest's, or the caller is a guest.
    """
    guest_id = AuthToken.objects.filter(digest=token_digest(guest_token), expiry__gt=now).values_list("user_id").first()
    if guest_id is None:
        raise NotFound("not_found", _("guest_token is no token of a guest's."))
    _merge(player_id, guest_id[0], now)


def take_over_guest(*, player_id: int, guest_id: int, now: datetime.datetime) -> None:
    """`merge_guest` for a guest whom the server itself knows to be the same person. Raises `Conflict` as it does."""
    _merge(player_id, guest_id, now)


def finish_merges(*, now: datetime.datetime) -> int:
    """Move what came in for a guest in the very moment in which it was merged; returns how many guests had such."""
    has_more = Exists(Attempt.objects.filter(player=OuterRef("pk"))) | Exists(
        Submission.objects.filter(player=OuterRef("pk"))
    )
    late = list(Player.objects.filter(has_more, merged_into__isnull=False).values_list("merged_into_id", "pk"))
    for player_id, guest_id in late:
        _merge(player_id, guest_id, now)
    return len(late)


def _merge(player_id: int, guest_id: int, now: datetime.datetime) -> None:
    for remaining in reversed(range(_TRIES)):
        try:
            with transaction.atomic():
                if guest := _lock(player_id, guest_id):
                    _take_over(player_id, guest, now)
            return
        except IntegrityError:
            # The account started an attempt in the same moment: now it can be seen.
            if not remaining:
                raise


def _lock(player_id: int, guest_id: int) -> Player | None:
    """The guest, with both rows locked; None where the guest has become the account itself."""
    # Not against those who only refer to the rows: workers do, and go on.
    rows = Player.objects.select_for_update(no_key=True).filter(pk__in=(player_id, guest_id)).order_by("pk")
    found = {row.pk: row for row in rows}
    player, guest = found[player_id], found[guest_id]
    if player.is_guest:
        raise Conflict("is_guest", _("A guest can't take over another: sign up or sign in first."))
    if player_id == guest_id:
        return None
    if player.is_banned or guest.is_banned:
        raise Conflict("banned", _("A banned player's results stay where they are."))
    if guest.merged_into_id != player_id and not (guest.is_guest and guest.is_active):
        raise Conflict("no_guest", _("guest_token isn't a guest's, or the guest was taken over by another account."))
    return guest


def _take_over(player_id: int, guest: Player, now: datetime.datetime) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_TAKE_ATTEMPTS, {"player": player_id, "guest": guest.pk, "now": now})
        cursor.execute(_TAKE_SUBMISSIONS, {"player": player_id, "guest": guest.pk})
    if guest.merged_into_id is None:
        Player.objects.filter(pk=player_id, settings={}).update(settings=guest.settings)
        close_player(player=guest, merged_into=player_id, now=now)
    guest_merged.send(sender=None, guest_id=guest.pk, player_id=player_id)
    players_counted_anew.send(sender=None, player_ids=[guest.pk, player_id])


_TAKE_ATTEMPTS = """
UPDATE games_attempt taken SET
    player_id = %(player)s,
    number = taken.number + coalesce((
        SELECT max(number) FROM games_attempt own
        WHERE own.player_id = %(player)s AND own.challenge_id = taken.challenge_id
    ), 0),
    ended_at = CASE
        WHEN taken.ended_at IS NULL AND EXISTS (
            SELECT FROM games_attempt own
            WHERE own.player_id = %(player)s AND own.challenge_id = taken.challenge_id AND own.ended_at IS NULL
        ) THEN %(now)s
        ELSE taken.ended_at
    END
WHERE taken.player_id = %(guest)s
"""

_TAKE_SUBMISSIONS = """
UPDATE games_submission submission SET player_id = %(player)s, attempt_number = attempt.number
FROM games_attempt attempt
WHERE attempt.id = submission.attempt_id AND submission.player_id = %(guest)s
"""
