"""Entries of the live stream, as `games.announcements` writes them, and the events that clients get of them."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import msgspec

from games.announcements import BoardNews, ChallengeNews, ClubNews, VerdictNews
from leaderboards.addresses import Address, ChallengeBoard, PeriodBoard
from leaderboards.models.standing import Board
from leaderboards.periods import Period, first_day


class EntryId(NamedTuple):
    """The id of a stream entry: Redis' clock in ms, and a number within that.

    >>> str(EntryId.parse("1764500000000-3"))
    '1764500000000-3'
    """

    ms: int
    number: int

    @classmethod
    def parse(cls, text: str) -> EntryId:
        """The id that a text names. Raises ValueError."""
        ms, dash, number = text.partition("-")
        if not (dash and text.isascii() and ms.isdigit() and number.isdigit() and len(text) < 42):
            raise ValueError(f"{text!r} is no id of an event")
        return cls(int(ms), int(number))

    def __str__(self) -> str:
        return f"{self.ms}-{self.number}"


class Entry(NamedTuple):
    """An entry as it came from Redis; ``facts`` is JSON."""

    id: EntryId
    kind: str
    facts: bytes

    @classmethod
    def of(cls, redis_id: bytes, fields: dict[bytes, bytes]) -> Entry:
        """The entry that Redis gave."""
        return cls(EntryId.parse(redis_id.decode()), fields.get(b"kind", b"").decode(), fields.get(b"facts", b""))


_verdicts = msgspec.json.Decoder(list[VerdictNews])
_boards = msgspec.json.Decoder(list[BoardNews])
_challenge = msgspec.json.Decoder(ChallengeNews)
_club = msgspec.json.Decoder(ClubNews)
_player = msgspec.json.Decoder(int)

#: Kinds of news about challenges, which are also the names of their events.
CHALLENGE_KINDS = frozenset({"opened", "cancelled", "brought_back"})


def verdicts_of(entry: Entry) -> list[VerdictNews]:
    """The news of a `verdicts` entry."""
    return _verdicts.decode(entry.facts)


def boards_of(entry: Entry) -> Iterator[Address]:
    """The boards that have changed, by a `boards` entry: a challenge's, and for dailies the sums made of it."""
    for news in _boards.decode(entry.facts):
        boards: list[Address] = [ChallengeBoard(news.challenge, news.board)]
        if news.date is not None and news.board == Board.BEST:
            date = datetime.date.fromisoformat(news.date)
            boards += [PeriodBoard(news.mode, period, first_day(period, date)) for period in Period.values]
        yield from (replace(board, club_id=club) for board in boards for club in (None, *news.clubs))


def club_of(entry: Entry) -> ClubNews:
    """The news of a `club` entry."""
    return _club.decode(entry.facts)


def challenge_of(entry: Entry) -> ChallengeNews:
    """The news of an entry of `CHALLENGE_KINDS`."""
    return _challenge.decode(entry.facts)


def player_of(entry: Entry) -> int:
    """The player of a `bye` entry."""
    return _player.decode(entry.facts)


def block(name: str, data: Any) -> bytes:
    """An event in the form of server-sent events, without the empty line that ends it."""
    return b"event: %s\ndata: %s\n" % (name.encode(), msgspec.json.encode(data))


def verdict_block(news: VerdictNews) -> bytes:
    """The event of one's own verdict."""
    facts = {name: getattr(news, name) for name in VerdictNews.__struct_fields__ if name != "player"}
    return block("verdict", facts)


def board_block(board: Address, version: EntryId) -> bytes:
    """The event of a watched board."""
    facts: dict[str, Any]
    if isinstance(board, ChallengeBoard):
        facts = {"challenge": board.challenge_id, "board": board.board}
    else:
        first = None if board.period == Period.ALL else board.starts_on
        facts = {"mode": board.mode, "period": board.period, "first_day": first}
    return block("board", {**facts, "club": board.club_id, "version": str(version)})


def challenge_block(kind: str, news: ChallengeNews) -> bytes:
    """The event of a challenge."""
    return block(kind, {name: getattr(news, name) for name in ChallengeNews.__struct_fields__})


def parse_entries(answer: Iterable[tuple[bytes, dict[bytes, bytes]]]) -> Iterator[Entry]:
    """The entries in an answer of XREAD or XRANGE."""
    return (Entry.of(redis_id, fields) for redis_id, fields in answer)
