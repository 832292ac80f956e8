"""The pictures that shared addresses are shown with: of the day, of a result, of a challenge."""

from __future__ import annotations

import hashlib
from typing import Any, cast

from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext
from django.views.decorators.http import require_safe

from games.models import Challenge
from games.services.challenges import list_today
from games.templatetags.play import mode_name, number, score
from leaderboards.services.places import count_players
from leaderboards.services.results import find_outcome

from .drawing import DESIGN, Picture, can_draw, draw
from .words import challenge_name, place_text, tenths_home


@require_safe
def today_picture(request: HttpRequest) -> HttpResponse:
    """Today's dailies by name."""
    now = timezone.now()
    modes = [mode_name(challenge.mode) for challenge in list_today(now=now) if challenge.date]
    picture = Picture(
        title=_("Solitaire, with the same cards for everybody"),
        subtitle=_("Play at once, without signing up, and see your rank."),
        figure=date_format(now, "DATE_FORMAT"),
        lines=tuple(modes[:3]),
    )
    return _answer(request, picture)


@require_safe
def result_picture(request: HttpRequest, submission_id: int) -> HttpResponse:
    """A result as its board shows it at the moment."""
    outcome = find_outcome(submission_id=submission_id, viewer_id=None, now=timezone.now())
    if outcome is None:
        raise Http404
    submission, challenge = outcome.submission, outcome.submission.challenge
    name = submission.player.name
    lines = [name] if can_draw(name) else []
    if (place := outcome.places.get("best")) is not None:
        lines.append(place_text(place))
    picture = Picture(
        title=mode_name(challenge.mode),
        subtitle=challenge_name(challenge),
        figure=score(submission.ranked_score or 0, challenge.mode),
        badge=pgettext("game", "Won") if submission.won else "",
        lines=tuple(lines),
        home=tenths_home(submission),
    )
    return _answer(request, picture)


@require_safe
def challenge_picture(request: HttpRequest, challenge_id: int) -> HttpResponse:
    """A challenge: its game and its day."""
    challenge = Challenge.objects.visible(timezone.now()).filter(pk=challenge_id).first()
    if challenge is None:
        raise Http404
    players = count_players(challenge_ids=[challenge.pk])[challenge.pk]
    picture = Picture(
        title=mode_name(challenge.mode),
        subtitle=challenge_name(challenge),
        figure=ngettext("{count} player", "{count} players", players).format(count=number(players)),
        lines=(_("The same deal for everybody: can you do better?"),),
    )
    return _answer(request, picture)


def _answer(request: HttpRequest, picture: Picture) -> HttpResponse:
    """The picture, drawn only for who doesn't have it yet. Caches ask each time: a ban takes the picture along."""
    etag = f'"{hashlib.blake2b(repr((DESIGN, picture)).encode(), digest_size=12).hexdigest()}"'
    unchanged: Any = get_conditional_response(request, etag=etag)
    response = unchanged or HttpResponse(draw(picture), content_type="image/png")
    response["ETag"] = etag
    response["Cache-Control"] = "public, no-cache"
    return cast(HttpResponse, response)
