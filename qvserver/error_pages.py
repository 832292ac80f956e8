"""What goes wrong, said in the API's shape to clients and by a page to people."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string

from games.api.errors import ApiError, error_response
from games.api.middleware import JSON_PATHS

ErrorView = Callable[..., HttpResponse]


def _view(status: int, code: str, message: str) -> ErrorView:
    def answer(request: HttpRequest, *_args: Any, **_more: Any) -> HttpResponse:
        if request.path.startswith(JSON_PATHS):
            return error_response(ApiError(status, code, message))
        return render(request, f"{status}.html", status=status)

    return answer


def csrf_failed(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form whose token is missing or too old."""
    if request.path.startswith(JSON_PATHS):
        return error_response(ApiError(403, "csrf_failed", f"The call needs the header X-CSRFToken: {reason}"))
    return render(request, "403_csrf.html", status=403)


def server_error(request: HttpRequest) -> HttpResponse:
    """Something broke: this page asks neither the database nor the session for anything."""
    if request.path.startswith(JSON_PATHS):
        return error_response(
            ApiError(500, "server_error", "Something broke here: it has been noted. Try again later.")
        )
    return HttpResponse(render_to_string("500.html"), status=500)


bad_request = _view(400, "bad_request", "The request can't be understood.")
forbidden = _view(403, "forbidden", "This call is not for you.")
not_found = _view(404, "not_found", "There is nothing at this address.")
too_many_requests = _view(429, "too_many_requests", "Too many requests: wait a moment.")
