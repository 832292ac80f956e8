"""What the calls of the live service read from a request, and whom they answer."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

from django.http import HttpResponse, QueryDict
from django.utils import timezone

from games.api.errors import ApiError, not_found, unauthenticated
from games.api.lean import json_response
from games.models import Submission
from games.services.players import Credential, find_caller, token_digest
from games.services.tickets import read_ticket
from leaderboards.api.views import submission_out
from leaderboards.models.standing import Board
from leaderboards.services.submissions import find_submission

from . import database
from .database import Database
from .entries import EntryId
from .hub import Hub
from .streams import Stream, Watched

WAIT_SECONDS = 10
WAIT_SECONDS_MAX = 30


class Call:
    """A request: its headers and its query."""

    def __init__(self, scope: Any) -> None:
        self.headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        self.query = QueryDict(scope["query_string"])

    @property
    def token(self) -> str | None:
        """The token of the Authorization header, None without the header. Raises the 401 for one of another form."""
        header: str | None = self.headers.get("authorization")
        if not header:
            return None
        scheme, _, token = header.partition(" ")
        if scheme.lower() != "token" or not token.strip():
            raise unauthenticated()
        return token.strip()

    def number(self, name: str, *, default: int | None, maximum: int) -> int | None:
        """A whole number of the query. Raises the 400 that names the parameter and its range."""
        text = self.query.get(name)
        if text is None:
            return default
        if not (text.isascii() and text.isdigit() and len(text) < 19 and int(text) <= maximum):
            raise ApiError(400, "bad_parameter", f"{name} must be a number from 0 to {maximum}.", parameter=name)
        return int(text)

    @property
    def watched(self) -> Watched | None:
        """The board that the client watches."""
        board = self.query.get("board", "best")
        if board not in Board.values:
            raise ApiError(400, "bad_parameter", f"board must be one of {', '.join(Board.values)}.", parameter="board")
        challenge = self.number("watch", default=None, maximum=10**18 - 1)
        return None if challenge is None else (challenge, board)

    @property
    def last_seen(self) -> EntryId | None:
        """The last event that the client has seen. A word that is no id counts as one of long ago."""
        text = self.headers.get("last-event-id") or self.query.get("last_event_id")
        if not text:
            return None
        try:
            return EntryId.parse(text)
        except ValueError:
            return EntryId(0, 0)


async def open_stream(call: Call, hub: Hub, asker: Database) -> Stream:
    """The stream of `GET /live/events/`."""
    watched, last_seen = call.watched, call.last_seen
    player = await asker.ask(lambda: _player(call))
    return hub.open(player=player, watched=watched, last_seen=last_seen)


def _player(call: Call) -> int | None:
    """Who listens, None for somebody who gave neither token nor ticket."""
    if call.token is not None:
        caller = find_caller(token=call.token, now=timezone.now())
        if caller is None:
            raise unauthenticated()
        return caller.id
    ticket = call.query.get("ticket")
    if ticket is None:
        return None
    player = _ticket_holder(ticket)
    if not database.is_active(player):
        raise _bad_ticket()
    return player


async def await_verdict(call: Call, submission_id: int, hub: Hub, asker: Database) -> HttpResponse:
    """The answer of `GET /live/submissions/{id}/`: as soon as the verdict is there, or pending after the wait."""
    wait = call.number("wait", default=WAIT_SECONDS, maximum=WAIT_SECONDS_MAX)
    credential = _credential(call)
    async with _expected(hub, submission_id) as has_verdict:
        row = await asker.ask(lambda: _own(credential, submission_id))
        if row["state"] == Submission.State.PENDING and wait:
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(has_verdict.wait(), wait)
            row = await asker.ask(lambda: _own(credential, submission_id))
    return json_response(200, submission_out(row))


@contextlib.asynccontextmanager
async def _expected(hub: Hub, submission_id: int) -> AsyncIterator[asyncio.Event]:
    """Expect a verdict before the first question is asked: it may come right after the answer."""
    event = hub.expect(submission_id)
    try:
        yield event
    finally:
        hub.forget(submission_id, event)


def _credential(call: Call) -> Credential:
    """What shows who waits: a token, or a ticket for players without one and for pages of another origin."""
    if (token := call.token) is not None:
        return Credential(digest=token_digest(token))
    if (ticket := call.query.get("ticket")) is not None:
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
