"""What moderators do with players and submissions: each with a reason, kept as an act, and each can be undone.

Who and what counts is a stored flag (`Player.is_banned`, `Submission.is_disqualified`). Whoever turns one says so
inside the transaction (`games.signals.players_counted_anew`): every board, sum and final rank follows before it
commits, and Redis right after. A ban with an end is over in the API from that moment on; its flag, and with it the
boards, is turned by `end_bans`, which beat runs every minute whether the player comes by or not.

Rows of players and submissions are locked before the lock on counting is taken, as the workers do.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import transaction

from games.announcements import close_streams
from games.models import ModerationAct, Player, Submission
from games.models.player import REASON_MAX_LENGTH
from games.names import BadName, clean_name
from games.services.intake import Conflict
from games.services.profiles import free_name
from games.signals import players_counted_anew

Kind = ModerationAct.Kind

#: Bans ended in one transaction.
_ENDED_AT_ONCE = 100


class ModerationError(ValueError):
    """It can't be done like that; the message says why."""


def ban_player(
    *, player_id: int, reason: str, until: datetime.datetime | None, now: datetime.datetime, by: Player
) -> ModerationAct:
    """Ban a player, until a moment or for good (None). Banning again replaces reason and end.

    All results leave every board at once, and open event streams end. Raises `ModerationError`.
    """
    reason = _reason(reason)
    if until is not None and until <= now:
        raise ModerationError("A ban has to end after now.")
    with transaction.atomic():
        player = _locked_player(player_id)
        if player.is_superuser or player == by:
            raise ModerationError("Nobody bans an administrator or themselves.")
        # Whoever is banned again has been banned all the time, unless that ban has ended.
        player.banned_at = player.banned_at if player.is_banned_at(now) else now
        player.is_banned, player.banned_until, player.ban_reason = True, until, reason
        close_streams(player_id=player_id)
        return _turn(player, Kind.BAN, by, now, reason=reason, until=until)


def lift_ban(*, player_id: int, reason: str, now: datetime.datetime, by: Player) -> ModerationAct:
    """End a ban: all results come back at once. Raises `ModerationError` where there is none."""
    reason = _reason(reason)
    with transaction.atomic():
        player = _locked_player(player_id)
        if not player.is_banned:
            raise ModerationError(f"{player} isn't banned.")
        _clear(player)
        return _turn(player, Kind.LIFT, by, now, reason=reason)


def end_bans(*, now: datetime.datetime) -> list[int]:
    """Let the players in again whose ban has come to its end; returns them. Safe to repeat, and beside others."""
    ended: list[int] = []
    while some := _end_some(now):
        ended += some
    return ended


def _end_some(now: datetime.datetime) -> list[int]:
    with transaction.atomic():
        due = Player.objects.filter(is_banned=True, banned_until__lte=now).order_by("id")
        players = list(due.select_for_update(no_key=True, skip_locked=True)[:_ENDED_AT_ONCE])
        acts = [
            ModerationAct(kind=Kind.END, player=player, reason=player.ban_reason, until=player.banned_until, at=now)
            for player in players
        ]
        for player in players:
            _clear(player)
            player.save(update_fields=_BAN)
        ModerationAct.objects.bulk_create(acts)
        ids = [player.pk for player in players]
        if ids:
            players_counted_anew.send(sender=None, player_ids=ids)
    return ids


def disqualify(*, submission_id: int, reason: str, now: datetime.datetime, by: Player) -> ModerationAct:
    """Take a submission out; the player's next best one stands in its place. Raises `ModerationError`."""
    return _set_disqualified(submission_id, True, _reason(reason), now, by)


def restore(*, submission_id: int, reason: str, now: datetime.datetime, by: Player) -> ModerationAct:
    """Undo `disqualify`. Raises `ModerationError`."""
    return _set_disqualified(submission_id, False, _reason(reason), now, by)


