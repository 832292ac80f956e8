"""Which language a page speaks: the account's, else the one chosen by the cookie, else what the browser asks for."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import get_language_from_request
from django.views.decorators.http import require_POST

from games.models import Player
from games.services.profiles import change_settings

from .site import remember

#: Answers for machines: their words are codes, the sentences are English for whoever writes a client.
_MACHINES = ("/api/", "/admin/", "/healthz", "/readyz", "/metrics")


class LanguageMiddleware:
    """Activates the language of a page, and says so to whoever keeps the answer."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path_info.startswith(_MACHINES):
            return self.get_response(request)
        language = language_of(request)
        with translation.override(language):
            response = self.get_response(request)
        response.headers.setdefault("Content-Language", language)
        patch_vary_headers(response, ("Accept-Language", "Cookie"))
        return response


def language_of(request: HttpRequest) -> str:
    """The code of one of ``LANGUAGES``."""
    chosen = request.user.settings.get("language") if request.user.is_authenticated else None
    return chosen if chosen in dict(settings.LANGUAGES) else get_language_from_request(request)


@require_POST
def choose_language(request: HttpRequest) -> HttpResponse:
    """Keeps the language that the page's form names, with the account and in a cookie; goes back to ``next``."""
    response = redirect(_next_page(request))
    language = request.POST.get("language", "")
    if language in dict(settings.LANGUAGES):
        player = request.user
        if isinstance(player, Player):
            change_settings(player_id=player.pk, settings={**player.settings, "language": language})
        remember(response, settings.LANGUAGE_COOKIE_NAME, language)
    return response


def _next_page(request: HttpRequest) -> str:
    page = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(page, allowed_hosts=None) and urlsplit(page).path.startswith("/")
    return page if is_ours else "/"
