"""Pictures of tables and columns for the rules, as data for the template `games/picture.html`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from games.engine import MODES, Deal, card_text

#: A card in the units of the drawing, as wide and high as its face; room between cards; how far cards overlap.
WIDTH, HEIGHT, GAP = 240, 336, 30
STEP, STEP_DOWN, FAN = 122, 48, 130
#: What stands for a card that lies face down, and for a place without one.
DOWN, EMPTY = "?", ""


@dataclass(frozen=True, slots=True)
class Spot:
    """A card at a place: ``card`` is its text, `DOWN`, or `EMPTY`; ``suit`` of an empty foundation is its own."""

    x: int
    y: int
    card: str
    suit: str = ""

    @property
    def rank(self) -> str:
        return self.card[:1]

    @property
    def shown_suit(self) -> str:
        return self.card[1:]


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing: its size and its cards, the ones beneath first."""

    width: int
    height: int
    spots: Sequence[Spot]


def columns(*piles: Sequence[str]) -> Picture:
    """Columns side by side, the last card of each on top.

    >>> [(spot.x, spot.y, spot.card) for spot in columns(["8S", "7S"]).spots]
    [(0, 0, '8S'), (0, 122, '7S')]
    """
    return _drawn(spot for i, pile in enumerate(piles) for spot in _column(i, 0, pile))


def fan(*cards: str) -> Picture:
    """Cards drawn together, the playable one on the right."""
    return _drawn(Spot(i * FAN, 0, card) for i, card in enumerate(cards))


def table(code: str) -> Picture:
    """The whole table at the start of a deal: foundations, waste and stock above, the columns below."""
    deal = Deal.parse(code)
    game = MODES[deal.mode].game
    last = len(deal.columns) - 1
    above = [Spot(_x(i), 0, EMPTY, "SHDC"[i % 4]) for i in range(game.foundation_count)]
    above += [Spot(_x(last - 1), 0, EMPTY), Spot(_x(last), 0, DOWN)]
    below: list[Spot] = []
    for i, column in enumerate(deal.columns):
        hidden = len(column) - 1 if game.hides_cards else 0
        below += _column(i, HEIGHT + 2 * GAP, [DOWN] * hidden + [card_text(card) for card in column[hidden:]])
    return _drawn([*above, *below])


def _x(place: int) -> int:
    return place * (WIDTH + GAP)


def _column(place: int, y: int, cards: Sequence[str]) -> Iterator[Spot]:
    for card in cards or [EMPTY]:
        yield Spot(_x(place), y, card)
        y += STEP_DOWN if card == DOWN else STEP


def _drawn(spots: Iterable[Spot]) -> Picture:
    found = tuple(spots)
    return Picture(max(spot.x for spot in found) + WIDTH, max(spot.y for spot in found) + HEIGHT, found)
