"""Keeps the API's error shape where a call fails outside a view."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from .errors import ApiError, as_api_error, error_response, too_large

#: Where answers are JSON: the API, and allauth's calls.
JSON_PATHS = ("/api/", "/_allauth/")


class ApiErrorMiddleware:
    """Answers for `JSON_PATHS` what Django would answer in HTML; refuses bodies in an encoding that nobody undoes."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not request.path_info.startswith(JSON_PATHS):
            return self.get_response(request)
        if refusal := _refuse_early(request):
            return error_response(refusal)
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """The error shape for what a view let through; other faults go on to Django, which logs them."""
        if request.path_info.startswith(JSON_PATHS) and (error := as_api_error(exception)):
            return error_response(error)
        return None


def _refuse_early(request: HttpRequest) -> ApiError | None:
    if request.headers.get("Content-Encoding", "identity") != "identity":
        return ApiError(415, "unsupported_encoding", "Send the body as it is, without compression.")
    length = request.META.get("CONTENT_LENGTH") or "0"
    if not (length.isascii() and length.isdigit() and len(length) < 19):
        return ApiError(400, "bad_request", "Content-Length is not a number.")
    return too_large() if int(length) > settings.DATA_UPLOAD_MAX_MEMORY_SIZE else None
