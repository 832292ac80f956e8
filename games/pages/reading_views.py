"""The pages that explain: rules, worked examples, questions, and what developers need."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.formats import number_format

from games.engine import MODES
from games.engine.deals import Deal
from games.engine.movelog import MAX_ACTIONS, MAX_BYTES

from . import pictures
from .examples import EXAMPLES, remarks_of
from .views import page
from .watched import viewer_data, watch
from .words import mode_name

_CLIENT = Path(__file__).parent.parent / "static" / "games" / "client.py"
#: Where the client expects a server; the page names its own.
_CLIENT_SERVER = "http://127.0.0.1:8000"

#: The deals of which the pages show cards.
_DEALS = ("FT1-N-AAAAAAV", "KL1-D1N-AAAAAAG")


@page
def rules(request: HttpRequest) -> HttpResponse:
    """What holds for both games: dailies, attempts, ranks, time, periods."""
    return render(request, "games/rules_index.html", {"grace": _grace_minutes()})


@page
def rules_of_forty_thieves(request: HttpRequest) -> HttpResponse:
    """The rules of Forty Thieves."""
    context = {
        "start": pictures.table("FT1-N-AAAAAAV"),
        "fits": pictures.columns(["9S", "8S", "7S"]),
        "wrong_suit": pictures.columns(["8H", "7S"]),
        "wrong_rank": pictures.columns(["9S", "7S"]),
    }
    return render(request, "games/rules_forty_thieves.html", context)


@page
def rules_of_klondike(request: HttpRequest) -> HttpResponse:
    """The rules of Klondike in all its modes."""
    context = {
        "start": pictures.table("KL1-D1N-AAAAAAG"),
        "fits": pictures.columns(["?", "TS", "9H", "8C"]),
        "wrong_colour": pictures.columns(["TS", "9C"]),
        "wrong_rank": pictures.columns(["TS", "8H"]),
        "run": pictures.columns(["?", "JD", "TS", "9H"], ["?", "?", "QC"]),
        "fan": pictures.fan("4D", "KS", "9C"),
        "modes": [(mode, mode_name(mode)) for mode in MODES if mode.startswith("kl-")],
    }
    return render(request, "games/rules_klondike.html", context)


@page
def questions(request: HttpRequest) -> HttpResponse:
    """What players ask."""
    context = {"grace": _grace_minutes(), "guest_days": settings.QV_GUEST_DAYS}
    return render(request, "games/questions.html", context)


@page
def example(request: HttpRequest, game: str) -> HttpResponse:
    """A whole won game with remarks."""
    found = EXAMPLES.get(game)
    if found is None:
        raise Http404
    watched = watch(found.code, found.log, remarks=remarks_of(found))
    context = {
        "game": watched,
        "is_klondike": game == "klondike",
        "code": str(found.code),
        "data": viewer_data(watched),
        "has_remarks": True,
    }
    return render(request, "games/example.html", context)


@page
def developers(request: HttpRequest) -> HttpResponse:
    """The API, the notation, the codes, and a client to start from."""
    api = request.build_absolute_uri("/api/v1/")
    context = {
        "api": api,
        "client": _CLIENT.read_text().replace(_CLIENT_SERVER, api.removesuffix("/api/v1/")),
        "modes": [(mode.key, mode.prefix, mode_name(mode.key)) for mode in MODES.values()],
        "checks": [(code, " ".join(Deal.parse(code).to_dict()["columns"][-1])) for code in _DEALS],
        "max_actions": number_format(MAX_ACTIONS, force_grouping=True),
        "max_kib": MAX_BYTES // 1024,
        "grace": _grace_minutes(),
    }
    return render(request, "games/developers.html", context)


def _grace_minutes() -> int:
    return max(1, round(settings.QV_GRACE.total_seconds() / 60))
