"""Who listens in this process, and what has been announced lately. It runs in the event loop, and never waits."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import itertools
import logging
from collections import defaultdict, deque
from collections.abc import Hashable, Iterable, Iterator, Sequence

import msgspec
from django.conf import settings

from games.announcements import STREAM_LENGTH
from leaderboards.addresses import Address
from qvserver.counters import STREAMS

from .entries import (
    CHALLENGE_KINDS,
    Entry,
    EntryId,
    block,
    boards_of,
    challenge_block,
    challenge_of,
    club_of,
    player_of,
    verdict_block,
    verdicts_of,
)
from .streams import Stream

_DEGRADED = block("degraded", {})
_RESET = block("reset", {})


logger = logging.getLogger(__name__)


@contextlib.contextmanager
def _passing_over(entry: Entry) -> Iterator[None]:
    """Go on where an entry can't be read: another version may have written it."""
    try:
        yield
    except (msgspec.MsgspecError, ValueError) as error:
        logger.warning("entry %s of kind %s can't be read: %s", entry.id, entry.kind, error)


class Audience:
    """Streams, found by what they listen to."""

    def __init__(self) -> None:
        self.streams: set[Stream] = set()
        self._found: defaultdict[Hashable, set[Stream]] = defaultdict(set)

    def add(self, stream: Stream) -> None:
        """Let a stream listen."""
        self.streams.add(stream)
        for topic in stream.topics:
            self._found[topic].add(stream)

    def remove(self, stream: Stream) -> None:
        """Let it listen no more."""
        self.streams.discard(stream)
        for topic in stream.topics:
            self._found[topic].discard(stream)
            if not self._found[topic]:
                del self._found[topic]

    def on(self, topic: Hashable) -> tuple[Stream, ...]:
        """The streams found by a topic."""
        return tuple(self._found.get(topic, ()))

    def put(self, event: bytes) -> None:
        """Tell everybody."""
        for stream in self.streams:
            stream.put(event)

    def tell(self, entry: Entry, *, is_replay: bool = False) -> None:
        """Tell those whom an entry concerns."""
        if entry.kind == "verdicts":
            for news in verdicts_of(entry):
                for stream in self.on(("player", news.player)):
                    stream.put(verdict_block(news))
        elif entry.kind == "boards":
            for watched in boards_of(entry):
                for stream in self.on(watched):
                    stream.put_board(entry.id)
        elif entry.kind == "club":
            self._tell_club(entry, is_replay)
        elif entry.kind in CHALLENGE_KINDS:
            news_of_challenge = challenge_of(entry)
            # Of a challenge that is still to come nobody knows.
            if datetime.datetime.fromisoformat(news_of_challenge.opens_at).timestamp() * 1000 <= entry.id.ms:
                self.put(challenge_block(entry.kind, news_of_challenge))
        elif entry.kind == "gap":
            self.put(_RESET)
        elif entry.kind == "bye" and not is_replay:
            for stream in self.on(("player", player_of(entry))):
                _dismiss(stream)

    def _tell_club(self, entry: Entry, is_replay: bool) -> None:
        """Who is in the club has changed, and with it all its boards; who isn't any more watches none of them."""
        news = club_of(entry)
        for stream in self.on(("club", news.club)):
            if stream.player not in news.gone:
                stream.put_board(entry.id)
            elif not is_replay:
                _dismiss(stream)


def _dismiss(stream: Stream) -> None:
    stream.put(block("bye", {}))
    stream.end()


