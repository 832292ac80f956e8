"""What every page shows around its own content."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.text import capfirst
from django.utils.translation import get_language_info
from django.utils.translation import gettext as _

from games.pages.layouts import local_letters

#: The appearance is a cookie, so that the server sends the right colours at once: no flash of the other ones.
THEME_COOKIE = "qv-theme"
THEMES = ("light", "dark")


def remember(response: HttpResponse, cookie: str, value: str) -> None:
    """Have the browser keep a choice as long as sessions live."""
    response.set_cookie(
        cookie, value, max_age=settings.SESSION_COOKIE_AGE, secure=settings.SESSION_COOKIE_SECURE, samesite="Lax"
    )


def around(request: HttpRequest) -> dict[str, Any]:
    """A context processor: the visitor, the main addresses, the languages, the appearance."""
    theme = request.COOKIES.get(THEME_COOKIE, "")
    return {
        "visitor": request.user if request.user.is_authenticated else None,
        "sections": _sections(request),
        "languages": [(code, capfirst(get_language_info(code)["name_local"])) for code, _name in settings.LANGUAGES],
        "theme": theme if theme in THEMES else "",
        "has_local_letters": bool(local_letters()),
    }


def _sections(request: HttpRequest) -> list[tuple[str, str, bool]]:
    """The main addresses: address, name, and whether the page is below it."""
    sections = [
        ("/", _("Today")),
        ("/boards/", _("Boards")),
        ("/calendar/", _("Calendar")),
        ("/practice/", _("Practice")),
        ("/clubs/", _("Clubs")),
        ("/rules/", _("Rules")),
    ]
    path = request.path_info
    return [
        (address, name, path == address or (address != "/" and path.startswith(address))) for address, name in sections
    ]
