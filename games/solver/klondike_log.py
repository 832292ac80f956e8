"""Steps of the Klondike search written out as a move log.

Steps name cards, so all this takes is to look up where a card lies, and to draw until it is on top of the waste. The
rules are the engine's, which replays the log before anyone believes it.
"""

from collections.abc import Iterable, Sequence

from .klondike_kernel import ALONG, ALONG_AND_UP, FROM_COLUMN_UP, FROM_WASTE, FROM_WASTE_UP, TAKE_BACK


class _Table:
    """The cards of a game, moved step by step, and the actions so far."""

    def __init__(self, columns: Sequence[Sequence[int]], stock: Sequence[int], draw: int) -> None:
        self.columns = [list(column) for column in columns]
        self.stock = list(stock)
        self.waste: list[int] = []
        self.draw = draw
        self.actions: list[str] = []

    def play(self, step: int) -> None:
        kind, card, target = step >> 12, step >> 6 & 63, step & 63
        if kind in (FROM_WASTE, FROM_WASTE_UP):
            self._draw_to(card)
            self.waste.pop()
        if kind == FROM_WASTE_UP:
            self._note_up("w", card)
        elif kind == FROM_WASTE:
            self._lay("w", [card], target)
        elif kind == FROM_COLUMN_UP:
            self._column_up(self._column_with(card))
        elif kind == TAKE_BACK:
            self._lay(str((card >> 4) + 1), [card], target)
        elif kind in (ALONG, ALONG_AND_UP):
            source = self._column_with(card)
            start = self.columns[source].index(card)
            cards = self.columns[source][start:]
            # Looked up first: an empty column is not the one that has just been left.
            self._lay("abcdefg"[source], cards, target)
            del self.columns[source][start:]
            if kind == ALONG_AND_UP:
                self._column_up(source)

    def _draw_to(self, card: int) -> None:
        while not self.waste or self.waste[-1] != card:
            if self.stock:
                self.waste += self.stock[: self.draw]
                del self.stock[: self.draw]
                self.actions.append("d")
            else:
                self.stock, self.waste = self.waste, []
                self.actions.append("r")

    def _column_with(self, card: int) -> int:
        return next(i for i, column in enumerate(self.columns) if card in column)

    def _lay(self, origin: str, cards: list[int], target: int) -> None:
        """Lay cards on the column that ends in ``target``; 0 for the first empty one."""
        column = next(i for i, column in enumerate(self.columns) if (column[-1] if column else 0) == target)
        self.columns[column] += cards
        self.actions.append(f"{origin}{'abcdefg'[column]}{len(cards) if len(cards) > 1 else ''}")

    def _column_up(self, source: int) -> None:
        self._note_up("abcdefg"[source], self.columns[source].pop())

    def _note_up(self, origin: str, card: int) -> None:
        self.actions.append(f"{origin}{(card >> 4) + 1}")


def write_log(columns: Sequence[Sequence[int]], stock: Sequence[int], *, draw: int, steps: Iterable[int]) -> str:
    """The canonical log of the steps from the deal."""
    table = _Table(columns, stock, draw)
    for step in steps:
        table.play(step)
    return " ".join(table.actions)
