"""What came of one submission, for its player and for those who may see it."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from games.models import Submission

from .places import Place, places_of_submission


@dataclass(frozen=True, slots=True)
class Outcome:
    """A submission with its places by board.

    Who isn't its player sees it whole once its challenge ``is_over``; until then what its board shows anyway.
    """

    submission: Submission
    places: dict[str, Place]
    is_own: bool
    is_over: bool


def find_outcome(*, submission_id: int, viewer_id: int | None, now: datetime.datetime) -> Outcome | None:
    """The submission as the viewer may see it, None where there is nothing to see.

    Others see nothing of a submission that isn't on a board while its challenge is open, and never one that was
    rejected or disqualified, of a banned player, or of a challenge that isn't there.
    """
    submission = Submission.objects.select_related("challenge", "player").filter(pk=submission_id).first()
    if submission is None:
        return None
    challenge = submission.challenge
    is_own, is_over = submission.player_id == viewer_id, challenge.is_over(now)
    if not is_own and not _is_public(submission):
        return None
    places = (
        {}
        if challenge.cancelled_at is not None
        else places_of_submission(submission_id=submission_id, challenge_id=challenge.pk)
    )
    return Outcome(submission, places, is_own, is_over) if is_own or is_over or places else None


def _is_public(submission: Submission) -> bool:
    return (
        submission.state == Submission.State.VERIFIED
        and not submission.is_disqualified
        and not submission.player.is_banned
        and submission.challenge.cancelled_at is None
    )
