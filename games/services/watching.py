"""Which submitted games may be watched, and by whom: the API and the pages ask here."""

from __future__ import annotations

import datetime

from games.models import Submission


def find_game(*, submission_id: int, player_id: int | None, now: datetime.datetime) -> Submission | None:
    """The submission with its log, challenge and player: one's own always, others' once the challenge is over.

    None where there is no such game, where it may not be watched yet, and where its player is banned. ``player_id``
    None is a visitor who hasn't signed in.
    """
    submission = Submission.objects.select_related("challenge", "log", "player").filter(pk=submission_id).first()
    if submission is None:
        return None
    if submission.player_id == player_id:
        return submission
    is_public = submission.challenge.is_over(now) and not submission.player.is_banned
    return submission if is_public else None


def legal_log(submission: Submission) -> str:
    """What can be replayed of a game: all of it, or of a rejected one what comes before the action to blame."""
    if submission.rejection is None:
        return submission.log.text
    return " ".join(submission.log.text.split()[: submission.rejection["index"] or 0])
