"""What the calls of the live service read from a request, and whom they answer."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from games.api.addresses import client_address
from games.api.errors import ApiError, not_found, unauthenticated
from games.api.lean import bearer_token, int_parameter, json_response
from games.api.limits import Window, add_headers, count_call
from games.models import Submission
from games.services.players import Credential, find_caller, token_digest
from games.services.sightings import household
from games.services.tickets import read_ticket
from leaderboards.addresses import Address
from leaderboards.api.board_views import challenge_board, period_board
from leaderboards.api.views import submission_out
from leaderboards.services.submissions import find_submission

from . import database
from .database import Database
from .entries import EntryId
from .hub import Hub
from .streams import Stream

WAIT_SECONDS = 10
WAIT_SECONDS_MAX = 30
#: When to come again who has too many streams open: within an hour one of them ends.
ROOM_SECONDS = 60
#: The limits that count calls here.
SCOPE = "live"


class StreamResponse(HttpResponse):
    """The head of an answer whose body is a stream."""

    def __init__(self, stream: Stream) -> None:
        super().__init__(content_type="text/event-stream")
        self.stream = stream
        self["Cache-Control"] = "no-store"
        # nginx would collect events before it hands them on.
        self["X-Accel-Buffering"] = "no"


async def open_stream(request: HttpRequest, hub: Hub, asker: Database) -> HttpResponse:
    """The stream of `GET /live/events/`."""
    watched, last_seen = _watched(request), _last_seen(request)
    window, player = await asker.ask(lambda: (count_call(request, SCOPE), _player(request, watched)))
    address = client_address(request)
    if address in settings.QV_RATE_EXEMPT:
        return StreamResponse(hub.open(player=player, watched=watched, last_seen=last_seen))
    home = str(household(address) or "") or None
    if not hub.has_room(player=player, household=home):
        raise _too_many_streams()
    stream = hub.open(player=player, watched=watched, last_seen=last_seen, household=home)
    return _counted(StreamResponse(stream), window)


def _too_many_streams() -> ApiError:
    error = ApiError(
        429,
        "too_many_streams",
        f"Too many streams are open: {settings.QV_STREAMS_A_PLAYER} are for one player,"
        f" {settings.QV_STREAMS_AN_ADDRESS} for one address. Close one, or try again in {ROOM_SECONDS} s.",
        retry_after=ROOM_SECONDS,
    )
    error.headers = {"Retry-After": str(ROOM_SECONDS)}
    return error


def _watched(request: HttpRequest) -> Address | None:
    """The board that the client watches: ``watch`` is what stands in the address of the board itself."""
    text = request.GET.get("watch")
    if text is None:
        return None
    mode, slash, period = text.partition("/")
    if slash:
        return period_board(request, mode, period)
    return challenge_board(request, int_parameter(request, "watch", default=0, minimum=0, maximum=999_999_999))


def _last_seen(request: HttpRequest) -> EntryId | None:
    """The last event that the client has seen. A word that is no id counts as one of long ago."""
    text = request.headers.get("Last-Event-ID") or request.GET.get("last_event_id")
    if not text:
        return None
    try:
        return EntryId.parse(text)
    except ValueError:
        return EntryId(0, 0)


def _player(request: HttpRequest, watched: Address | None) -> int | None:
    """Who listens, None for somebody who gave neither token nor ticket. Raises for a club's board of others."""
    player = _holder(request)
    if watched is not None and watched.club_id is not None:
        if player is None:
            raise unauthenticated()
        if not database.is_member(player, watched.club_id):
            raise not_found("There is no such club of yours.")
    return player


def _holder(request: HttpRequest) -> int | None:
    if (token := bearer_token(request)) is not None:
        caller = find_caller(token=token, now=timezone.now())
        if caller is None:
            raise unauthenticated()
        return caller.id
    ticket = request.GET.get("ticket")
    if ticket is None:
        return None
    player = _ticket_holder(ticket)
    if not database.is_active(player):
        raise _bad_ticket()
    return player


async def await_verdict(request: HttpRequest, submission_id: int, hub: Hub, asker: Database) -> HttpResponse:
    """The answer of `GET /live/submissions/{id}/`: as soon as the verdict is there, or pending after the wait."""
    wait = int_parameter(request, "wait", default=WAIT_SECONDS, minimum=0, maximum=WAIT_SECONDS_MAX)
    credential = _credential(request)
    async with _expected(hub, submission_id) as has_verdict:
        window, row = await asker.ask(lambda: (count_call(request, SCOPE), _own(credential, submission_id)))
        if row["state"] == Submission.State.PENDING and wait:
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(has_verdict.wait(), wait)
            row = await asker.ask(lambda: _own(credential, submission_id))
    return _counted(json_response(200, submission_out(row)), window)


def _counted(response: HttpResponse, window: Window | None) -> HttpResponse:
    add_headers(response, window)
    return response


@contextlib.asynccontextmanager
async def _expected(hub: Hub, submission_id: int) -> AsyncIterator[asyncio.Event]:
    """Expect a verdict before the first question is asked: it may come right after the answer."""
    event = hub.expect(submission_id)
    try:
        yield event
    finally:
        hub.forget(submission_id, event)


def _credential(request: HttpRequest) -> Credential:
    """What shows who waits: a token, or a ticket for players without one and for pages of another origin."""
    if (token := bearer_token(request)) is not None:
        return Credential(digest=token_digest(token))
    if (ticket := request.GET.get("ticket")) is not None:
        return Credential(session_player=_ticket_holder(ticket))
    raise unauthenticated()


def _ticket_holder(ticket: str) -> int:
    player = read_ticket(ticket)
    if player is None:
        raise _bad_ticket()
    return player


def _bad_ticket() -> ApiError:
    return ApiError(401, "bad_ticket", "The ticket is too old or unknown: POST /api/v1/live/ticket/ gives another one.")


def _own(credential: Credential, submission_id: int) -> dict[str, Any]:
    caller_id, row = find_submission(credential=credential, submission_id=submission_id, now=timezone.now())
    if caller_id is None:
        raise unauthenticated()
    if row is None:
        raise not_found("There is no such submission of yours.")
    return row
