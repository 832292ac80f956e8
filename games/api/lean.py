"""The base of all API views: a function from a request to a shape, with as little around it as a call can do with.

REST framework lends the class (so drf-spectacular documents it) but not its machinery: no negotiation, no serializers,
no permission classes at run time. What a view takes and gives are `msgspec.Struct` shapes, which check a body, pack an
answer, and are the schema.
"""

from __future__ import annotations

import datetime
import functools
import hashlib
import logging
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import msgspec
from django.conf import settings
from django.contrib.auth.models import update_last_login
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.cache import get_conditional_response, patch_vary_headers
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.authentication import CSRFCheck
from rest_framework.permissions import AllowAny, IsAuthenticated
from rest_framework.views import APIView

from games.models import Player
from games.services.players import Caller, Credential, find_caller, token_digest

from .errors import ApiError, as_api_error, error_response, unauthenticated
from .limits import add_headers, count_call

S = TypeVar("S", bound=msgspec.Struct)
Answer = tuple[int, Any] | HttpResponseBase

logger = logging.getLogger(__name__)
_encoder = msgspec.json.Encoder()


class LeanView(APIView):
    """A view whose handlers return (status, shape). Its calls need a token unless it is ``public``.

    ``scope`` names the limits that count its calls. Answers of a view that ``revalidates`` carry an ETag: who sends it
    back gets a 304 while nothing has changed.
    """

    public = False
    scope = "call"
    revalidates = False

    def get_permissions(self) -> Sequence[Any]:
        """For the documentation alone: whether a call needs a token."""
        return [AllowAny()] if self.public else [IsAuthenticated()]

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Run the handler of the method and pack its answer."""
        try:
            method = "get" if request.method == "HEAD" else (request.method or "").lower()
            handler: Callable[..., Answer] | None = getattr(self, method, None)
            if handler is None or method == "options":
                return self._method_not_allowed(request)
            window = count_call(request, self.scope)
            answer = handler(request, *args, **kwargs)
            response = answer if isinstance(answer, HttpResponseBase) else json_response(*answer)
            if self.revalidates and isinstance(response, HttpResponse) and response.status_code == 200:
                response = _revalidate(request, response)
            return add_headers(response, window)
        except Exception as exception:
            error = as_api_error(exception)
            if error is None:
                logger.exception("%s %s failed", request.method, request.path)
                error = ApiError(500, "server_error", "Something broke here: it has been noted. Try again later.")
            return error_response(error)

    def _method_not_allowed(self, request: HttpRequest) -> HttpResponse:
        allowed = [name.upper() for name in ("get", "post", "put", "patch", "delete") if hasattr(self, name)]
        if request.method == "OPTIONS":
            response = HttpResponse(status=204)
        else:
            message = f"This address takes {' and '.join(allowed)}, not {request.method}."
            response = error_response(ApiError(405, "method_not_allowed", message))
        response["Allow"] = ", ".join(allowed)
        return response


def json_response(status: int, body: Any) -> HttpResponse:
    """An answer in JSON that no cache keeps."""
    response = HttpResponse(_encoder.encode(body), status=status, content_type="application/json")
    response["Cache-Control"] = "no-store"
    return response


def _revalidate(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """A 304 where the caller has this answer already. Caches may keep it if they ask again each time."""
    etag = f'"{hashlib.blake2b(response.content, digest_size=12).hexdigest()}"'
    is_private = "HTTP_AUTHORIZATION" in request.META or settings.SESSION_COOKIE_NAME in request.COOKIES
    response["ETag"] = etag
    response["Cache-Control"] = "private, no-cache" if is_private else "public, no-cache"
    patch_vary_headers(response, ["Authorization", "Cookie"])
    conditional: Any = get_conditional_response(request, etag=etag, response=response)
    return cast(HttpResponse, conditional)


def caller_of(request: HttpRequest) -> Caller:
    """Who makes the call, by token or by session. Raises the 401 where there is neither."""
    if token := bearer_token(request):
        caller = find_caller(token=token, now=timezone.now())
    else:
        user = session_user(request)
        caller = None if user is None else Caller(user.pk, user.name, user.is_guest)
    if caller is None:
        raise unauthenticated()
    return caller


def caller_if_any(request: HttpRequest) -> Caller | None:
    """Who makes the call, None where it shows nothing of that. Raises the 401 for a token that is no good."""
    return caller_of(request) if bearer_token(request) or session_user(request) else None


def bearer_token(request: HttpRequest) -> str | None:
    """The token of the Authorization header, None without the header. Raises the 401 for a header of another form."""
    header = request.META.get("HTTP_AUTHORIZATION")
    if not header:
        return None
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "token" or not token.strip():
        raise unauthenticated()
    return str(token.strip())


def credential_of(request: HttpRequest) -> Credential:
    """What the call brings along to show who makes it, for calls that find that out along with the rest."""
    if (token := bearer_token(request)) is not None:
        return Credential(digest=token_digest(token))
    user = session_user(request)
    return Credential(session_player=None if user is None else user.pk)


def session_user(request: HttpRequest) -> Player | None:
    """The player of the call's session, None without one. Raises the 403 for a change that another site may have sent.

    A session lives 90 days from its last day of use.
    """
    if settings.SESSION_COOKIE_NAME not in request.COOKIES or not request.user.is_authenticated:
        return None
    if request.method not in ("GET", "HEAD", "OPTIONS"):
        check = CSRFCheck(lambda _: HttpResponse())
        check.process_request(request)
        if reason := check.process_view(request, lambda _: HttpResponse(), (), {}):
            raise ApiError(403, "csrf_failed", f"Send the cookie csrftoken also as the header X-CSRFToken. {reason}")
    today = timezone.now().date().isoformat()
    if request.session.get("used_on") != today:
        request.session["used_on"] = today
        if request.user.is_guest:
            # By it those are known who don't call any more.
            update_last_login(Player, request.user)
    return request.user


@functools.cache
def _decoder(shape: type[S]) -> msgspec.json.Decoder[S]:
    return msgspec.json.Decoder(shape)


def read_body(request: HttpRequest, shape: type[S]) -> S:
    """The body as a shape. Raises what `as_api_error` knows: not JSON, wrong fields, too large."""
    return cast(S, _decoder(shape).decode(request.body))


def int_parameter(request: HttpRequest, name: str, *, default: int, minimum: int, maximum: int) -> int:
    """A whole number from the query string. Raises the 400 that names the parameter and its range."""
    text = request.GET.get(name)
    if text is None:
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 10 and minimum <= int(text) <= maximum):
        raise ApiError(400, "bad_parameter", f"{name} must be a number from {minimum} to {maximum}.", parameter=name)
    return int(text)


def choice_parameter(request: HttpRequest, name: str, choices: Sequence[str], *, default: str | None) -> str:
    """One of some words from the query string. Raises the 400 that names the parameter and the words."""
    text = request.GET.get(name, default)
    if text is None or text not in choices:
        raise ApiError(400, "bad_parameter", f"{name} must be one of {', '.join(choices)}.", parameter=name)
    return text


def date_parameter(request: HttpRequest) -> datetime.date | None:
    """The ``date`` of the query string, None without one. Raises the 400 for what is no date."""
    text = request.GET.get("date")
    try:
        return None if text is None else datetime.date.fromisoformat(text)
    except ValueError:
        raise ApiError(400, "bad_parameter", "date must be a date like 2026-01-31.", parameter="date") from None


class Failure(msgspec.Struct):
    """What went wrong."""

    code: str
    message: str
    details: dict[str, Any]


class ErrorBody(msgspec.Struct):
    """The one error shape."""

    error: Failure


_ERRORS = {
    400: "The call doesn't fit; the message names what.",
    401: "The token is missing, unknown or expired.",
    403: "For somebody else, banned, or a change by session without the header X-CSRFToken.",
    404: "It isn't there, or isn't the caller's to see.",
    409: "It contradicts what is there.",
    413: "The body or the log is too large.",
    415: "The body is compressed.",
    429: "Too many calls; Retry-After says for how many seconds.",
    503: "The database is away for a moment; send the same call again.",
}

#: Shapes that views were described with: the components of the schema.
described: set[type[msgspec.Struct]] = {ErrorBody}


def describe(
    summary: str,
    *,
    answers: dict[int, type[msgspec.Struct]],
    body: type[msgspec.Struct] | None = None,
    errors: Sequence[int] = (),
    parameters: Sequence[OpenApiParameter] = (),
    description: str = "",
) -> Callable[[Callable[..., Answer]], Callable[..., Answer]]:
    """Document a handler: the schema is made of the same shapes that the handler takes and gives."""
    described.update(answers.values(), [body] if body else [])
    responses: dict[Any, Any] = {}
    for status, shape in answers.items():
        responses[status] = OpenApiResponse(_reference(shape), shape.__doc__ or "")
    for status in sorted({*errors, *((413, 415) if body else ()), 429, 503}):
        responses[status] = OpenApiResponse(_reference(ErrorBody), _ERRORS[status])
    decorate: Any = extend_schema(
        summary=summary,
        description=description or summary,
        request={"application/json": _reference(body)} if body else None,
        responses=responses,
        parameters=list(parameters),
    )
    return decorate  # type: ignore[no-any-return]


class Schema(AutoSchema):
    """Names operations after views: ``getBoardPage``."""

    def get_operation_id(self) -> str:
        return f"{self.method.lower()}{type(self.view).__name__}"


def _reference(shape: type[msgspec.Struct]) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{shape.__name__}"}


def add_shapes(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """drf-spectacular's postprocessing hook: put the described shapes among the components."""
    _refs, components = msgspec.json.schema_components(
        sorted(described, key=lambda shape: shape.__name__), ref_template="#/components/schemas/{name}"
    )
    result.setdefault("components", {}).setdefault("schemas", {}).update(components)
    return result
