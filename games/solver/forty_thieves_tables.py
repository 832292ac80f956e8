"""What one Forty Thieves deal looks like to the search: column contents by number, stock positions as bits.

A column holds what is left of its four dealt cards, or one card put into the empty column, and on that a
run down in suit. So each column of a deal can only ever hold one of some 600 contents; they are numbered
once per deal, and a state is ten such numbers, the foundations and a bit mask over the stock. Whatever
depends on one column alone becomes a table row.

Cards are ints, ``suit * 16 + rank`` (suits S H D C = 0..3, ranks 1..13), so ``card + 1`` is the card that
``card`` may lie on.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

COLUMNS = 10
CARDS = 104
EMPTY = 0
NONE = -1
CARD_SPACE = 64
ABSENT = 99  # more than any column or waste holds
KEY_SEED = 20_240_104

Content = tuple[int, ...]


class Tables(NamedTuple):
    """One deal, as arrays for the kernels, with ``n`` column contents and ``s`` stock cards."""

    top: NDArray[np.int16]  # [n] the top card, NONE for the empty column
    below: NDArray[np.int16]  # [n] the content without its top card
    above: NDArray[np.int16]  # [n] the content with the one card that fits on it, NONE on aces
    single: NDArray[np.int16]  # [card] the content that is this card alone
    depth: NDArray[np.uint8]  # [n, card] cards lying on the uppermost copy of the card, ABSENT without one
    stock: NDArray[np.int16]  # [s] the stock's cards, the first drawn first
    lower: NDArray[np.uint64]  # [s] mask of the earlier stock cards of lower rank
    lower_in_suit: NDArray[np.uint64]  # [s] the same within the card's suit
    places: NDArray[np.uint64]  # [card] mask of the stock positions of the card
    column_key: NDArray[np.uint64]  # [n] hash keys; summed, so that the order of columns doesn't count
    home_key: NDArray[np.uint64]  # [suit, lower height + 16 * higher height]


class Layout(NamedTuple):
    """A deal's tables with the contents in readable form."""

    tables: Tables
    contents: list[Content]  # by number, the last card on top
    numbers: dict[Content, int]
    start: tuple[int, ...]  # the ten dealt columns, by number


def lay_out(columns: Sequence[Sequence[int]], stock: Sequence[int]) -> Layout:
    """Number the contents the deal's columns can have and build its tables."""
    numbers: dict[Content, int] = {(): EMPTY}
    for content in _reachable(columns):
        numbers.setdefault(content, len(numbers))
    contents = list(numbers)
    start = tuple(numbers[tuple(column)] for column in columns)
    return Layout(_tables(contents, numbers, stock), contents, numbers, start)


def _reachable(columns: Sequence[Sequence[int]]) -> Iterator[Content]:
    bases = [(suit * 16 + rank,) for suit in range(4) for rank in range(1, 14)]
    dealt = [tuple(column[:height]) for column in columns for height in range(1, len(column) + 1)]
    for base in bases + dealt:
        for length in range(base[-1] & 15):
            yield base + tuple(base[-1] - i for i in range(1, length + 1))


def _tables(contents: list[Content], numbers: dict[Content, int], stock: Sequence[int]) -> Tables:
    n = len(contents)
    top, below, above = (np.full(n, NONE, np.int16) for _ in range(3))
    depth = np.full((n, CARD_SPACE), ABSENT, np.uint8)
    single = np.full(CARD_SPACE, NONE, np.int16)
    for number, content in enumerate(contents):
        for i, card in enumerate(content):
            depth[number, card] = len(content) - 1 - i
        if not content:
            continue
        top[number] = content[-1]
        below[number] = numbers[content[:-1]]
        if content[-1] & 15 > 1:
            above[number] = numbers[(*content, content[-1] - 1)]
        if len(content) == 1:
            single[content[0]] = number
    lower, lower_in_suit = np.zeros(len(stock), np.uint64), np.zeros(len(stock), np.uint64)
    places = np.zeros(CARD_SPACE, np.uint64)
    for i, card in enumerate(stock):
        earlier = [(j, other) for j, other in enumerate(stock[:i]) if other & 15 < card & 15]
        lower[i] = sum(1 << j for j, _ in earlier)
        lower_in_suit[i] = sum(1 << j for j, other in earlier if other >> 4 == card >> 4)
        places[card] |= np.uint64(1 << i)
    keys = np.random.default_rng(KEY_SEED).integers(1, 1 << 63, size=n + 4 * 256, dtype=np.uint64)
    return Tables(
        top=top,
        below=below,
        above=above,
        single=single,
        depth=depth,
        stock=np.array(stock, np.int16),
        lower=lower,
        lower_in_suit=lower_in_suit,
        places=places,
        column_key=keys[:n],
        home_key=keys[n:].reshape(4, 256),
    )
