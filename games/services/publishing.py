"""Putting deals up for competition, and what admins do with them. Every change is kept in the challenge's history.

The deal of a challenge that has opened never changes; such a challenge can be cancelled, and brought back.
"""

from __future__ import annotations

import datetime
import secrets
from dataclasses import dataclass
from typing import Literal

from django.db import IntegrityError, transaction

from games.announcements import announce_challenge
from games.engine import MODES, Code
from games.engine.deals import DEALS_PER_GAME
from games.models import Challenge, Player, Search
from games.signals import challenge_counted_anew
from games.wakeups import wake

from .challenges import news_of

#: A deal isn't changed in the last moments before it opens: whoever starts the attempt must see the one that stays.
SWAP_MARGIN = datetime.timedelta(minutes=1)


class PublishingError(ValueError):
    """A challenge can't be published or changed like that; the message says why."""


@dataclass(frozen=True, slots=True)
class Proof:
    """A deal and the log that wins it, as the solver found it. The engine replays it before it is stored.

    ``seconds`` of wall time were spent on this deal.
    """

    code: Code
    log: str
    seconds: float
    solver_version: int
    difficulty: str

    def put_into(self, challenge: Challenge) -> None:
        """Make this the challenge's deal and proof."""
        challenge.mode, challenge.number = self.code.mode, self.code.number
        challenge.winning_log, challenge.par = self.log, None
        challenge.search_seconds, challenge.solver_version = self.seconds, self.solver_version
        challenge.difficulty = self.difficulty


def draw_code(mode: str) -> Code:
    """A random code of the mode."""
    return Code(mode, secrets.randbelow(DEALS_PER_GAME))


def publish_daily(*, date: datetime.date, proof: Proof, now: datetime.datetime) -> tuple[Challenge, bool]:
    """The daily of a UTC date in the proven deal's mode, and whether it is new: a daily that is there stays.

    Raises `PublishingError` where the deal was used before, `games.engine.NotWon` where the log doesn't win it.
    """
    challenge = Challenge(
        date=date,
        opens_at=_midnight(date),
        # The next date's midnight, which needn't be 24 hours away in every calendar; in UTC it is.
        closes_at=_midnight(date + datetime.timedelta(days=1)),
        published_at=now,
    )
    proof.put_into(challenge)
    try:
        _save(challenge, None, f"published with {proof.code}")
    except PublishingError:
        if existing := Challenge.objects.filter(mode=proof.code.mode, date=date).first():
            return existing, False
        raise
    return challenge, True


def publish_event(
    *,
    title: str,
    mode: str,
    opens_at: datetime.datetime,
    closes_at: datetime.datetime,
    code: Code | None = None,
    shows_par: bool = True,
    now: datetime.datetime,
    by: Player | None = None,
) -> Challenge:
    """A challenge with a window and, if given, a code of one's own. It appears to players once it is proven.

    Raises `PublishingError`.
    """
    if mode not in MODES:
        raise PublishingError(f"{mode!r} is no mode: {', '.join(MODES)} are.")
    if code is not None and code.mode != mode:
        raise PublishingError(f"{code} is a deal of {code.mode}, not of {mode}.")
    if not opens_at < closes_at:
        raise PublishingError("An event has to open before it closes.")
    if closes_at <= now:
        raise PublishingError("An event that has closed already can't be played.")
    challenge = Challenge(
        mode=mode,
        # A placeholder where none was given: the solver puts the first drawn deal that it wins in its place.
        number=(code or draw_code(mode)).number,
        title=title,
        opens_at=opens_at,
        closes_at=closes_at,
        shows_par=shows_par,
    )
    with transaction.atomic():
        _save(challenge, by, f"event with {code or 'a random deal'}")
        _ask_solver(challenge, code, now, by)
    return challenge


def swap_deal(*, challenge_id: int, code: Code | None = None, now: datetime.datetime, by: Player | None = None) -> None:
    """Have another deal proven for a challenge that hasn't opened, a random one without a code.

    The present deal stays until then. Raises `PublishingError`.
    """
    with transaction.atomic():
        challenge = _locked(challenge_id)
        _check_changeable(challenge, now)
        if code is not None:
            if code.mode != challenge.mode:
                raise PublishingError(f"{code} is a deal of {code.mode}, not of {challenge.mode}.")
            used = Challenge.objects.with_layout(code).first()
            if used is not None and (used != challenge or challenge.is_proven):
                raise PublishingError(f"{code} was already used: a deal is put up once.")
        _drop_searches(challenge, now)
        _ask_solver(challenge, code, now, by)


def drop_search(*, challenge_id: int, now: datetime.datetime) -> None:
    """Take back what was asked of the solver for a challenge."""
    with transaction.atomic():
        _drop_searches(_locked(challenge_id), now)


