"""The table of one game in progress: its piles, the moves between them, the score and the undo window.

`Table` holds what both games share. A game is a subclass that sets the class constants: its shape, its points, and in
``hosts`` what goes where in the columns. Every handler checks first and changes afterwards: an action that raises
`IllegalAction` has changed nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Protocol

from .cards import card_name, suit_name
from .errors import IllegalAction
from .movelog import COLUMNS, FOUNDATIONS, Action, Kind

#: Stands for the top card of an empty column in `Table.hosts`.
EMPTY = 0

#: Undo takes back this many actions; what lies further back is forgotten for good (rules.md, Undo).
UNDO_LIMIT = 100

# What an undo has to know beside the action: flags of a move, or the number of cards that a draw turned.
_TURNED_UP = 1
_EARNED = 2

_Remembered = tuple[Action, int, int, int]


class Layout(Protocol):
    """The cards that a table starts from; `deals.Deal` is one."""

    @property
    def columns(self) -> Sequence[Sequence[int]]: ...
    @property
    def stock(self) -> Sequence[int]: ...


class Table:
    """One game being played. `play` is the only way to change it.

    Shapes: ``columns[i][-1]`` is the top card of a column and its first ``face_down[i]`` cards lie face down;
    ``stock[-1]`` is drawn next; ``waste[-1]`` is playable; ``wanted[i]`` is the card that foundation i takes next.
    Scores are points (Vegas: dollars).
    """

    # What a game is made of (rules.md); each subclass says so itself.
    name: ClassVar[str]
    packs: ClassVar[int]
    column_sizes: ClassVar[tuple[int, ...]]
    foundation_count: ClassVar[int]
    #: What the generator of the shuffle is seeded with beside the code's number (deals.md).
    shuffle_sequence: ClassVar[int]
    hides_cards: ClassVar[bool] = False
    moves_runs: ClassVar[bool] = False
    draw_size: ClassVar[int] = 1
    can_redeal: ClassVar[bool] = False
    #: By card, the top cards of a column that take it; `EMPTY` among them where an empty column does.
    hosts: ClassVar[Mapping[int, tuple[int, ...]]]

    # Points. Only taking back and redealing can cost any, so only they look at the floor.
    start_score: ClassVar[int] = 0
    score_floor: ClassVar[int] = 0
    home_points: ClassVar[int] = 10
    waste_to_column_points: ClassVar[int] = 5
    turn_up_points: ClassVar[int] = 0
    take_back_points: ClassVar[int] = 0
    redeal_points: ClassVar[int] = 0
    #: Whether a card that was taken back and placed again earns nothing in the ranked score (rules.md, Ranked score).
    earns_home_points_once: ClassVar[bool] = False

    __slots__ = (
        "_highest",
        "_history",
        "_hosts",
        "_unplaced",
        "columns",
        "draws",
        "face_down",
        "moves",
        "ranked_score",
        "recycles",
        "score",
        "stock",
        "taken_back",
        "undos",
        "wanted",
        "waste",
        "waste_to_column",
    )

    def __init__(self, deal: Layout) -> None:
        self.columns = [list(column) for column in deal.columns]
        self.face_down = [len(column) - 1 if self.hides_cards else 0 for column in deal.columns]
        self.stock = list(reversed(deal.stock))
        self.waste: list[int] = []
        self.wanted = [(f % 4) * 16 + 1 for f in range(self.foundation_count)]
        # The highest card that has earned its points on each foundation; one below the ace for none.
        self._highest = [ace - 1 for ace in self.wanted]
        self._hosts = self.hosts
        self._history: deque[_Remembered] = deque(maxlen=UNDO_LIMIT)
        self.score = self.ranked_score = self.start_score
        self.moves = self.undos = self.draws = self.recycles = 0
        self.waste_to_column = self.taken_back = 0
        # Cards not yet on a foundation: the game is won when none is left.
        self._unplaced = 52 * self.packs

    @property
    def is_won(self) -> bool:
        """Whether every card is on the foundations."""
        return not self._unplaced

    @property
    def foundation_cards(self) -> int:
        """How many cards lie on the foundations."""
        return 52 * self.packs - self._unplaced

    @property
    def can_undo(self) -> bool:
        """Whether there is an action left to take back."""
        return bool(self._history)

    def play(self, action: Action) -> None:
        """Play one action. Raises `IllegalAction` with the first reason of notation.md, and then changes nothing."""
        if not self._unplaced:
            raise IllegalAction("game_over", "The game is won: nothing can be played or taken back any more.")
        _HANDLERS[action.kind](self, action)

    # One handler a kind.

    def _draw(self, action: Action) -> None:
        stock = self.stock
        if not stock:
            raise IllegalAction("stock_empty", "The stock is empty: there is no card to draw.")
        size = self.draw_size
        if size == 1:
            self.waste.append(stock.pop())
        else:
            size = min(size, len(stock))
            for _ in range(size):
                self.waste.append(stock.pop())
        self.moves += 1
        self.draws += 1
        self._history.append((action, self.score, self.ranked_score, size))

    def _redeal(self, action: Action) -> None:
        if not self.can_redeal:
            raise IllegalAction(
                "no_recycle", "The waste can't be turned over: this game has one pass through the stock."
            )
        if self.stock:
            raise IllegalAction("stock_not_empty", f"{len(self.stock)} cards are left in the stock: draw them first.")
        if not self.waste:
            raise IllegalAction("waste_empty", "The waste is empty: there is nothing to turn over.")
        self._history.append((action, self.score, self.ranked_score, 0))
        self.stock = self.waste[::-1]
        self.waste = []
        self.moves += 1
        self.recycles += 1
        self._charge(self.redeal_points)

    def _waste_to_column(self, action: Action) -> None:
        target = action.target
        if target >= len(self.columns):
            raise self._no_such_pile(action)
        waste = self.waste
        if not waste:
            raise IllegalAction("pile_empty", "The waste is empty: there is no card to play.")
        card = waste[-1]
        column = self.columns[target]
        if (column[-1] if column else EMPTY) not in self._hosts[card]:
            raise self._misfit(card, column)
        self._history.append((action, self.score, self.ranked_score, 0))
        column.append(waste.pop())
        self.moves += 1
        self.waste_to_column += 1
        self.score += self.waste_to_column_points
        self.ranked_score += self.waste_to_column_points

    def _waste_to_foundation(self, action: Action) -> None:
        target = action.target
        if target >= len(self.wanted):
            raise self._no_such_pile(action)
        waste = self.waste
        if not waste:
            raise IllegalAction("pile_empty", "The waste is empty: there is no card to play.")
        card = waste[-1]
        if card != self.wanted[target]:
            raise self._refuse_home(card, target)
        score, ranked_score = self.score, self.ranked_score
        waste.pop()
        self.moves += 1
        earned = self._place_home(card, target)
        self._history.append((action, score, ranked_score, earned))

    def _column_to_column(self, action: Action) -> None:
        source, target, count = action.source, action.target, action.count
        columns = self.columns
        if source >= len(columns) or target >= len(columns):
            raise self._no_such_pile(action)
        if source == target:
            raise IllegalAction("same_pile", f"Column {COLUMNS[source]} is both source and target.")
        if count > 1 and not self.moves_runs:
            raise IllegalAction("one_card_at_a_time", f"{count} cards can't move together: one card moves at a time.")
        column = columns[source]
        if not column:
            raise self._empty_column(source)
        if count > 1 and count > len(column) - self.face_down[source]:
            face_up = len(column) - self.face_down[source]
            raise IllegalAction(
                "not_enough_cards", f"Column {COLUMNS[source]} has {face_up} cards face up, not {count}."
            )
        onto = columns[target]
        card = column[-count]
        if (onto[-1] if onto else EMPTY) not in self._hosts[card]:
            raise self._misfit(card, onto)
        score, ranked_score = self.score, self.ranked_score
        if count == 1:
            onto.append(column.pop())
        else:
            onto.extend(column[-count:])
            del column[-count:]
        self.moves += 1
        turned = self._turn_up(source) if self.face_down[source] else 0
        self._history.append((action, score, ranked_score, turned))

    def _column_to_foundation(self, action: Action) -> None:
        source, target = action.source, action.target
        if source >= len(self.columns) or target >= len(self.wanted):
            raise self._no_such_pile(action)
        column = self.columns[source]
        if not column:
            raise self._empty_column(source)
        card = column[-1]
        if card != self.wanted[target]:
            raise self._refuse_home(card, target)
        score, ranked_score = self.score, self.ranked_score
        column.pop()
        self.moves += 1
        earned = self._place_home(card, target)
        turned = self._turn_up(source) if self.face_down[source] else 0
        self._history.append((action, score, ranked_score, earned | turned))

    def _foundation_to_column(self, action: Action) -> None:
        source, target = action.source, action.target
        if source >= len(self.wanted) or target >= len(self.columns):
            raise self._no_such_pile(action)
        card = self.wanted[source] - 1
        if not card & 15:
            raise IllegalAction(
                "pile_empty", f"Foundation {FOUNDATIONS[source]} is empty: there is no card to take back."
            )
        column = self.columns[target]
        if (column[-1] if column else EMPTY) not in self._hosts[card]:
            raise self._misfit(card, column)
        highest = self._highest
        earned = 0
        if not self.earns_home_points_once:
            highest[source] = card - 1
            earned = _EARNED
        self._history.append((action, self.score, self.ranked_score, earned))
        self.wanted[source] = card
        column.append(card)
        self.moves += 1
        self._unplaced += 1
        self.taken_back += 1
        self._charge(self.take_back_points)

    def _undo(self, _: Action) -> None:
        if not self._history:
            raise IllegalAction(
                "nothing_to_undo",
                f"There is nothing to take back: only the last {UNDO_LIMIT} actions that stand are remembered.",
            )
        action, self.score, self.ranked_score, detail = self._history.pop()
        self.undos += 1
        _REVERSALS[action.kind](self, action, detail)

    # One reversal a kind: piles and counters; the scores come from the history.

    def _return_draw(self, _: Action, size: int) -> None:
        for _card in range(size):
            self.stock.append(self.waste.pop())
        self.draws -= 1

    def _return_redeal(self, _: Action, __: int) -> None:
        self.waste = self.stock[::-1]
        self.stock = []
        self.recycles -= 1

    def _return_waste_to_column(self, action: Action, _: int) -> None:
        self.waste.append(self.columns[action.target].pop())
        self.waste_to_column -= 1

    def _return_waste_to_foundation(self, action: Action, flags: int) -> None:
        self.waste.append(self._lift(action.target, flags))

    def _return_column_to_column(self, action: Action, flags: int) -> None:
        onto = self.columns[action.target]
        self.face_down[action.source] += flags & _TURNED_UP
        self.columns[action.source].extend(onto[-action.count :])
        del onto[-action.count :]

    def _return_column_to_foundation(self, action: Action, flags: int) -> None:
        self.face_down[action.source] += flags & _TURNED_UP
        self.columns[action.source].append(self._lift(action.target, flags))

    def _return_taken_back(self, action: Action, flags: int) -> None:
        card = self.columns[action.target].pop()
        self.wanted[action.source] = card + 1
        if flags & _EARNED:
            self._highest[action.source] = card
        self._unplaced -= 1
        self.taken_back -= 1

    def _lift(self, foundation: int, flags: int) -> int:
        """Take the top card off a foundation, its earning too."""
        card = self.wanted[foundation] = self.wanted[foundation] - 1
        if flags & _EARNED:
            self._highest[foundation] = card - 1
        self._unplaced += 1
        return card

    # The parts that handlers share.

    def _place_home(self, card: int, target: int) -> int:
        """Put a card on its foundation: `_EARNED` where it earns in the ranked score, or 0."""
        points = self.home_points
        self.wanted[target] = card + 1
        self._unplaced -= 1
        self.score += points
        if card <= self._highest[target]:
            return 0
        self._highest[target] = card
        self.ranked_score += points
        return _EARNED

    def _turn_up(self, column: int) -> int:
        """Turn up the card that lies bare, if it lies face down: `_TURNED_UP` or 0."""
        if len(self.columns[column]) > self.face_down[column]:
            return 0
        self.face_down[column] -= 1
        self.score += self.turn_up_points
        self.ranked_score += self.turn_up_points
        return _TURNED_UP

    def _charge(self, points: int) -> None:
        """Subtract what an action costs, down to the floor and not below."""
        if points:
            self.score = max(self.score_floor, self.score + points)
            self.ranked_score = max(self.score_floor, self.ranked_score + points)

    def _misfit(self, card: int, column: list[int]) -> IllegalAction:
        """Why the card can't go on the column, where `hosts` says that it can't."""
        raise NotImplementedError

    def _no_such_pile(self, action: Action) -> IllegalAction:
        return IllegalAction(
            "no_such_pile",
            f"{action} names a pile that isn't there: {self.name} has the columns a to {COLUMNS[len(self.columns) - 1]}"
            f" and the foundations 1 to {self.foundation_count}.",
        )

    def _empty_column(self, column: int) -> IllegalAction:
        return IllegalAction("pile_empty", f"Column {COLUMNS[column]} is empty: there is no card to move.")

    def _refuse_home(self, card: int, target: int) -> IllegalAction:
        wanted = self.wanted[target]
        place = f"{card_name(card)} can't go on foundation {FOUNDATIONS[target]}"
        if card >> 4 != wanted >> 4:
            return IllegalAction("wrong_foundation", f"{place}: it takes only {suit_name(wanted)}.")
        if wanted & 15 > 13:
            return IllegalAction("wrong_rank", f"{place}: it is complete.")
        return IllegalAction("wrong_rank", f"{place}: it takes the {card_name(wanted)} next.")


# By `Kind`. Plain tuples of functions rather than bound methods: a table stays free of reference cycles.
_HANDLERS: tuple[Callable[[Table, Action], None], ...] = (
    Table._draw,
    Table._redeal,
    Table._undo,
    Table._waste_to_column,
    Table._waste_to_foundation,
    Table._column_to_column,
    Table._column_to_foundation,
    Table._foundation_to_column,
)
_REVERSALS: dict[Kind, Callable[[Table, Action, int], None]] = {
    Kind.DRAW: Table._return_draw,
    Kind.REDEAL: Table._return_redeal,
    Kind.WASTE_TO_COLUMN: Table._return_waste_to_column,
    Kind.WASTE_TO_FOUNDATION: Table._return_waste_to_foundation,
    Kind.COLUMN_TO_COLUMN: Table._return_column_to_column,
    Kind.COLUMN_TO_FOUNDATION: Table._return_column_to_foundation,
    Kind.FOUNDATION_TO_COLUMN: Table._return_taken_back,
}