class Hub:
    """Takes entries from the reader to those whom they concern, in order, and keeps the latest for who resumes."""

    def __init__(self) -> None:
        self.audience = Audience()
        self.position = EntryId(0, 0)
        #: Whether Redis is away: nothing is heard meanwhile.
        self.is_degraded = True
        self._is_closed = False
        self._recent: deque[Entry] = deque(maxlen=STREAM_LENGTH)
        self._waiting: defaultdict[int, set[asyncio.Event]] = defaultdict(set)

    def begin(self, entries: Sequence[Entry]) -> None:
        """Know of these entries, the latest of the stream, from now on; nobody is told of them."""
        self._recent.clear()
        self._recent.extend(entries)
        self.position = entries[-1].id

    def take(self, entry: Entry) -> None:
        """Hand on the next entry."""
        self._recent.append(entry)
        self.position = entry.id
        with _passing_over(entry):
            if entry.kind == "verdicts":
                self.wake(news.submission for news in verdicts_of(entry))
            self.audience.tell(entry)

    def degrade(self) -> None:
        """Redis is away: clients have to ask for what they want to know."""
        self.is_degraded = True
        self.audience.put(_DEGRADED)

    def recover(self) -> None:
        """Redis is back, and nothing was lost."""
        self.is_degraded = False
        for stream in self.audience.streams:
            stream.put(self._ready(stream))

    def reset(self, entries: Sequence[Entry]) -> None:
        """Something was lost: clients have to load again what they show."""
        self.is_degraded = False
        self.begin(entries)
        self.audience.put(_RESET)

    def has_room(self, *, player: int | None, household: str | None) -> bool:
        """Whether this player and this address may have another stream."""
        of_player = 0 if player is None else len(self.audience.on(("player", player)))
        of_household = 0 if household is None else len(self.audience.on(("household", household)))
        return bool(of_player < settings.QV_STREAMS_A_PLAYER and of_household < settings.QV_STREAMS_AN_ADDRESS)

    def open(
        self, *, player: int | None, watched: Address | None, last_seen: EntryId | None, household: str | None = None
    ) -> Stream:
        """A stream that begins now, or with all that came after the entry that the client has seen last."""
        stream = Stream(player=player, watched=watched, household=household, position=lambda: self.position)
        stream.put(_DEGRADED if self.is_degraded else self._ready(stream))
        if last_seen is not None:
            self._resume(stream, last_seen)
        self.audience.add(stream)
        STREAMS.set(len(self.audience.streams))
        if self._is_closed:
            stream.end()
        return stream

    def _ready(self, stream: Stream) -> bytes:
        return block("ready", {"signed_in": stream.player is not None})

    def _resume(self, stream: Stream, last_seen: EntryId) -> None:
        if not self._recent or not self._recent[0].id <= last_seen <= self.position:
            stream.put(_RESET)
            return
        alone = Audience()
        alone.add(stream)
        missed = list(itertools.takewhile(lambda entry: entry.id > last_seen, reversed(self._recent)))
        for entry in reversed(missed):
            with _passing_over(entry):
                alone.tell(entry, is_replay=True)
        if stream.is_ended:
            # More was missed than waits for anybody.
            stream.restart(_RESET)
        elif stream.watched is not None:
            # A change may have been held back when the client was last told.
            stream.put_board(self.position)

    def close(self, stream: Stream) -> None:
        """Forget a stream."""
        stream.end()
        self.audience.remove(stream)
        STREAMS.set(len(self.audience.streams))

    def close_all(self) -> None:
        """End all streams and all waiting, also what is still to come: the process stops."""
        self._is_closed = True
        for stream in self.audience.streams:
            stream.end()
        self.wake(list(self._waiting))

    @property
    def awaited(self) -> list[int]:
        """The submissions whose verdicts somebody waits for."""
        return list(self._waiting)

    def wake(self, submissions: Iterable[int]) -> None:
        """These submissions have their verdicts."""
        for submission in submissions:
            for event in self._waiting.get(submission, ()):
                event.set()

    def expect(self, submission: int) -> asyncio.Event:
        """An event that is set when the submission has its verdict. Give it back to `forget`."""
        event = asyncio.Event()
        self._waiting[submission].add(event)
        return event

    def forget(self, submission: int, event: asyncio.Event) -> None:
        """Expect it no more."""
        self._waiting[submission].discard(event)
        if not self._waiting[submission]:
            del self._waiting[submission]
