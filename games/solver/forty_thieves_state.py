"""Forty Thieves states as array rows, and the compiled functions that change one row.

State layout (row ``i`` of `Nodes`): ten column contents by number (see the tables module), the foundations as
one byte a suit (low nibble the lower of its two piles, high nibble the higher: the two are interchangeable),
and the waste as a mask over the stock's positions, the highest bit being its top. How many cards are drawn
isn't stored: it is the same for all rows. States that differ only in the order of columns have the same key.
Keys are 64-bit hashes; a collision can lose a state but never make a wrong one.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, cast

import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from .forty_thieves_tables import COLUMNS, Tables
from .kernels import compiled, inlined

#: Turns a code generator that also takes numba's typing context into a function of the kernels.
instruction = cast(Callable[[Callable[[Any, Any], Any]], Callable[[Any], Any]], intrinsic)

Mask = Any  # numpy.uint64 throughout: numba turns mixed signs into floats


class Nodes(NamedTuple):
    """The states of one layer; ``c`` rows of 60 bytes."""

    columns: NDArray[np.int16]  # [c, 10]
    home: NDArray[np.uint32]  # [c] foundation heights
    waste: NDArray[np.uint64]  # [c]
    key: NDArray[np.uint64]  # [c]
    placed: NDArray[np.int16]  # [c] cards on the foundations
    moves: NDArray[np.int16]  # [c] actions since the search's start
    inversions: NDArray[np.int16]  # [c, 2] pairs of waste cards, the higher on top: all, in suit
    score: NDArray[np.float32]  # [c] the higher the more promising
    parent: NDArray[np.int32]  # [c] index into the history of all layers, NO_PARENT for the start
    move: NDArray[np.int32]  # [c] what was played on the parent, before the safe moves that `settle` adds


NODE_BYTES = 60
NO_PARENT = -1


def new_nodes(rows: int) -> Nodes:
    """Space for that many states."""
    return Nodes(
        columns=np.zeros((rows, COLUMNS), np.int16),
        home=np.zeros(rows, np.uint32),
        waste=np.zeros(rows, np.uint64),
        key=np.zeros(rows, np.uint64),
        placed=np.zeros(rows, np.int16),
        moves=np.zeros(rows, np.int16),
        inversions=np.zeros((rows, 2), np.int16),
        score=np.zeros(rows, np.float32),
        parent=np.zeros(rows, np.int32),
        move=np.zeros(rows, np.int32),
    )


@instruction
def popcount(typing: Any, mask: Any) -> Any:
    """How many bits are set: one machine instruction, which numba has no name for."""
    return types.int64(types.uint64), lambda context, builder, signature, arguments: builder.ctpop(arguments[0])


@instruction
def leading_zeros(typing: Any, mask: Any) -> Any:
    """How many bits above the highest set one are clear; 64 for an empty mask."""
    return types.int64(types.uint64), lambda context, builder, signature, arguments: builder.ctlz(
        arguments[0], context.get_constant(types.boolean, False)
    )


@inlined
def top_bit(mask: Mask) -> Any:
    """Position of the highest set bit, -1 for an empty mask."""
    return 63 - leading_zeros(mask)


@inlined
def bit(position: Any) -> Mask:
    """The mask with only that bit."""
    return np.uint64(1) << np.uint64(position)


@inlined
def lower_height(home: Any, suit: Any) -> Any:
    """Height of the lower of the suit's two foundations."""
    return np.int64((home >> np.uint32(8 * suit)) & np.uint32(15))


@inlined
def higher_height(home: Any, suit: Any) -> Any:
    """Height of the higher of the suit's two foundations."""
    return np.int64((home >> np.uint32(8 * suit + 4)) & np.uint32(15))


@inlined
def copy_node(source: Nodes, i: int, target: Nodes, j: int) -> None:
    """Row j of `target` becomes row i of `source`."""
    for column in range(COLUMNS):
        target.columns[j, column] = source.columns[i, column]
    target.home[j] = source.home[i]
    target.waste[j] = source.waste[i]
    target.key[j] = source.key[i]
    target.placed[j] = source.placed[i]
    target.moves[j] = source.moves[i]
    target.inversions[j, 0] = source.inversions[i, 0]
    target.inversions[j, 1] = source.inversions[i, 1]
    target.score[j] = source.score[i]
    target.parent[j] = source.parent[i]
    target.move[j] = source.move[i]


@compiled
def put_on_waste(tables: Tables, nodes: Nodes, i: int, position: int) -> None:
    """Lay the stock card of that position on the waste."""
    waste = nodes.waste[i]
    nodes.inversions[i, 0] += popcount(waste & tables.lower[position])
    nodes.inversions[i, 1] += popcount(waste & tables.lower_in_suit[position])
    nodes.waste[i] = waste | bit(position)


@inlined
def take_from_waste(tables: Tables, nodes: Nodes, i: int, position: int) -> None:
    """Take the waste's top card, which has that position in the stock."""
    waste = nodes.waste[i] & ~bit(position)
    nodes.inversions[i, 0] -= popcount(waste & tables.lower[position])
    nodes.inversions[i, 1] -= popcount(waste & tables.lower_in_suit[position])
    nodes.waste[i] = waste


@inlined
def place(nodes: Nodes, i: int, card: Any) -> None:
    """Put the card on a foundation of its suit that takes it; there must be one."""
    suit = card >> 4
    low, high = lower_height(nodes.home[i], suit), higher_height(nodes.home[i], suit)
    if low + 1 == card & 15:
        low += 1
    else:
        high += 1
    if low > high:
        low, high = high, low
    shift = np.uint32(8 * suit)
    others = nodes.home[i] & ~(np.uint32(255) << shift)
    nodes.home[i] = others | (np.uint32(low | (high << 4)) << shift)
    nodes.placed[i] += 1


@inlined
def is_safe(nodes: Nodes, i: int, card: Any) -> Any:
    """Whether the lower of the suit's two foundations takes the card.

    Then it has nothing left to wait for: both copies of the rank below are home, so no card can ever want to
    lie on it, and its twin is home already or finds the other foundation as low as this one. Placing it at
    once loses neither the win nor moves, since every card has to be placed once anyhow.
    """
    return lower_height(nodes.home[i], card >> 4) + 1 == card & 15


@compiled
def settle(tables: Tables, nodes: Nodes, i: int) -> None:
    """Make every safe move to the foundations, then set the row's key."""
    again = True
    while again:
        again = False
        for column in range(COLUMNS):
            content = nodes.columns[i, column]
            while tables.top[content] >= 0 and is_safe(nodes, i, tables.top[content]):
                place(nodes, i, tables.top[content])
                nodes.moves[i] += 1
                content = tables.below[content]
                again = True
            nodes.columns[i, column] = content
        position = top_bit(nodes.waste[i])
        while position >= 0 and is_safe(nodes, i, tables.stock[position]):
            place(nodes, i, tables.stock[position])
            nodes.moves[i] += 1
            take_from_waste(tables, nodes, i, position)
            position = top_bit(nodes.waste[i])
            again = True
    key = nodes.waste[i] * np.uint64(0x9E3779B97F4A7C15)
    key = (key ^ (key >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    for column in range(COLUMNS):
        key += tables.column_key[nodes.columns[i, column]]
    for suit in range(4):
        key += tables.home_key[suit, (nodes.home[i] >> np.uint32(8 * suit)) & np.uint32(255)]
    nodes.key[i] = key ^ (key >> np.uint64(31))