def publish_unproven(*, challenge_id: int, now: datetime.datetime, by: Player | None = None) -> None:
    """Let players at an event whose deal the solver hasn't won. Raises `PublishingError`."""
    with transaction.atomic():
        challenge = _locked(challenge_id)
        if challenge.published_at is not None:
            raise PublishingError(f"{challenge} is published already.")
        if Search.objects.filter(challenge=challenge, state=Search.State.IMPOSSIBLE, number=challenge.number).exists():
            raise PublishingError(f"{challenge.code} has no win, as the solver has proven: swap the deal.")
        _drop_searches(challenge, now)
        challenge.published_at = now
        _save(challenge, by, "published without a proof")


def cancel(*, challenge_id: int, now: datetime.datetime, by: Player | None = None) -> None:
    """Take a challenge and its boards from sight, until it is brought back. Nothing of it is lost."""
    with transaction.atomic():
        challenge = _locked(challenge_id, no_key=True)
        if challenge.cancelled_at is None:
            challenge.cancelled_at = now
            _save(challenge, by, "cancelled")
            _announce("cancelled", challenge)
            challenge_counted_anew.send(sender=None, challenge_id=challenge_id)


def bring_back(*, challenge_id: int, by: Player | None = None) -> None:
    """Undo `cancel`."""
    with transaction.atomic():
        challenge = _locked(challenge_id, no_key=True)
        if challenge.cancelled_at is not None:
            challenge.cancelled_at = None
            _save(challenge, by, "brought back")
            _announce("brought_back", challenge)
            challenge_counted_anew.send(sender=None, challenge_id=challenge_id)


def set_featured(*, challenge_id: int, is_featured: bool, by: Player | None = None) -> None:
    """Put a challenge before the others, or back among them."""
    with transaction.atomic():
        challenge = _locked(challenge_id)
        if challenge.is_featured != is_featured:
            challenge.is_featured = is_featured
            _save(challenge, by, "featured" if is_featured else "no longer featured")


def end_search(*, search_id: int, proof: Proof | None, state: str, now: datetime.datetime) -> str:
    """Note what a search came to, and give the challenge the proven deal; returns the state that the search ends in.

    It is dropped where the challenge opened meanwhile with a deal that it had, or where an admin took it back.
    """
    with transaction.atomic():
        search = (
            Search.objects.select_related("challenge", "asked_by").select_for_update(of=("self",)).get(pk=search_id)
        )
        if search.state != Search.State.PROVING:
            return search.state
        challenge = _locked(search.challenge_id)
        if proof is not None:
            state = _give_deal(challenge, proof, now, search.asked_by)
        search.state, search.ended_at = state, now
        search.save()
    return state


def _give_deal(challenge: Challenge, proof: Proof, now: datetime.datetime, by: Player | None) -> str:
    try:
        if challenge.code != proof.code:
            _check_changeable(challenge, now)
        proof.put_into(challenge)
        challenge.published_at = challenge.published_at or now
        _save(challenge, by, f"proven: {proof.code}")
    except PublishingError:
        return Search.State.DROPPED
    return Search.State.PROVEN


def _check_changeable(challenge: Challenge, now: datetime.datetime) -> None:
    """An event that players have never seen can change after its window opened, too."""
    if challenge.published_at is not None and now > challenge.opens_at - SWAP_MARGIN:
        raise PublishingError(f"{challenge} has opened or is about to: its deal stays. It can be cancelled.")


def _locked(challenge_id: int, *, no_key: bool = False) -> Challenge:
    """The challenge; nobody refers to it anew meanwhile, as by an attempt, unless ``no_key``."""
    challenge = Challenge.objects.select_for_update(no_key=no_key).filter(pk=challenge_id).first()
    if challenge is None:
        raise PublishingError(f"There is no challenge {challenge_id}.")
    return challenge


def _save(challenge: Challenge, by: Player | None, reason: str) -> None:
    challenge._history_user = by  # type: ignore[attr-defined]
    challenge._change_reason = reason  # type: ignore[attr-defined]
    try:
        with transaction.atomic():
            challenge.save()
    except IntegrityError as error:
        if "challenge_one_daily" in str(error):
            raise PublishingError(f"{challenge.mode} of {challenge.date} is already published.") from None
        if "challenge_layout" in str(error):
            raise PublishingError(f"{challenge.code} was already used: a deal is put up once.") from None
        raise


def _announce(kind: Literal["cancelled", "brought_back"], challenge: Challenge) -> None:
    """Have everybody told after the commit, if it is a challenge that players may know of."""
    if challenge.published_at is not None:
        news = news_of(challenge)
        transaction.on_commit(lambda: announce_challenge(kind, news), robust=True)


def _ask_solver(challenge: Challenge, code: Code | None, now: datetime.datetime, by: Player | None) -> None:
    Search.objects.create(challenge=challenge, number=None if code is None else code.number, asked_by=by, asked_at=now)
    transaction.on_commit(lambda: wake("games.prove"))


def _drop_searches(challenge: Challenge, now: datetime.datetime) -> None:
    challenge.searches.filter(state=Search.State.PROVING).update(state=Search.State.DROPPED, ended_at=now)


def _midnight(date: datetime.date) -> datetime.datetime:
    return datetime.datetime.combine(date, datetime.time(), datetime.UTC)
