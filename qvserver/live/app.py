"""The ASGI application of the live service."""

from __future__ import annotations

import asyncio
import io
import logging
import random
import re
import resource
import signal
import time
from collections.abc import Awaitable, Callable
from typing import Any

from corsheaders.middleware import CorsMiddleware
from corsheaders.signals import check_request_enabled
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse

from games.api.errors import ApiError, as_api_error, error_response, not_found
from qvserver import metrics
from qvserver.requests import numbered

from .calls import StreamResponse, await_verdict, open_stream
from .database import Database
from .hub import Hub
from .origins import is_own_page
from .reader import Reader, connect
from .rounds import announce_openings, ask_for_verdicts
from .streams import Stream

#: A stream ends after so long, and the client opens another: so a token that has expired stops listening.
STREAM_SECONDS_MAX = 3600.0

Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]

logger = logging.getLogger(__name__)

_SUBMISSION = re.compile(r"/live/submissions/([0-9]{1,18})/")


class Live:
    """The application: one hub, one reader and their connections a process."""

    def __init__(self) -> None:
        self._hub = Hub()
        self._database = Database()
        self._tasks: list[asyncio.Task[None]] = []
        check_request_enabled.connect(is_own_page)
        self._respond: Any = CorsMiddleware(self._answer)

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            await self._serve(ASGIRequest(scope, io.BytesIO()), receive, numbered(scope, send))

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        await self._start()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        for task in self._tasks:
            task.cancel()
        await send({"type": "lifespan.shutdown.complete"})

    async def _start(self) -> None:
        _allow_many_connections()
        self._database.start()
        redis = connect()
        reader = Reader(self._hub, redis)
        self._tasks = [
            asyncio.create_task(reader.run()),
            asyncio.create_task(announce_openings(redis, self._database)),
            asyncio.create_task(ask_for_verdicts(self._hub, self._database)),
        ]
        for task in self._tasks:
            task.add_done_callback(self._task_ended)
        await reader.has_begun.wait()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self._stop)

    def _task_ended(self, task: asyncio.Task[None]) -> None:
        """A service without one of its tasks would look alive: it stops, to be started again."""
        if not task.cancelled():
            logger.error("a task of the live service broke", exc_info=task.exception())
            self._stop()

    def _stop(self) -> None:
        """End the streams, then have the server stop as on Ctrl-C: it would wait for them first."""
        self._hub.close_all()
        signal.raise_signal(signal.SIGINT)

    async def _serve(self, request: HttpRequest, receive: Receive, send: Send) -> None:
        response = await self._respond(request)
        if not isinstance(response, StreamResponse):
            await _send_head(response, send)
            await send({"type": "http.response.body", "body": response.content})
            return
        try:
            await _send_head(response, send)
            await _stream(response.stream, receive, send)
        finally:
            self._hub.close(response.stream)

    async def _answer(self, request: HttpRequest) -> HttpResponse:
        try:
            _check_method(request.method)
            return await self._route(request)
        except Exception as exception:
            return error_response(_as_api_error(exception, request.path_info))

    async def _route(self, request: HttpRequest) -> HttpResponse:
        if request.path_info == "/live/events/":
            return await open_stream(request, self._hub, self._database)
        if match := _SUBMISSION.fullmatch(request.path_info):
            return await await_verdict(request, int(match[1]), self._hub, self._database)
        if request.path_info == "/healthz":
            return HttpResponse("ok", content_type="text/plain")
        if request.path_info == "/metrics" and metrics.may_read(request.META):
            return HttpResponse(metrics.page(with_database=False), content_type=metrics.CONTENT_TYPE)
        raise not_found()


def _check_method(method: str | None) -> None:
    if method != "GET":
        raise ApiError(405, "method_not_allowed", f"This address takes GET, not {method}.")


def _as_api_error(exception: Exception, path: str) -> ApiError:
    error = as_api_error(exception)
    if error is None:
        logger.error("GET %s failed", path, exc_info=exception)
        return ApiError(500, "server_error", "Something broke here: it has been noted. Try again later.")
    return error


async def _send_head(response: HttpResponse, send: Send) -> None:
    if not isinstance(response, StreamResponse):
        response["Content-Length"] = str(len(response.content))
    headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in response.items()]
    await send({"type": "http.response.start", "status": response.status_code, "headers": headers})


async def _stream(stream: Stream, receive: Receive, send: Send) -> None:
    # Not all streams of a restarted process shall end at once.
    ends_at = time.monotonic() + STREAM_SECONDS_MAX * random.uniform(0.8, 1.0)
    leaving = asyncio.create_task(_end_when_left(stream, receive))
    stream.writer = asyncio.current_task()
    try:
        while time.monotonic() < ends_at and (chunk := await stream.next_chunk()) is not None:
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})
    except asyncio.CancelledError:
        logger.info("a client that read too slowly was dropped")
    finally:
        leaving.cancel()


async def _end_when_left(stream: Stream, receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    stream.end()


def _allow_many_connections() -> None:
    """Each connection is an open file, of which a process may have few by default."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
