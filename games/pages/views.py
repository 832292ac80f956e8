"""The pages where games are played: today's daily of a mode, and practice by code."""

from __future__ import annotations

import datetime
import secrets
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from games.engine import MODES, BadCode, Code
from games.engine.deals import DEALS_PER_GAME
from games.models import Challenge, Player
from games.services import secrecy

from .layouts import columns_of
from .words import board_words, code_problem, mode_name

COURT_CARDS = tuple(rank + suit for rank in "JQK" for suit in "SHDC")

View = Callable[..., HttpResponse]


def page(view: View) -> View:
    """A page that is read only, and never the same for two players."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = view(request, *args, **kwargs)
        response["Cache-Control"] = "private, no-cache"
        return response

    return require_safe(wrapped)


@page
def play_daily(request: HttpRequest, mode: str) -> HttpResponse:
    """Today's daily of a mode. Its deal is handed out by the API, when an attempt starts."""
    if mode not in MODES:
        return _missing(request, _("There is no such game."))
    now = timezone.now()
    dailies = Challenge.objects.visible(now).filter(date=now.astimezone(datetime.UTC).date())
    found = {challenge.mode: challenge for challenge in dailies}
    daily = found.pop(mode, None)
    if daily is None:
        return _missing(request, _("There is no daily of this game today. You can practise it:"), mode=mode)
    challenge = {"id": daily.pk, "date": daily.date, "closesAt": daily.closes_at.isoformat()}
    return _board_page(request, "daily", mode, challenge=challenge, others=[key for key in MODES if key in found])


@page
def play_event(request: HttpRequest, challenge_id: int) -> HttpResponse:
    """An event that is open, or still takes games."""
    now = timezone.now()
    event = Challenge.objects.visible(now).filter(pk=challenge_id, date=None).first()
    if event is None or event.is_over(now):
        return _missing(request, _("There is no such event now. You can practise:"))
    challenge = {"id": event.pk, "date": None, "title": event.title, "closesAt": event.closes_at.isoformat()}
    return _board_page(request, "daily", event.mode, challenge=challenge)


@page
def new_practice(request: HttpRequest) -> HttpResponse:
    """A new random deal of ``?mode=``, or the deal of ``?code=`` as it was typed; without either, the choice."""
    text = request.GET.get("code", "")
    if text:
        try:
            return redirect("practice-deal", code=str(Code.parse(text)))
        except BadCode as error:
            return _missing(request, code_problem(error), status=400)
    mode = request.GET.get("mode", "")
    if mode not in MODES:
        return _missing(request, _("Choose a game to practise:"), status=200 if not mode else 404)
    now = timezone.now()
    while secrecy.is_secret(code=(code := Code(mode, secrets.randbelow(DEALS_PER_GAME))), now=now):
        pass
    return redirect("practice-deal", code=str(code))


@page
def practice(request: HttpRequest, code: str) -> HttpResponse:
    """The deal of a code, for practice; not one of a challenge that is open or still to come."""
    try:
        parsed = Code.parse(code)
    except BadCode as error:
        return _missing(request, code_problem(error))
    if str(parsed) != code:
        return redirect("practice-deal", code=str(parsed))
    if secrecy.is_secret(code=parsed, now=timezone.now()):
        return _missing(request, _("This deal can't be had as practice now. Here is another:"), mode=parsed.mode)
    return _board_page(request, "practice", parsed.mode, deal=secrecy.deal_json(parsed.mode, parsed.number))


@page
def practice_offline(request: HttpRequest, mode: str) -> HttpResponse:
    """The board of a mode without a deal: for browsers to keep, and to deal on it when there is no connection."""
    if mode not in MODES:
        return _missing(request, _("There is no such game."))
    return _board_page(request, "practice", mode)


def _board_page(
    request: HttpRequest,
    kind: str,
    mode: str,
    *,
    deal: dict[str, Any] | None = None,
    challenge: dict[str, Any] | None = None,
    others: Sequence[str] = (),
) -> HttpResponse:
    locale = translation.get_language() or "en"
    player = _session_player(request)
    data = {
        "kind": kind,
        "mode": mode,
        "locale": locale,
        "words": board_words(),
        "pictures": court_pictures(),
        "deal": deal,
        "challenge": challenge,
        "practiceUrl": "/practice/",
        "player": player
        and {"id": player.pk, "isGuest": player.is_guest, "settings": player.settings.get("board", {})},
        "serverTime": timezone.now().isoformat(),
    }
    context = {
        "data": data,
        "kind": kind,
        "mode": mode,
        "mode_name": mode_name(mode),
        "is_member": player is not None and not player.is_guest,
        "game": "forty_thieves" if MODES[mode].family == "FT1" else "klondike",
        "is_vegas": mode.endswith("v"),
        "is_draw_3": "d3" in mode,
        "modes": [(key, mode_name(key)) for key in MODES],
        "other_dailies": [(key, mode_name(key)) for key in others],
        "deal": deal,
        "piles": [] if deal is None else columns_of(deal),
        "challenge": challenge,
    }
    return render(request, "games/play.html", context)


def _session_player(request: HttpRequest) -> Player | None:
    """The player whose session it is. The page calls with the session then, and needs the cookie against forgery."""
    if not request.user.is_authenticated:
        return None
    get_token(request)
    return request.user


def _player_data(player: Player) -> dict[str, Any]:
    return {"id": player.pk, "isGuest": player.is_guest, "settings": player.settings.get("board", {})}


def court_pictures() -> dict[str, str]:
    """The addresses of the pictures of jacks, queens and kings, by their cards."""
    return {card: static(f"games/cards/{card}.svg") for card in COURT_CARDS}


def _missing(request: HttpRequest, message: str, *, mode: str = "", status: int = 404) -> HttpResponse:
    modes = [(key, mode_name(key)) for key in MODES if mode in ("", key)]
    return render(request, "games/choose.html", {"message": message, "modes": modes}, status=status)
