"""Klondike states packed into integers, and what the compiled search reads off and changes in them.

Cards are ints suit * 16 + rank (suits S=0, H=1, D=2, C=3; rank 1 is the ace). Inside a run only one bit is
needed to tell a card's suit, because colours alternate: bit 0 is S or H, bit 1 is C or D.

Column code (25 bits, 0 = empty column), the face-up run with its top card in the lowest bits:

    bits 0-12   suit bit of each face-up card, the top card in bit 0
    bits 13-16  number of face-up cards
    bit  17     colour of the top card (1 = red)
    bits 18-21  rank of the top card
    bits 22-24  number of face-down cards; which ones they are follows from the column's index

State (four int64 words, an exact key: equal words mean equal states, so no state is ever lost to a hash
collision):

    word 0  codes of columns 0, 1 and the foundations S, H, D (4 bits each, from bit 50)
    word 1  codes of columns 2, 3, foundation C (bit 50) and the waste position's key (5 bits, from bit 54)
    word 2  codes of columns 4, 5
    word 3  code of column 6 and the mask of stock cards still in stock or waste (24 bits, from bit 25)

Columns without face-down cards are interchangeable, so they are sorted among themselves. The waste position
and its key are explained in `klondike_stock`.

Numba's cache looks at the file of the function that Python calls and not at those of the functions called by it:
after a change here, in `klondike_stock` or in `klondike_queue`, touch `klondike_kernel` and `klondike_queue` too.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .kernels import compiled, inner

COLUMNS = 7
CODE_BITS = 25
CODE_MASK = (1 << CODE_BITS) - 1
#: Slots of `Board.talon`: stock cards not yet played (mask), how many of them are in the waste, the state's row in
#: the pool and its cost.
MASK, POSITION, NODE, COST = range(4)


class Layout(NamedTuple):
    """The deal and its rules, which never change during a search."""

    hidden: NDArray[np.int64]  # [column, depth]: the face-down cards, lowest first
    lowest: NDArray[np.int64]  # [column, face-down cards left, suit]: lowest rank among them, 14 if none
    blocked: NDArray[np.int64]  # [column, face-down cards left]: those with a lower one of their suit below
    stock: NDArray[np.int64]  # the first is drawn first
    draw: int  # cards per draw
    redeals: bool


class Board(NamedTuple):
    """The state that is being expanded, unpacked, and working space."""

    codes: NDArray[np.int64]  # [column]
    up: NDArray[np.int64]  # [suit]: rank of the foundation's top card
    talon: NDArray[np.int64]  # MASK, POSITION, NODE, COST
    left: NDArray[np.int64]  # stock indices of the cards in the mask
    positions: NDArray[np.int64]  # waste positions within reach
    draws: NDArray[np.int64]  # and the draws and redeals each takes
    ordered: NDArray[np.int64]  # working space of `offer`: sorted columns
    scratch: NDArray[np.int64]  # and stock indices


def new_board() -> Board:
    """Space for one state."""
    return Board(*(np.zeros(size, np.int64) for size in (COLUMNS, 4, 4, 25, 32, 32, COLUMNS, 25)))


@inner
def suit_of(colour: int, bit: int) -> int:
    """The suit of a card in a run; colour 1 is red."""
    return 1 + bit if colour else 3 * bit


@inner
def is_safe(suit: int, rank: int, up: NDArray[np.int64]) -> bool:
    """Whether no card can still need this one in a column (`klondike_kernel`, safe cards)."""
    other = min(up[1], up[2]) if suit == 0 or suit == 3 else min(up[0], up[3])
    return bool(rank <= other + 2 and rank <= up[3 - suit] + 3)


@compiled
def single(card: int, hidden: int) -> int:
    """The code of a column with one face-up card on a number of face-down cards."""
    suit = card >> 4
    red = 1 if suit == 1 or suit == 2 else 0
    return hidden << 22 | (card & 15) << 18 | red << 17 | 1 << 13 | suit >> 1


@inner
def laid_on(code: int, moved: int, count: int) -> int:
    """The code of a column (0: empty) after the `count` top cards of column code `moved` are laid on it."""
    length = (code >> 13 & 15) + count
    bits = (code & 0x1FFF) << count | moved & ((1 << count) - 1)
    return (code >> 22) << 22 | (moved >> 17 & 31) << 17 | length << 13 | bits


@inner
def without(code: int, count: int, column: int, hidden: NDArray[np.int64]) -> int:
    """The code after the `count` top cards are gone; a face-down card laid bare is turned up."""
    length = code >> 13 & 15
    below = code >> 22
    if count == length:
        return single(hidden[column, below - 1], below - 1) if below else 0
    red = (code >> 17 & 1) ^ (count & 1)
    rank = (code >> 18 & 15) + count
    return below << 22 | rank << 18 | red << 17 | (length - count) << 13 | (code & 0x1FFF) >> count


@inner
def card_at(code: int, depth: int) -> int:
    """The face-up card with `depth` cards on it; 0 for an empty column."""
    if code == 0:
        return 0
    red = (code >> 17 & 1) ^ (depth & 1)
    return suit_of(red, code >> depth & 1) << 4 | (code >> 18 & 15) + depth


@inner
def fits(code: int, moved: int, count: int) -> bool:
    """Whether the `count` top cards of `moved` may be laid on a column that isn't empty."""
    red = (moved >> 17 & 1) ^ (count - 1 & 1)
    return bool(code and (code >> 18 & 15) == (moved >> 18 & 15) + count and (code >> 17 & 1) != red)


