"""The lines of a board as its page shows them."""

from __future__ import annotations

from dataclasses import dataclass

from games.models import Challenge, Player
from leaderboards.addresses import Address, ChallengeBoard
from leaderboards.models.final_rank import medal
from leaderboards.models.standing import Board
from leaderboards.services.lines import Line
from leaderboards.services.reading import BoardPage


@dataclass(frozen=True, slots=True)
class Row:
    """A line, and what is known beside it; the ``medal`` of a finished daily is a share of 1, 3 or 10 per cent."""

    line: Line
    is_own: bool
    has_replay: bool
    medal: int | None

    @property
    def is_deleted(self) -> bool:
        """Whether the player is there no more."""
        return self.line.player == Player.DELETED_NAME


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of a page, and the own one beside them where it isn't among them."""

    rows: list[Row]
    own: Row | None
    own_is_elsewhere: bool


def table_of(*, board: Address, page: BoardPage, challenge: Challenge | None, is_over: bool) -> Table:
    """The table of a page of a board; ``challenge`` is None on a period board."""
    gives_medals = (
        is_over
        and isinstance(board, ChallengeBoard)
        and board.board == Board.BEST
        and board.club_id is None
        and challenge is not None
        and challenge.date is not None
    )
    own_id = None if page.own is None else page.own.id

    def row(line: Line) -> Row:
        is_own = line.id == own_id
        return Row(
            line,
            is_own,
            challenge is not None and (is_own or is_over),
            medal(line.rank, page.total) if gives_medals else None,
        )

    rows = [row(line) for line in page.lines]
    own = None if page.own is None else row(page.own)
    return Table(rows, own, own is not None and all(not one.is_own for one in rows))