def _set_disqualified(
    submission_id: int, is_disqualified: bool, reason: str, now: datetime.datetime, by: Player
) -> ModerationAct:
    with transaction.atomic():
        found = Submission.objects.select_for_update(no_key=True).filter(pk=submission_id)
        submission = found.first()
        if submission is None:
            raise ModerationError(f"There is no submission {submission_id}.")
        if submission.is_disqualified == is_disqualified:
            raise ModerationError(f"Submission {submission_id} is{'' if is_disqualified else ' not'} disqualified.")
        found.update(is_disqualified=is_disqualified, disqualification=reason if is_disqualified else "")
        kind = Kind.DISQUALIFY if is_disqualified else Kind.RESTORE
        act = ModerationAct.objects.create(
            kind=kind, player_id=submission.player_id, submission=submission, reason=reason, by=by, at=now
        )
        players_counted_anew.send(sender=None, player_ids=[submission.player_id])
    return act


def rename_player(*, player_id: int, name: str, reason: str, now: datetime.datetime, by: Player) -> ModerationAct:
    """Give a player another name, on every board from now on. Raises `ModerationError`."""
    reason, name = _reason(reason), _name(name)
    with _free_name(name), transaction.atomic():
        player = _locked_player(player_id)
        if player.name == name:
            raise ModerationError(f"The player is named {name} already.")
        return _rename(player, name, Kind.RENAME, reason, now, by)


def undo_renaming(*, act_id: int, reason: str, now: datetime.datetime, by: Player) -> ModerationAct:
    """Give a player the name back that an act took away. Raises `ModerationError`, also once the name is another."""
    reason = _reason(reason)
    act = ModerationAct.objects.filter(pk=act_id, kind__in=[Kind.RENAME, Kind.NAME_BACK]).first()
    if act is None:
        raise ModerationError("There is no such renaming.")
    with _free_name(act.old_name), transaction.atomic():
        player = _locked_player(act.player_id)
        if player.name != act.new_name:
            raise ModerationError(f"The player isn't named {act.new_name} any more.")
        return _rename(player, act.old_name, Kind.NAME_BACK, reason, now, by)


_BAN = ["is_banned", "banned_at", "banned_until", "ban_reason"]


def _clear(player: Player) -> None:
    player.is_banned, player.banned_at, player.banned_until, player.ban_reason = False, None, None, ""


def _turn(player: Player, kind: Kind, by: Player, now: datetime.datetime, **what: Any) -> ModerationAct:
    player.save(update_fields=_BAN)
    act = ModerationAct.objects.create(kind=kind, player=player, by=by, at=now, **what)
    players_counted_anew.send(sender=None, player_ids=[player.pk])
    return act


def _rename(player: Player, name: str, kind: Kind, reason: str, now: datetime.datetime, by: Player) -> ModerationAct:
    old_name, player.name = player.name, name
    player.save(update_fields=["name"])
    return ModerationAct.objects.create(
        kind=kind, player=player, reason=reason, old_name=old_name, new_name=name, by=by, at=now
    )


def _locked_player(player_id: int) -> Player:
    # Not against references: a worker that places a submission of the player's waits for the lock on counting instead.
    player = Player.objects.select_for_update(no_key=True).filter(pk=player_id).first()
    if player is None:
        raise ModerationError(f"There is no player {player_id}.")
    return player


def _reason(text: str) -> str:
    reason = " ".join(text.split())
    if not reason:
        raise ModerationError("Give a reason: it is kept, and the player is told.")
    if len(reason) > REASON_MAX_LENGTH:
        raise ModerationError(f"A reason has at most {REASON_MAX_LENGTH} characters.")
    return reason


def _name(text: str) -> str:
    try:
        return clean_name(text)
    except BadName as error:
        raise ModerationError(str(error)) from None


@contextmanager
def _free_name(name: str) -> Iterator[None]:
    try:
        with free_name(name):
            yield
    except Conflict as error:
        raise ModerationError(str(error)) from None
