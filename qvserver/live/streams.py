"""The event stream of one client: what waits to be sent, and when it is sent."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Hashable, Iterator
from typing import Any

from leaderboards.addresses import Address

from .entries import EntryId, board_block

#: Blocks that wait for a client; one that reads too slowly for that is dropped, and resumes when it comes again.
QUEUE_LENGTH = 256
HEARTBEAT_SECONDS = 15.0
#: A watched board is announced at most once in so many seconds.
BOARD_SECONDS = 1.0


class Stream:
    """One open stream. ``put`` and its kind never wait; `next_chunk` does, and gives what is to be sent next.

    A chunk ends with the id of the last entry that the client has been told all about. Only the last event of a chunk
    carries one: where a connection breaks in mid chunk, the client resumes before it.
    """

    def __init__(
        self,
        *,
        player: int | None,
        watched: Address | None,
        household: str | None,
        position: Callable[[], EntryId],
    ) -> None:
        self.player = player
        self.watched = watched
        self.household = household
        self.is_ended = False
        #: The task that sends what `next_chunk` gives.
        self.writer: asyncio.Task[Any] | None = None
        self._position = position
        self._blocks: list[bytes] = []
        self._wake = asyncio.Event()
        self._board_version: EntryId | None = None
        self._board_told_at = 0.0

    @property
    def topics(self) -> Iterator[Hashable]:
        """All by which the stream is found."""
        if self.player is not None:
            yield "player", self.player
        if self.watched is not None:
            yield self.watched
            if self.watched.club_id is not None:
                yield "club", self.watched.club_id
        if self.household is not None:
            yield "household", self.household

    def put(self, event: bytes) -> None:
        """Have an event sent; the client is dropped where too many wait already."""
        if len(self._blocks) >= QUEUE_LENGTH:
            self._blocks.clear()
            self.end()
            if self.writer is not None:
                # It waits for the client, which may never read again.
                self.writer.cancel()
        elif not self.is_ended:
            self._blocks.append(event)
            self._wake.set()

    def put_board(self, version: EntryId) -> None:
        """Have it sent, now or soon, that the watched board has changed."""
        self._board_version = version
        self._wake.set()

    def restart(self, event: bytes) -> None:
        """Have this event sent in place of all that waits."""
        self._blocks[:] = [event]
        self.is_ended = False
        self._wake.set()

    def end(self) -> None:
        """Send what waits, and then no more."""
        self.is_ended = True
        self._wake.set()

    async def next_chunk(self) -> bytes | None:
        """What is to be sent next, a heartbeat if there is nothing for a while; None at the end of the stream."""
        heartbeat_at = time.monotonic() + HEARTBEAT_SECONDS
        while True:
            now = time.monotonic()
            self._take_board(now)
            if self._blocks:
                return self._take_blocks()
            if self.is_ended:
                return None
            if now >= heartbeat_at:
                return b": heartbeat\nid: %s\n\n" % str(self._position()).encode()
            board_at = heartbeat_at if self._board_version is None else self._board_told_at + BOARD_SECONDS
            self._wake.clear()
            await _wait(self._wake, min(heartbeat_at, board_at) - now)

    def _take_board(self, now: float) -> None:
        if self._board_version is not None and self.watched and now >= self._board_told_at + BOARD_SECONDS:
            self._blocks.append(board_block(self.watched, self._board_version))
            self._board_version, self._board_told_at = None, now

    def _take_blocks(self) -> bytes:
        chunk = b"\n".join(self._blocks) + b"id: %s\n\n" % str(self._position()).encode()
        self._blocks.clear()
        return chunk


async def _wait(event: asyncio.Event, seconds: float) -> None:
    loop = asyncio.get_running_loop()
    timer = loop.call_later(max(0.0, seconds), event.set)
    try:
        await event.wait()
    finally:
        timer.cancel()