@inner
def ones(mask: int) -> int:
    """How many of the 24 low bits are set."""
    mask -= mask >> 1 & 0x555555
    mask = (mask & 0x333333) + (mask >> 2 & 0x333333)
    mask = mask + (mask >> 4) & 0x0F0F0F
    return mask + (mask >> 8) + (mask >> 16) & 31


@inner
def sort_columns(codes: NDArray[np.int64], ordered: NDArray[np.int64]) -> None:
    """Fill in the column codes with the interchangeable ones sorted, empty columns last."""
    for i in range(COLUMNS):
        ordered[i] = codes[i]
        if ordered[i] >> 22:
            continue
        j = i
        for k in range(i - 1, -1, -1):
            if ordered[k] >> 22 == 0:
                if ordered[k] >= ordered[j]:
                    break
                ordered[k], ordered[j] = ordered[j], ordered[k]
                j = k


@compiled
def unpack(board: Board, w0: int, w1: int, w2: int, w3: int) -> None:
    """Fill in the board's columns, foundations and mask from a state's words."""
    codes, up = board.codes, board.up
    codes[0], codes[1] = w0 & CODE_MASK, w0 >> 25 & CODE_MASK
    codes[2], codes[3] = w1 & CODE_MASK, w1 >> 25 & CODE_MASK
    codes[4], codes[5] = w2 & CODE_MASK, w2 >> 25 & CODE_MASK
    codes[6] = w3 & CODE_MASK
    up[0], up[1], up[2], up[3] = w0 >> 50 & 15, w0 >> 54 & 15, w0 >> 58 & 15, w1 >> 50 & 15
    board.talon[MASK] = w3 >> 25


@inner
def digest(w0: int, w1: int, w2: int, w3: int) -> int:
    """A well-mixed hash of the four words (wrapping int64 arithmetic)."""
    h = w0 * -7046029254386353131
    h = (h ^ h >> 31) + w1
    h *= -4417276706812531889
    h = (h ^ h >> 29) + w2
    h *= -8663945395140668459
    h = (h ^ h >> 32) + w3
    h *= -7046029254386353131
    return h ^ h >> 30


@inner
def blocked_columns(codes: NDArray[np.int64], layout: Layout) -> int:
    """Moves to another column that a win can't do without.

    A face-down card that lies over a lower card of its suit must leave its column before it can go up, on its
    own, since no card moves along with those above a face-down one; of the face-up run the same holds once.
    """
    total = 0
    for column in range(COLUMNS):
        code = codes[column]
        below = code >> 22
        if below == 0:
            continue
        total += layout.blocked[column, below]
        rank, red, bits = code >> 18 & 15, code >> 17 & 1, code & 0x1FFF
        for _ in range(code >> 13 & 15):
            if rank > layout.lowest[column, below, suit_of(red, bits & 1)]:
                total += 1
                break
            rank, red, bits = rank + 1, red ^ 1, bits >> 1
    return total
