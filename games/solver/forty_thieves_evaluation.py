"""How promising a Forty Thieves state looks: a weighted sum of features.

Features of single columns are summed into one number per column content and layer before the search; what
depends on several piles is computed per state. Weights are given at three moments (nothing, half, all of the
stock drawn) and interpolated between them.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .forty_thieves_state import (
    Mask,
    Nodes,
    bit,
    higher_height,
    lower_height,
    popcount,
    top_bit,
)
from .forty_thieves_tables import ABSENT, CARD_SPACE, COLUMNS, Content, Layout, Tables
from .kernels import compiled, inlined

#: Features of one column, in this order in a weight vector.
COLUMN_FEATURES = (
    "cards",
    "neighbours one above the other in suit",
    "pairs with the lower rank beneath",
    "such pairs within a suit",
    "cards under the run on top",
    "is a run from the king",
    "is empty",
    "has 1 card under its run",
    "has 2",
    "has 3",
    "rank of the lowest card of a column that is all one run",
)

#: Features of the whole state, which follow in a weight vector.
(
    PLACED,  # cards on the foundations
    WASTE_CARDS,
    WASTE_INVERSIONS,  # pairs of waste cards with the lower rank beneath
    WASTE_INVERSIONS_IN_SUIT,
    MOVABLE,  # cards that could go from column to column
    WASTE_TOP_FITS,  # on a column
    HAS_EMPTY,
    HAS_TWO_EMPTY,
    MOVES,
    FOUNDATION_GAPS,  # differences between the two foundations of a suit
    FOUNDATION_SQUARES,  # squares of both heights of a suit together, in tenths
    BURIAL_LOWER,  # cards on the next card of the lower foundation of each suit
    BURIAL_HIGHER,  # the same for the other one, where it is higher
    UNDRAWN_LOWER,  # next cards that are still in the stock
    UNDRAWN_HIGHER,
    WASTE_FITS,  # waste cards that could be played were they on top
    NEXT_5_FIT,  # among the next five stock cards those that could be played
    NEXT_20_FIT,
    STOCK_FITS,
    BURIAL_SECOND,  # cards on the card after the next of the higher foundations
    BURIAL_THIRD,
    UNDRAWN_LATER,
    TWIN_TOPS,  # pairs of columns with the same card on top
) = range(23)
STATE_FEATURES = 23
#: By how far ahead of the higher foundation a card is.
BURIED_AHEAD = (PLACED, BURIAL_HIGHER, BURIAL_SECOND, BURIAL_THIRD)
UNDRAWN_AHEAD = (PLACED, UNDRAWN_HIGHER, UNDRAWN_LATER, UNDRAWN_LATER)
WEIGHTS = len(COLUMN_FEATURES) + STATE_FEATURES
MOMENTS = 3

#: Ace to queen as a mask of cards: what a card of its suit can carry.
CARRIED = np.uint64(0x1FFE_1FFE_1FFE_1FFE)


class Evaluation(NamedTuple):
    """Weights made ready for one deal; the first axis is the number of cards drawn."""

    column: NDArray[np.float32]  # [drawn, content]
    state: NDArray[np.float32]  # [drawn, STATE_FEATURES]


def column_table(layout: Layout) -> NDArray[np.float32]:
    """The COLUMN_FEATURES of each content, [content, feature]."""
    return np.array([column_features(content) for content in layout.contents], np.float32)


def evaluation_of(table: NDArray[np.float32], stock_size: int, weights: NDArray[np.float64]) -> Evaluation:
    """Make weights [MOMENTS, WEIGHTS] ready for a deal with that `column_table`."""
    moment = np.linspace(0, MOMENTS - 1, stock_size + 1)
    share = np.maximum(0, 1 - np.abs(moment[:, None] - np.arange(MOMENTS)))
    by_layer = (share @ weights).astype(np.float32)
    of_columns, of_states = np.split(by_layer, [len(COLUMN_FEATURES)], axis=1)
    return Evaluation(np.ascontiguousarray(of_columns @ table.T), np.ascontiguousarray(of_states))


def column_features(content: Content) -> Sequence[int]:
    """The COLUMN_FEATURES of one content."""
    if not content:
        return [name == "is empty" for name in COLUMN_FEATURES]
    run = 1
    while run < len(content) and content[-run - 1] == content[-run] + 1:
        run += 1
    under = len(content) - run
    inverted = [(low, high) for i, low in enumerate(content) for high in content[i + 1 :] if low & 15 < high & 15]
    return [
        len(content),
        sum(card == above + 1 for card, above in pairwise(content)),
        len(inverted),
        sum(low >> 4 == high >> 4 for low, high in inverted),
        under,
        under == 0 and content[0] & 15 == 13,
        0,
        under == 1,
        under == 2,
        under == 3,
        0 if under else content[0] & 15,
    ]


class Scratch(NamedTuple):
    """Where one state is measured."""

    features: NDArray[np.float32]  # [STATE_FEATURES]
    depth: NDArray[np.uint8]  # [card] cards lying on the more accessible copy in the columns, or ABSENT


def new_scratch() -> Scratch:
    """Space to measure one state."""
    return Scratch(np.zeros(STATE_FEATURES, np.float32), np.zeros(CARD_SPACE, np.uint8))


@inlined
def measure_depths(tables: Tables, nodes: Nodes, i: int, depth: NDArray[np.uint8]) -> None:
    """Fill `depth` for all cards at once: the processor takes 32 of them in one step."""
    depth[:] = ABSENT
    for column in range(COLUMNS):
        of_column = tables.depth[nodes.columns[i, column]]
        for card in range(CARD_SPACE):
            depth[card] = min(depth[card], of_column[card])


@inlined
def burial(tables: Tables, waste: Mask, depth: NDArray[np.uint8], card: int) -> int:
    """Cards lying on the more accessible copy of the card; ABSENT if both are in the stock or home."""
    held = waste & tables.places[card]
    if held == np.uint64(0):
        return np.int64(depth[card])
    return min(np.int64(depth[card]), popcount(waste >> np.uint64(top_bit(held))) - 1)


@compiled
def measure(tables: Tables, nodes: Nodes, i: int, drawn: int, scratch: Scratch) -> None:
    """Write the state's features to the scratch space."""
    out, depth = scratch.features, scratch.depth
    out[:] = 0.0
    measure_depths(tables, nodes, i, depth)
    waste, home = nodes.waste[i], nodes.home[i]
    empty = 0
    tops = np.uint64(0)  # as a mask of cards
    for column in range(COLUMNS):
        card = tables.top[nodes.columns[i, column]]
        if card < 0:
            empty += 1
            continue
        if tops & bit(card) != np.uint64(0):
            out[TWIN_TOPS] += 1.0
        tops |= bit(card)
    fits = (tops >> np.uint64(1)) & CARRIED
    out[PLACED] = nodes.placed[i]
    out[WASTE_CARDS] = popcount(waste)
    out[WASTE_INVERSIONS] = nodes.inversions[i, 0]
    out[WASTE_INVERSIONS_IN_SUIT] = nodes.inversions[i, 1]
    out[MOVABLE] = popcount(tops & fits)
    waste_top = top_bit(waste)
    if waste_top >= 0 and fits & bit(tables.stock[waste_top]) != np.uint64(0):
        out[WASTE_TOP_FITS] = 1.0
    out[HAS_EMPTY] = 1.0 if empty >= 1 else 0.0
    out[HAS_TWO_EMPTY] = 1.0 if empty >= 2 else 0.0
    out[MOVES] = nodes.moves[i]
    for suit in range(4):
        low, high = lower_height(home, suit), higher_height(home, suit)
        out[FOUNDATION_GAPS] += high - low
        out[FOUNDATION_SQUARES] += (low + high) * (low + high) * 0.1
        if low < 13:
            card = suit * 16 + low + 1
            fits |= bit(card)
            covered = burial(tables, waste, depth, card)
            if covered < ABSENT:
                out[BURIAL_LOWER] += covered
            else:
                out[UNDRAWN_LOWER] += 1.0
        for ahead in range(1, 4):
            if high + ahead > 13 or (ahead == 1 and low == high):
                continue
            card = suit * 16 + high + ahead
            covered = burial(tables, waste, depth, card)
            if ahead == 1:
                fits |= bit(card)
            if covered < ABSENT:
                out[BURIED_AHEAD[ahead]] += covered
            else:
                out[UNDRAWN_AHEAD[ahead]] += 1.0
    fitting = np.uint64(0)  # as a mask of stock positions
    while fits != np.uint64(0):
        card = top_bit(fits)
        fits &= ~bit(card)
        fitting |= tables.places[card]
    coming = fitting >> np.uint64(drawn) if drawn < CARD_SPACE else np.uint64(0)
    out[WASTE_FITS] = popcount(fitting & waste)
    out[NEXT_5_FIT] = popcount(coming & np.uint64(0x1F))
    out[NEXT_20_FIT] = popcount(coming & np.uint64(0xFFFFF))
    out[STOCK_FITS] = popcount(coming)


@inlined
def evaluate(tables: Tables, nodes: Nodes, i: int, drawn: int, evaluation: Evaluation, scratch: Scratch) -> float:
    """The state's score."""
    measure(tables, nodes, i, drawn, scratch)
    score = np.float32(0.0)
    for column in range(COLUMNS):
        score += evaluation.column[drawn, nodes.columns[i, column]]
    for feature in range(STATE_FEATURES):
        score += evaluation.state[drawn, feature] * scratch.features[feature]
    return score
