"""Playing Forty Thieves outside the kernels: from logs to states, from the search's moves to logs."""

from collections.abc import Iterable, Sequence

from .forty_thieves_beam import DRAW, MOVE_BASE, PILE
from .forty_thieves_state import NO_PARENT, Nodes, put_on_waste, settle
from .forty_thieves_tables import COLUMNS, Content, Layout


class Game:
    """A game in progress with the log that led to it. Columns and waste have their top last.

    >>> game = Game([[1], [17], *[[]] * 8], [])
    >>> game.settle()
    >>> " ".join(game.log)
    'a1 b2'
    """

    def __init__(self, columns: Sequence[Sequence[int]], stock: Sequence[int]) -> None:
        self.columns = [list(column) for column in columns]
        self.stock = list(stock)
        self.drawn = 0
        self.waste: list[int] = []
        self.heights = [0] * (2 * 4)
        self.log: list[str] = []

    def play(self, action: str) -> None:
        """Play one action of a legal log without undos; it isn't checked."""
        self.log.append(action)
        if action == "d":
            self.waste.append(self.stock[self.drawn])
            self.drawn += 1
            return
        source, target = action[0], action[1]
        if source.isdigit():
            foundation = int(source) - 1
            card = foundation % 4 * 16 + self.heights[foundation]
            self.heights[foundation] -= 1
        else:
            card = (self.waste if source == "w" else self.columns[ord(source) - ord("a")]).pop()
        if target.isdigit():
            self.heights[int(target) - 1] += 1
        else:
            self.columns[ord(target) - ord("a")].append(card)

    def settle(self) -> None:
        """Make every safe move to the foundations (see `forty_thieves_state.is_safe`)."""
        piles = {**{chr(ord("a") + i): column for i, column in enumerate(self.columns)}, "w": self.waste}
        again = True
        while again:
            again = False
            for name, pile in piles.items():
                while pile and min(self._heights_of(pile[-1])) + 1 == pile[-1] & 15:
                    self.play(name + self._foundation_for(pile[-1]))
                    again = True

    def play_move(self, move: int, layout: Layout) -> None:
        """Play a move of the search and the safe moves after it."""
        if move == DRAW:
            self.play("d")
        else:
            source_content, target_content = divmod(move, MOVE_BASE)
            if source_content == PILE:
                source, card = "w", self.waste[-1]
            else:
                source = self._column_holding(layout.contents[source_content])
                card = layout.contents[source_content][-1]
            if target_content == PILE:
                self.play(source + self._foundation_for(card))
            else:
                self.play(source + self._column_holding(layout.contents[target_content]))
        self.settle()

    def write_to(self, nodes: Nodes, layout: Layout) -> None:
        """Make this position, with no moves counted, row 0 of a layer."""
        nodes.columns[0] = [layout.numbers[tuple(column)] for column in self.columns]
        nodes.home[0] = sum(
            (min(pair) | max(pair) << 4) << 8 * suit
            for suit in range(4)
            for pair in [(self.heights[suit], self.heights[suit + 4])]
        )
        nodes.placed[0] = sum(self.heights)
        nodes.moves[0] = nodes.score[0] = nodes.waste[0] = 0
        nodes.inversions[0] = 0
        nodes.parent[0] = NO_PARENT
        for position in self._waste_positions():
            put_on_waste(layout.tables, nodes, 0, position)
        settle(layout.tables, nodes, 0)

    def _waste_positions(self) -> Iterable[int]:
        """Stock positions of the waste's cards, lowest first. Of two equal cards either may be it."""
        position = self.drawn
        positions = []
        for card in reversed(self.waste):
            position = next(i for i in range(position - 1, -1, -1) if self.stock[i] == card)
            positions.append(position)
        return reversed(positions)

    def _column_holding(self, content: Content) -> str:
        return next(chr(ord("a") + i) for i in range(COLUMNS) if tuple(self.columns[i]) == content)

    def _heights_of(self, card: int) -> tuple[int, int]:
        return self.heights[card >> 4], self.heights[(card >> 4) + 4]

    def _foundation_for(self, card: int) -> str:
        suit = card >> 4
        return str(1 + next(i for i in (suit, suit + 4) if self.heights[i] + 1 == card & 15))
