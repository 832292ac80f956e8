"""Dailies and results without playing them: boards only compare."""

from __future__ import annotations

import datetime

from django.utils import timezone

from games.engine import MODES
from games.models import Attempt, Challenge, Player, Submission
from games.signals import Ruling, verdicts_given


def make_daily(mode: str, date: datetime.date | str, **fields: object) -> Challenge:
    """The daily of a mode and a UTC date, with a deal that nobody will play and a proof that nobody has replayed."""
    day = datetime.date.fromisoformat(date) if isinstance(date, str) else date
    opens_at = datetime.datetime.combine(day, datetime.time(), datetime.UTC)
    number = 1000 * day.toordinal() + list(MODES).index(mode)
    if made := Challenge.objects.filter(mode=mode, date=day).first():
        return made
    values = {"opens_at": opens_at, "closes_at": opens_at + datetime.timedelta(days=1), "published_at": opens_at}
    proof = {"winning_log": "", "par": 1, "search_seconds": 0, "solver_version": 0, "difficulty": "easy"}
    made = Challenge(mode=mode, family=MODES[mode].family, number=number, date=day, **{**values, **proof, **fields})
    super(Challenge, made).save()
    return made


def submit(
    challenge: Challenge,
    name: str,
    *,
    score: int,
    won: bool = False,
    moves: int = 10,
    elapsed: int = 100,
    number: int | None = None,
    guest: bool = False,
    ranked: bool = True,
    state: str = "verified",
) -> tuple[Submission, Ruling]:
    """A player's submission with its verdict, and what would be announced of it."""
    player, _ = Player.objects.get_or_create(name=name, defaults={"is_guest": guest})
    now = timezone.now()
    if number is None:
        number = 1 + Attempt.objects.filter(challenge=challenge, player=player).count()
    attempt = Attempt.objects.create(challenge=challenge, player=player, number=number, started_at=now, ended_at=now)
    submission = Submission.objects.create(
        attempt=attempt,
        challenge=challenge,
        player=player,
        attempt_number=number,
        state=state,
        ranked=ranked,
        received_at=now,
        elapsed=elapsed,
        verified_at=now,
        won=won,
        ranked_score=score,
        moves=moves,
    )
    verified = state == "verified"
    ruling = Ruling(submission.pk, challenge.pk, player.pk, guest, number, ranked, verified, won, score, moves, elapsed)
    return submission, ruling


def place(challenge: Challenge, name: str, **result: object) -> Submission:
    """A player's verified submission, announced as the worker announces it. Takes what `submit` takes."""
    submission, ruling = submit(challenge, name, **result)  # type: ignore[arg-type]
    verdicts_given.send(sender=None, rulings=[ruling])
    return submission
