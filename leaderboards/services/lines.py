"""The lines of boards: who stands on them, and with which rank.

Names are kept by each process, with the sign under which they were asked for (`games.services.players.NAMES_SIGN`).
Every read learns the sign from PostgreSQL in its first statement, so that a renamed or deleted player is so at once,
everywhere, whatever has become of Redis meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from django.db import connection

from leaderboards.addresses import Address, ChallengeBoard, PeriodBoard
from leaderboards.boards import Slice
from leaderboards.layouts import Entry
from leaderboards.period_ranking import Sums
from leaderboards.period_ranking import unpack as unpack_sums
from leaderboards.ranking import Result, unpack

#: So many a process keeps at most, about: with what is packed of them some twenty megabytes.
KEPT_NAMES, KEPT_LINES, KEPT_SLICES = 20_000, 20_000, 256

#: Name, whether a guest, and dailies played.
Who = tuple[str, bool, int]


class Line(NamedTuple):
    """One player's line on a board: ``id`` is the submission on a challenge's board, the player on a period's.

    ``played`` counts dailies on a period board, 1 on a challenge's.
    """

    rank: int
    id: int
    player: str
    is_guest: bool
    played: int
    key: int

    @property
    def result(self) -> Result:
        """What places the player on a challenge's board."""
        return unpack(self.key)

    @property
    def sums(self) -> Sums:
        """What places the player on a period board."""
        return unpack_sums(self.key)


def lines_of(board: Address, part: Slice, own: Entry | None, sign: str | None) -> tuple[Sequence[Line], Line | None]:
    """The lines of a slice, and that of ``own``, an entry that may lie elsewhere.

    A line that has changed since the board was read has no player any more and is left out.
    """
    wanted = dict(part.entries if own is None else [own, *part.entries])
    if isinstance(board, PeriodBoard):
        players = _summed(board, wanted)
        lines = _lines(part, players)
    else:
        known = _known_under(sign)
        players = _submitters(board, wanted, known.names)
        lines = _kept_lines(part, known)
    if own is None or own.id not in players:
        return lines, None
    beside = None if part.own_rank is None else Line(part.own_rank, own.id, *players[own.id], own.key)
    return lines, next((line for line in lines if line.id == own.id), beside)


def _lines(part: Slice, players: dict[int, Who]) -> tuple[Line, ...]:
    ranks = zip(_ranks(part), part.entries, strict=True)
    return tuple([Line(rank, id, *players[id], key) for rank, (id, key) in ranks if id in players])


def _kept_lines(part: Slice, known: _Known) -> tuple[Line, ...]:
    """The same of a challenge's board: where it has changed, most of its lines have not."""
    what = part[:3]
    if (lines := known.slices.get(what)) is not None:
        return lines
    kept, found = known.lines, []
    if len(kept) > KEPT_LINES:
        kept.clear()
    for ranked in zip(_ranks(part), part.entries, strict=True):
        if (line := kept.get(ranked)) is None:
            rank, (id, key) = ranked
            if id not in known.names:
                continue
            line = kept[ranked] = Line(rank, id, *known.names[id], key)
        found.append(line)
    lines = tuple(found)
    if len(lines) == len(part.entries):
        if len(known.slices) >= KEPT_SLICES:
            known.slices.clear()
        known.slices[what] = lines
    return lines


def _ranks(part: Slice) -> list[int]:
    """The rank of each line: equal keys share the rank of the first of them."""
    ranks: list[int] = []
    for i, entry in enumerate(part.entries):
        if i and entry.key == part.entries[i - 1].key:
            ranks.append(ranks[-1])
        else:
            ranks.append(part.first_position + i + 1 if i else part.first_rank)
    return ranks


class _Known(NamedTuple):
    """What is known under a sign: who played a submission, the lines by rank and entry, and those of slices."""

    sign: str | None
    names: dict[int, Who]
    lines: dict[tuple[int, Entry], Line]
    slices: dict[Any, tuple[Line, ...]]

    @classmethod
    def nothing(cls, sign: str | None) -> _Known:
        """Where nothing has been asked yet."""
        return cls(sign, {}, {}, {})


_known = _Known.nothing(None)


def _known_under(sign: str | None) -> _Known:
    """What is known under that sign, to be added to: who still has what is known under another does no harm by that.

    Who has no sign knows nothing, and nothing of it is kept; what others know stays.
    """
    global _known
    if sign is None:
        return _Known.nothing(None)
    known = _known
    if sign != known.sign or len(known.names) > KEPT_NAMES:
        known = _known = _Known.nothing(sign)
    return known


def _submitters(board: ChallengeBoard, submissions: Iterable[int], names: dict[int, Who]) -> dict[int, Who]:
    """The names, and those asked for that weren't among them: who stands on the board with each submission."""
    if unknown := [submission for submission in submissions if submission not in names]:
        # A submission has one result for ever.
        names.update({member: (name, is_guest, 1) for member, name, is_guest in _ask(_SUBMITTERS, board, unknown)})
    return names


def _summed(board: PeriodBoard, wanted: dict[int, int]) -> dict[int, Who]:
    """Who stands on the board with each key, by player: sums change, and what was played isn't in the key."""
    rows = _ask(_SUMMED, board, wanted)
    return {member: (name, is_guest, played) for member, name, is_guest, played, key in rows if key == wanted[member]}


def _ask(statement: str, board: Address, members: Iterable[int]) -> list[Any]:
    with connection.cursor() as cursor:
        # As text: the driver takes longer for a list than PostgreSQL for the answer.
        cursor.execute(statement, {**board.columns, "members": f"{{{','.join(map(str, members))}}}"})
        return list(cursor.fetchall())


# Finds all about a standing in an index.
_SUBMITTERS = """
SELECT line.submission_id, player.name, player.is_guest
FROM leaderboards_standing line JOIN games_player player ON player.id = line.player_id
WHERE line.submission_id = ANY(%(members)s::bigint[]) AND line.board = %(board)s
"""
_SUMMED = """
SELECT line.player_id, player.name, player.is_guest, line.played, line.key
FROM leaderboards_periodstanding line JOIN games_player player ON player.id = line.player_id
WHERE line.player_id = ANY(%(members)s::bigint[]) AND line.mode = %(mode)s AND line.period = %(period)s
    AND line.starts_on = %(starts_on)s AND line.played > 0
"""
