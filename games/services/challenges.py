"""Reading challenges, with the reader's own state in each."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Max, Q

from games.announcements import ChallengeNews
from games.models import Attempt, Challenge, Submission


@dataclass(frozen=True, slots=True)
class Own:
    """What a player has done in a challenge. ``best_score`` is the best ranked score of a verified submission."""

    attempts: int = 0
    open_attempt: int | None = None
    won: bool = False
    best_score: int | None = None


def own_states(*, player_id: int, challenges: Sequence[Challenge]) -> dict[int, Own]:
    """The player's state in each of the challenges, by challenge."""
    ids = [challenge.pk for challenge in challenges]
    tried = (
        Attempt.objects.filter(player_id=player_id, challenge_id__in=ids)
        .values("challenge_id")
        .annotate(attempts=Count("id"), open=Max("id", filter=Q(ended_at=None)))
    )
    verified = Submission.objects.filter(player_id=player_id, challenge_id__in=ids, state=Submission.State.VERIFIED)
    best = {
        row["challenge_id"]: row
        for row in verified.values("challenge_id").annotate(
            best=Max("ranked_score"), wins=Count("id", filter=Q(won=True))
        )
    }
    states = {}
    for row in tried:
        result: Any = best.get(row["challenge_id"], {})
        states[row["challenge_id"]] = Own(row["attempts"], row["open"], bool(result.get("wins")), result.get("best"))
    return states


def own_attempts(*, player_id: int | None, challenge_id: int) -> list[tuple[Attempt, Submission | None]]:
    """The player's attempts at a challenge in their order, each with its last submission."""
    if player_id is None:
        return []
    attempts = Attempt.objects.filter(player_id=player_id, challenge_id=challenge_id).order_by("number")
    submitted = Submission.objects.filter(player_id=player_id, challenge_id=challenge_id).order_by("id")
    last = {submission.attempt_id: submission for submission in submitted}
    return [(attempt, last.get(attempt.pk)) for attempt in attempts.defer("draft")]


def list_today(*, now: datetime.datetime) -> list[Challenge]:
    """Today's dailies and the open events: those that an admin features first, then dailies, then events."""
    found = Challenge.objects.visible(now).filter(Q(date=now.date()) | Q(date=None, closes_at__gt=now))
    return sorted(found.defer("winning_log").order_by("id"), key=lambda c: (not c.is_featured, c.date is None, c.mode))


def list_challenges(
    *,
    now: datetime.datetime,
    date: datetime.date | None = None,
    mode: str | None = None,
    before: tuple[datetime.datetime, int] | None = None,
    limit: int = 50,
) -> list[Challenge]:
    """Challenges that players may know of, the latest first; ``before`` is the (opens_at, id) of the last one seen."""
    found = Challenge.objects.visible(now).defer("winning_log")
    if date is not None:
        found = found.filter(date=date)
    if mode is not None:
        found = found.filter(mode=mode)
    if before is not None:
        opens_at, challenge_id = before
        found = found.filter(Q(opens_at__lt=opens_at) | Q(opens_at=opens_at, id__lt=challenge_id))
    return list(found.order_by("-opens_at", "-id")[:limit])


def news_of(challenge: Challenge) -> ChallengeNews:
    """What is announced of a challenge: nothing of its deal."""
    return ChallengeNews(
        challenge.pk,
        challenge.mode,
        None if challenge.date is None else challenge.date.isoformat(),
        challenge.title,
        challenge.opens_at.isoformat(),
        challenge.closes_at.isoformat(),
    )
