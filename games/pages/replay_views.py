"""The pages on which games are watched: one submitted game, a stored winning line, two games side by side."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _

from games.models import Challenge, Player, Submission
from games.services import secrecy, watching

from . import curve
from .game_words import clock_text, score_text
from .views import page
from .watched import viewer_data, watch, watch_submission
from .words import mode_name


@page
def replay(request: HttpRequest, submission_id: int) -> HttpResponse:
    """A submitted game: one's own always, others' once the challenge is over."""
    submission = _find(request, submission_id)
    game = watch_submission(submission)
    context = {
        **_about(request, submission),
        "game": game,
        "data": viewer_data(game),
        "own": _own_beside(request, submission),
    }
    return render(request, "games/replay.html", context)


@page
def winning_line(request: HttpRequest, challenge_id: int) -> HttpResponse:
    """The stored game that proves a deal winnable, once the challenge is over."""
    now = timezone.now()
    challenge = Challenge.objects.visible(now).filter(pk=challenge_id).first()
    log = None if challenge is None else secrecy.challenge_proof(challenge=challenge, now=now)
    if challenge is None or log is None:
        raise Http404
    game = watch(challenge.code, log)
    context = {
        "challenge": challenge,
        "title": _title(challenge),
        "game": game,
        "data": viewer_data(game),
        "score": game.last_score,
    }
    return render(request, "games/winning_line.html", context)


@page
def compare(request: HttpRequest, first_id: int, second_id: int) -> HttpResponse:
    """Two games of the same challenge side by side."""
    submissions = [_find(request, first_id), _find(request, second_id)]
    challenge = submissions[0].challenge
    if submissions[1].challenge_id != challenge.pk:
        raise Http404
    games = [watch_submission(submission) for submission in submissions]
    games = [
        replace(game, curve=curve.draw(game.scores, beside=other.scores))
        for game, other in zip(games, reversed(games), strict=True)
    ]
    context = {
        "challenge": challenge,
        "title": _title(challenge),
        "sides": [
            {**_about(request, submission), "game": game} for submission, game in zip(submissions, games, strict=True)
        ],
        "data": viewer_data(*games),
    }
    return render(request, "games/compare.html", context)


def _find(request: HttpRequest, submission_id: int) -> Submission:
    """The submission, if the visitor may watch it. A game on which the engine broke can't be shown to anybody."""
    player_id = request.user.pk if isinstance(request.user, Player) else None
    found = watching.find_game(submission_id=submission_id, player_id=player_id, now=timezone.now())
    if found is None or found.state == Submission.State.FAILED:
        raise Http404
    return found


def _about(request: HttpRequest, submission: Submission) -> dict[str, Any]:
    """What is said of a submission above its game."""
    mode = submission.challenge.mode
    shown = submission.score
    ranked = submission.ranked_score
    return {
        "submission": submission,
        "challenge": submission.challenge,
        "title": _title(submission.challenge),
        "player": submission.player,
        "name": _("deleted player") if submission.player.deleted_at else submission.player.name,
        "is_own": submission.player_id == request.user.pk,
        "score": None if shown is None else score_text(shown, mode),
        "ranked_score": None if ranked is None or ranked == shown else score_text(ranked, mode),
        "time": clock_text(submission.elapsed // 10),
    }


def _own_beside(request: HttpRequest, submission: Submission) -> int | None:
    """The visitor's best game of the same challenge, to put beside another's."""
    if not isinstance(request.user, Player) or submission.player_id == request.user.pk:
        return None
    own = Submission.objects.filter(
        challenge_id=submission.challenge_id, player=request.user, state=Submission.State.VERIFIED
    )
    best = own.order_by("-won", "-ranked_score", "moves", "elapsed", "pk")
    return best.values_list("pk", flat=True).first()


def _title(challenge: Challenge) -> str:
    return challenge.title or mode_name(challenge.mode)
