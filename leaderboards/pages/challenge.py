"""One challenge: its window, one's own attempts, and once it is over its deal and how it was played best."""

from __future__ import annotations

import datetime
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _

from games.models import Challenge
from games.pages.layouts import columns_of, symbols
from games.pages.views import page
from games.services.challenges import own_attempts
from games.services.secrecy import challenge_deal, challenge_par
from games.templatetags.play import mode_name
from leaderboards.addresses import ChallengeBoard
from leaderboards.services.day import read_tiles
from leaderboards.services.reading import read_page

from .sharing import Share
from .words import challenge_name


@page
def challenge(request: HttpRequest, challenge_id: int) -> HttpResponse:
    """A daily or an event that players may know of."""
    now = timezone.now()
    challenge = Challenge.objects.visible(now).filter(pk=challenge_id).first()
    if challenge is None:
        raise Http404
    [tile] = read_tiles(challenges=[challenge], player_id=request.user.pk)
    context = {
        "tile": tile,
        "challenge": challenge,
        "name": challenge_name(challenge),
        "is_open": challenge.is_open(now),
        "is_over": challenge.is_over(now),
        "over_at": challenge.closes_at + settings.QV_GRACE,
        "par": challenge_par(challenge=challenge, now=now),
        "attempts": own_attempts(player_id=request.user.pk, challenge_id=challenge.pk),
        "share": Share.of(
            request,
            title=f"{mode_name(challenge.mode)} · {challenge_name(challenge)}",
            description=_("The same deal for everybody: can you do better?"),
            picture="challenge-picture",
            challenge_id=challenge.pk,
        ),
        **_afterwards(challenge, now),
    }
    return render(request, "leaderboards/challenge.html", context)


def _afterwards(challenge: Challenge, now: datetime.datetime) -> dict[str, Any]:
    """What is shown once the challenge is over: the deal and the first line of its board."""
    deal = challenge_deal(challenge=challenge, now=now)
    if deal is None:
        return {}
    board = read_page(board=ChallengeBoard(challenge.pk, "best"), own=None, after=None, limit=1)
    return {
        "deal": deal,
        "columns": columns_of(deal),
        "stock": [symbols(card) for card in deal["stock"]],
        "best": board.lines[0] if board.lines else None,
    }
