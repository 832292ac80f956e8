"""What makes the pages an app: a manifest, and a service worker by which board, practice and rules work offline."""

from __future__ import annotations

import hashlib
from functools import cache
from typing import Any, cast

import msgspec
from django.contrib.staticfiles.finders import get_finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from games.engine import MODES
from games.pages.words import mode_name

from .static_storage import OWN_FOLDERS, HashedStorage

#: Fetched while there is a connection, for when there is none. The pages of dailies are kept when they are visited.
OFFLINE_PAGES = ("/offline/", "/rules/", "/rules/forty-thieves/", "/rules/klondike/", "/faq/")
_NOT_FOR_PLAYERS = ("games/admin/", "site/share/")


@require_safe
def manifest(request: HttpRequest) -> HttpResponse:
    """The web app manifest, in the language of the page that names it."""
    pictures = [("192x192", "site/icon-192.png", "any"), ("512x512", "site/icon-512.png", "any")]
    icons = [
        {"src": static("games/icon.svg"), "sizes": "any", "type": "image/svg+xml", "purpose": "any"},
        *({"src": static(name), "sizes": size, "type": "image/png", "purpose": use} for size, name, use in pictures),
        {"src": static("site/icon-maskable.png"), "sizes": "512x512", "type": "image/png", "purpose": "maskable"},
    ]
    shortcuts = [{"name": mode_name(mode), "url": reverse("play", args=[mode])} for mode in MODES if mode[-1] == "n"]
    content = {
        "id": "/",
        "name": "qvserver",
        "short_name": "qvserver",
        "description": _("Daily deals of Klondike and Forty Thieves: everybody gets the same cards."),
        "start_url": "/",
        "scope": "/",
        "display": "standalone",
        "background_color": "#eef3ef",
        "theme_color": "#1f6b52",
        "icons": icons,
        "shortcuts": shortcuts,
    }
    return JsonResponse(content, content_type="application/manifest+json")


@require_safe
def service_worker(request: HttpRequest) -> HttpResponse:
    """The worker's settings, followed by its code. Whenever a static file changes, so does this."""
    files = _own_files()
    storage = cast(HashedStorage, staticfiles_storage)
    settings: dict[str, Any] = {
        "version": hashlib.sha256(" ".join(files).encode()).hexdigest()[:12],
        "isHashed": bool(storage.hashed_files),
        "files": files,
        "staticUrl": storage.base_url,
        "pages": OFFLINE_PAGES,
        "shells": {mode: reverse("practice-offline", args=[mode]) for mode in MODES},
        "modes": {mode.prefix: mode.key for mode in MODES.values()},
    }
    script = (
        f"self.settings = {msgspec.json.encode(settings).decode()};\nimportScripts('{static('site/worker.js')}');\n"
    )
    response = HttpResponse(script, content_type="text/javascript")
    response["Cache-Control"] = "no-cache"
    return response


@require_safe
def offline(request: HttpRequest) -> HttpResponse:
    """What is shown in place of a page that can't be had without a connection."""
    modes = [(mode, mode_name(mode)) for mode in MODES]
    return render(request, "site/offline.html", {"modes": modes})


@cache
def _own_files() -> list[str]:
    """The addresses of all static files that players load, sorted."""
    found = {path for finder in get_finders() for path, _storage in finder.list(["*.md"])}
    wanted = (path for path in found if path.startswith(OWN_FOLDERS) and not path.startswith(_NOT_FOR_PLAYERS))
    return sorted(static(path) for path in wanted)
