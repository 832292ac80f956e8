"""What all pages here share: who visits them, and what becomes of bad addresses."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse

from games.api.errors import ApiError
from games.api.lean import session_user
from games.models import Player
from games.services.intake import NotFound

View = Callable[..., HttpResponse]

_NOT_FOUND = 404


def page(view: View) -> View:
    """A page that is never the same for two visitors. What the API refuses is one of the site's error pages here."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            response = view(request, *args, **kwargs)
        except NotFound as error:
            raise Http404(str(error)) from error
        except ApiError as error:
            raise (Http404 if error.status == _NOT_FOUND else BadRequest)(error.message) from error
        response["Cache-Control"] = "private, no-cache"
        return response

    return wrapped


def visitor_of(request: HttpRequest) -> Player | None:
    """The player of the visitor's session, None without one."""
    return session_user(request)
