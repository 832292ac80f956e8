"""Steps of the Klondike solver written out as a move log, checked against the rules on the way."""

from collections.abc import Iterable, Sequence

from .klondike_kernel import ALONG, ALONG_AND_UP, FROM_COLUMN_UP, FROM_WASTE, FROM_WASTE_UP, TAKE_BACK


class _Table:
    """A plain game that plays steps by their cards and notes the actions."""

    def __init__(self, columns: Sequence[Sequence[int]], stock: Sequence[int], draw: int) -> None:
        self.columns = [list(column) for column in columns]
        self.face_up = [min(1, len(column)) for column in columns]
        self.stock = list(stock)
        self.waste: list[int] = []
        self.draw = draw
        dealt = [card for pile in (*columns, stock) for card in pile]
        self.up = [min((card & 15 for card in dealt if card >> 4 == suit), default=14) - 1 for suit in range(4)]
        self.actions: list[str] = []

    def play(self, step: int) -> None:
        kind, card, target = step >> 12, step >> 6 & 63, step & 63
        if kind in (FROM_WASTE_UP, FROM_WASTE):
            self._draw_to(card)
            self.waste.pop()
            self._put("w", [card], None if kind == FROM_WASTE_UP else self._column_below(target))
        elif kind == FROM_COLUMN_UP:
            self._column_up(self._column_with(card))
        elif kind == TAKE_BACK:
            suit = card >> 4
            if self.up[suit] != card & 15:
                raise RuntimeError(f"step {step}: the card isn't on top of its foundation")
            self.up[suit] -= 1
            self._put(str(suit + 1), [card], self._column_below(target))
        elif kind in (ALONG, ALONG_AND_UP):
            source = self._column_with(card)
            cards = self.columns[source][self.columns[source].index(card) :]
            self._take(source, len(cards))
            self._put("abcdefg"[source], cards, self._column_below(target))
            if kind == ALONG_AND_UP:
                self._column_up(source)
        else:
            raise RuntimeError(f"step {step}: unknown kind")

    def _draw_to(self, card: int) -> None:
        if card not in self.stock and card not in self.waste:
            raise RuntimeError(f"card {card} is neither in stock nor waste")
        for _ in range(2 * (len(self.stock) + len(self.waste)) + 2):
            if self.waste and self.waste[-1] == card:
                return
            if self.stock:
                self.waste += self.stock[: self.draw]
                del self.stock[: self.draw]
                self.actions.append("d")
            else:
                self.stock, self.waste = self.waste, []
                self.actions.append("r")
        raise RuntimeError(f"card {card} can't be reached")

    def _column_with(self, card: int) -> int:
        for i, column in enumerate(self.columns):
            if card in column[len(column) - self.face_up[i] :]:
                return i
        raise RuntimeError(f"card {card} isn't face up in a column")

    def _column_below(self, target: int) -> int:
        for i, column in enumerate(self.columns):
            if (column[-1] if column else 0) == target:
                return i
        raise RuntimeError(f"no column ends in {target}")

    def _take(self, source: int, count: int) -> None:
        del self.columns[source][-count:]
        self.face_up[source] -= count
        if self.columns[source] and not self.face_up[source]:
            self.face_up[source] = 1

    def _column_up(self, source: int) -> None:
        card = self.columns[source][-1]
        self._take(source, 1)
        self._put("abcdefg"[source], [card], None)

    def _put(self, origin: str, cards: list[int], column: int | None) -> None:
        first = cards[0]
        if column is None:
            suit = first >> 4
            if self.up[suit] != (first & 15) - 1:
                raise RuntimeError(f"card {first} doesn't fit its foundation")
            self.up[suit] += 1
            self.actions.append(f"{origin}{suit + 1}")
            return
        below = self.columns[column][-1] if self.columns[column] else 0
        other_colour = (first >> 4 in (1, 2)) != (below >> 4 in (1, 2))
        if (first & 15) != 13 if not below else (below & 15) != (first & 15) + 1 or not other_colour:
            raise RuntimeError(f"card {first} doesn't fit on {below}")
        self.columns[column] += cards
        self.face_up[column] += len(cards)
        self.actions.append(f"{origin}{'abcdefg'[column]}{len(cards) if len(cards) > 1 else ''}")


def write_log(
    columns: Sequence[Sequence[int]], stock: Sequence[int], *, draw: int, redeals: bool, steps: Iterable[int]
) -> str:
    """The canonical log of a won game. Raises `RuntimeError` where the steps aren't legal or don't win."""
    table = _Table(columns, stock, draw)
    for step in steps:
        table.play(step)
    if table.up != [13] * 4:
        raise RuntimeError(f"the steps don't win: foundations {table.up}")
    if not redeals and "r" in table.actions:
        raise RuntimeError("the steps turn the waste over, which Vegas forbids")
    return " ".join(table.actions)
