"""The result of one game: what it came to, where it stands, and how everybody else did."""

from __future__ import annotations

import datetime
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _

from games.models import Submission, SubmissionLog
from games.pages.views import page
from games.services.challenges import list_today
from games.services.secrecy import challenge_par
from games.templatetags.play import mode_name, number, score
from leaderboards.addresses import ChallengeBoard
from leaderboards.services.reading import read_distribution
from leaderboards.services.results import Outcome, find_outcome

from .histogram import Histogram, lay_out
from .sharing import Share
from .words import challenge_name, place_text, tenths_home

#: So many actions before a refused one are shown with it.
_BEFORE_REFUSED = 8


@page
def result(request: HttpRequest, submission_id: int) -> HttpResponse:
    """One's own game in every state; another's once its challenge is over, before that an invitation to play."""
    now = timezone.now()
    outcome = find_outcome(submission_id=submission_id, viewer_id=request.user.pk, now=now)
    if outcome is None:
        raise Http404
    submission, challenge = outcome.submission, outcome.submission.challenge
    is_verified = submission.state == Submission.State.VERIFIED
    context = {
        "outcome": outcome,
        "submission": submission,
        "challenge": challenge,
        "name": challenge_name(challenge),
        "share": _share(request, outcome) if is_verified else None,
    }
    if not (outcome.is_own or outcome.is_over):
        return render(request, "leaderboards/invitation.html", context)
    if not is_verified:
        return render(request, "leaderboards/unverified.html", {**context, **_unverified(submission, now)})
    context |= {
        "histogram": _histogram(outcome),
        "par": challenge_par(challenge=challenge, now=now) if outcome.is_over else None,
        "share_text": share_text(request, outcome),
        "is_open": challenge.is_open(now),
        "others": [other for other in list_today(now=now) if other.date and other.mode != challenge.mode],
    }
    return render(request, "leaderboards/result.html", context)


def _unverified(submission: Submission, now: datetime.datetime) -> dict[str, Any]:
    """Until when to wait, or which action was refused. Who has waited long is asked to look less often."""
    waited = (now - submission.received_at).total_seconds()
    found: dict[str, Any] = {"reload_after": round(min(30.0, 1 + waited / 8), 1)}
    if submission.rejection is not None:
        index = submission.rejection["index"]
        found["number"] = None if index is None else index + 1
        if index is not None:
            words = SubmissionLog.objects.get(pk=submission.pk).text.split()
            found["before"] = words[max(0, index - _BEFORE_REFUSED) : index]
    return found


def _histogram(outcome: Outcome) -> Histogram | None:
    submission = outcome.submission
    if submission.challenge.cancelled_at is not None:
        return None
    board = ChallengeBoard(submission.challenge_id, "best")
    found = read_distribution(board=board, mode=submission.challenge.mode)
    return lay_out(found, own_score=submission.ranked_score if submission.ranked else None)


def share_text(request: HttpRequest, outcome: Outcome) -> str:
    """The result in a few lines for others who play the same deal: it tells nothing of the cards."""
    submission, challenge = outcome.submission, outcome.submission.challenge
    home = tenths_home(submission)
    figures = {
        "score": score(submission.ranked_score or 0, challenge.mode),
        "moves": number(submission.moves or 0),
    }
    won, lost = _("Won with {score} in {moves} moves"), _("Not won: {score} in {moves} moves")
    lines = [
        f"qvserver · {mode_name(challenge.mode)} · {challenge_name(challenge)}",
        "🟩" * home + "⬜" * (10 - home),
        (won if submission.won else lost).format(**figures),
        *([place_text(outcome.places["best"])] if "best" in outcome.places else []),
        request.build_absolute_uri(request.path),
    ]
    return "\n".join(lines)


def _share(request: HttpRequest, outcome: Outcome) -> Share:
    submission, challenge = outcome.submission, outcome.submission.challenge
    points = score(submission.ranked_score or 0, challenge.mode)
    title = _("{player}: {score} at {game}").format(
        player=submission.player.name, score=points, game=mode_name(challenge.mode)
    )
    return Share.of(
        request,
        title=title,
        description=_("The same deal for everybody: can you do better?"),
        picture="result-picture",
        submission_id=submission.pk,
    )
