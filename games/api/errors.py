"""The one error shape: ``{"error": {"code", "message", "details"}}``, made in one place whatever went wrong."""

from __future__ import annotations

from typing import Any

import msgspec
from django.conf import settings
from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpResponse
from rest_framework.exceptions import APIException
from rest_framework.response import Response

from games.engine import BadCode, BadLog
from games.services.intake import Banned, Conflict, NotFound, Refused, Unauthenticated


class ApiError(Exception):
    """A call that is refused: HTTP status, a word for machines, a sentence for people, and what else helps."""

    def __init__(self, status: int, code: str, message: str, **details: Any) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.details = details
        self.headers: dict[str, str] = {}


def not_found(message: str = "There is nothing at this address.") -> ApiError:
    """The answer for what isn't there, or isn't the caller's to know."""
    return ApiError(404, "not_found", message)


def unauthenticated() -> ApiError:
    """The answer where a token is missing, unknown or expired."""
    return ApiError(
        401,
        "not_authenticated",
        "This call needs a token: send the header 'Authorization: Token ...'. POST /api/v1/players/guest/ gives one.",
    )


def too_large() -> ApiError:
    """The answer to a body of more bytes than are taken."""
    kibibytes = settings.DATA_UPLOAD_MAX_MEMORY_SIZE // 1024
    return ApiError(413, "too_large", f"The body is too large: {kibibytes} KiB are taken at most.")


def as_api_error(error: Exception) -> ApiError | None:
    """What the API answers to an exception; None where it is a fault of the server's own."""
    match error:
        case ApiError():
            return error
        case Unauthenticated():
            return unauthenticated()
        case NotFound():
            return ApiError(404, error.code, str(error))
        case Conflict():
            return ApiError(409, error.code, str(error))
        case Refused():
            return ApiError(400, error.code, str(error))
        case Banned():
            return ApiError(403, error.code, str(error), reason=error.reason, until=error.until)
        case BadLog():
            status = 413 if error.reason == "log_too_large" else 400
            return ApiError(status, error.reason, error.message, index=error.index, action=error.action)
        case BadCode():
            return ApiError(400, error.reason, error.message)
        case RequestDataTooBig():
            return too_large()
        case SuspiciousOperation():
            return ApiError(400, "bad_request", "The call can't be understood: its query has too many parts, for one.")
        case msgspec.ValidationError():
            return ApiError(400, "bad_request", f"The body doesn't fit: {error}.")
        case msgspec.DecodeError() | UnicodeDecodeError() | RecursionError():
            return ApiError(400, "bad_json", f"The body is not JSON: {error}.")
        case UnicodeEncodeError():
            # Half of a pair of surrogates, which JSON can write and nothing can store.
            return ApiError(400, "bad_text", "The text has half a character in it.")
        case Http404():
            return not_found()
        case PermissionDenied():
            return ApiError(403, "forbidden", "This call is not for you.")
        case APIException():
            code = error.default_code if isinstance(error.detail, (list, dict)) else error.detail.code
            details = {"fields": error.detail} if isinstance(error.detail, (list, dict)) else {}
            return ApiError(error.status_code, str(code), _sentence(error.detail), **details)
        case OperationalError() | InterfaceError():
            return ApiError(503, "database_away", "The database is away for a moment: send the same call again.")
    return None


def _sentence(detail: Any) -> str:
    return str(detail) if isinstance(detail, str) else "The call doesn't fit; details names what."


def _body(error: ApiError) -> dict[str, Any]:
    return {"error": {"code": error.code, "message": error.message, "details": error.details}}


def error_response(error: ApiError) -> HttpResponse:
    """The HTTP answer for an error."""
    response = HttpResponse(msgspec.json.encode(_body(error)), status=error.status, content_type="application/json")
    for name, value in error.headers.items():
        response[name] = value
    if error.status == 401:
        response["WWW-Authenticate"] = "Token"
    if error.status == 503:
        response["Retry-After"] = "1"
    response["Cache-Control"] = "no-store"
    return response


def exception_handler(exception: Exception, context: dict[str, Any]) -> Response | None:
    """REST framework's hook: the same shape for the views that it runs itself."""
    error = as_api_error(exception)
    return None if error is None else Response(_body(error), status=error.status)
