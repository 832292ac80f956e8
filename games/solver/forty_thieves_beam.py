"""The beam search: one layer for every number of cards drawn.

Drawing can't be undone, so only states with as many cards drawn compete with each other. `expand` searches a
layer best-first over the moves between two draws; `draw` takes the most promising of all its states, each
seen after the draw, into the next layer. A win can only be in the last layer, since every card has to go
home.

What is left out of the legal moves: taking back from foundations; all but one of several empty columns as
target, and a lone card to an empty column (the same states in another order of columns); any other move while
there is a safe one (`settle`). Only the first can lose anything, but the limited width does: a search without
a win proves nothing.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .forty_thieves_evaluation import Evaluation, Scratch, evaluate, new_scratch
from .forty_thieves_state import (
    NODE_BYTES,
    Mask,
    Nodes,
    copy_node,
    higher_height,
    place,
    put_on_waste,
    settle,
    take_from_waste,
    top_bit,
)
from .forty_thieves_tables import CARDS, COLUMNS, EMPTY, Tables
from .kernels import compiled, inlined

WASTE = COLUMNS  # a source beside the columns
HOME = COLUMNS  # a target beside the columns
#: A move is DRAW or source content * MOVE_BASE + target content, with PILE for waste or foundation. By
#: contents, not by columns, so that it can be played whatever the order of the columns.
DRAW = -1
MOVE_BASE = 4096
PILE = MOVE_BASE - 1
#: One state has at most 11 foundation moves, 11 to empty columns and 22 in suit (each card fits on two
#: others).
MOST_CHILDREN = 44
#: What a row takes: two layers of nodes, hash slots (at most 4 of 4 bytes), heap and drawn score.
WORK_BYTES = 2 * NODE_BYTES + 16 + 4 + 4
#: What a row takes in the history of each layer: parent and move, twice while the layers are joined.
HISTORY_BYTES = 16


class Work(NamedTuple):
    """Scratch space for a layer of ``c`` rows."""

    slots: NDArray[np.int32]  # open hash table of row + 1, 0 where free; a power of two, at most half full
    heap: NDArray[np.int32]  # [c] rows still to expand, the best first
    drawn_score: NDArray[np.float32]  # [c] scores after the draw
    scratch: Scratch


def slots_for(rows: int) -> int:
    """Size of a hash table for that many states."""
    return 1 << (2 * rows - 1).bit_length()


def new_work(rows: int) -> Work:
    """Scratch space for that many states."""
    return Work(
        slots=np.zeros(slots_for(rows), np.int32),
        heap=np.zeros(rows, np.int32),
        drawn_score=np.zeros(rows, np.float32),
        scratch=new_scratch(),
    )


@inlined
def look_up(nodes: Nodes, slots: NDArray[np.int32], key: Mask) -> tuple[int, int]:
    """The row with this key (-1 without) and the slot where it is or belongs."""
    mask = np.uint64(len(slots) - 1)
    slot = key & mask
    while slots[slot] != 0 and nodes.key[slots[slot] - 1] != key:
        slot = (slot + np.uint64(1)) & mask
    return slots[slot] - 1, slot


@inlined
def heap_push(heap: NDArray[np.int32], size: int, score: NDArray[np.float32], row: int) -> None:
    """Add a row to a heap of that size."""
    i = size
    while i > 0:
        up = (i - 1) >> 1
        if score[heap[up]] >= score[row]:
            break
        heap[i] = heap[up]
        i = up
    heap[i] = row


@inlined
def heap_pop(heap: NDArray[np.int32], size: int, score: NDArray[np.float32]) -> int:
    """Take the best row out of a heap of that size."""
    best, row = heap[0], heap[size - 1]
    i, child = 0, 1
    while child < size - 1:
        if child + 1 < size - 1 and score[heap[child + 1]] > score[heap[child]]:
            child += 1
        if score[row] >= score[heap[child]]:
            break
        heap[i] = heap[child]
        i = child
        child = 2 * i + 1
    heap[i] = row
    return best


@inlined
def fewest_moves(tables: Tables, nodes: Nodes, i: int, drawn: int) -> int:
    """Moves that a win through this state takes at least: each other card has to be drawn and placed."""
    return np.int64(nodes.moves[i]) + (CARDS - nodes.placed[i]) + (len(tables.stock) - drawn)


@compiled
def try_move(
    tables: Tables,
    nodes: Nodes,
    work: Work,
    count: int,
    heap_size: int,
    i: int,
    source: int,
    target: int,
    base: int,
    drawn: int,
    bound: int,
    evaluation: Evaluation,
) -> tuple[int, int]:
    """Make row `count` of row i by one move; it stays if it is new and can still win in under `bound` moves.

    A known state reached in fewer moves gets the shorter way instead. Returns the new count and heap size.
    """
    n = count
    copy_node(nodes, i, nodes, n)
    if source == WASTE:
        position = top_bit(nodes.waste[n])
        card = np.int64(tables.stock[position])
        move = PILE * MOVE_BASE
        take_from_waste(tables, nodes, n, position)
    else:
        content = nodes.columns[n, source]
        card = np.int64(tables.top[content])
        move = content * MOVE_BASE
        nodes.columns[n, source] = tables.below[content]
    if target == HOME:
        move += PILE
        place(nodes, n, card)
    else:
        content = nodes.columns[n, target]
        move += content
        nodes.columns[n, target] = tables.single[card] if content == EMPTY else tables.above[content]
    nodes.moves[n] += 1
    nodes.parent[n] = base + i
    nodes.move[n] = move
    settle(tables, nodes, n)
    if fewest_moves(tables, nodes, n, drawn) >= bound:
        return count, heap_size
    known, slot = look_up(nodes, work.slots, nodes.key[n])
    if known >= 0:
        if nodes.moves[n] < nodes.moves[known]:
            nodes.score[n] = nodes.score[known]
            copy_node(nodes, n, nodes, known)
        return count, heap_size
    nodes.score[n] = evaluate(tables, nodes, n, drawn, evaluation, work.scratch)
    work.slots[slot] = n + 1
    heap_push(work.heap, heap_size, nodes.score, n)
    return count + 1, heap_size + 1


@inlined
def first_empty(nodes: Nodes, i: int) -> int:
    """The first empty column, -1 without."""
    for column in range(COLUMNS):
        if nodes.columns[i, column] == EMPTY:
            return column
    return -1


@compiled
def try_moves(
    tables: Tables,
    nodes: Nodes,
    work: Work,
    count: int,
    heap_size: int,
    i: int,
    base: int,
    drawn: int,
    bound: int,
    evaluation: Evaluation,
) -> tuple[int, int]:
    """Add what one move makes of row i."""
    empty = first_empty(nodes, i)
    for source in range(COLUMNS + 1):
        alone = False
        if source == WASTE:
            if nodes.waste[i] == np.uint64(0):
                continue
            card = np.int64(tables.stock[top_bit(nodes.waste[i])])
        else:
            content = nodes.columns[i, source]
            if content == EMPTY:
                continue
            card = np.int64(tables.top[content])
            alone = tables.below[content] == EMPTY
        for target in range(COLUMNS + 1):
            if target == HOME:
                fits = higher_height(nodes.home[i], card >> 4) + 1 == card & 15
            elif target == empty:
                fits = not alone
            else:
                # Kings have no card + 1: 14 is no rank.
                fits = target != source and tables.top[nodes.columns[i, target]] == card + 1
            if fits:
                count, heap_size = try_move(
                    tables, nodes, work, count, heap_size, i, source, target, base, drawn, bound, evaluation
                )
    return count, heap_size


@compiled
def expand(
    tables: Tables,
    nodes: Nodes,
    work: Work,
    count: int,
    base: int,
    drawn: int,
    expansions: int,
    bound: int,
    evaluation: Evaluation,
) -> tuple[int, int]:
    """Search a layer from its first `count` rows, at most so many expansions, the best state first.

    `base` is the place of row 0 in the history. Returns the number of rows, and the row that wins in
    the fewest moves (-1 without).
    """
    work.slots[:] = 0
    given, count = count, 0
    for i in range(given):
        known, slot = look_up(nodes, work.slots, nodes.key[i])
        if known >= 0:
            continue
        copy_node(nodes, i, nodes, count)
        work.slots[slot] = count + 1
        heap_push(work.heap, count, nodes.score, count)
        count += 1
    heap_size = count
    best = -1
    room = min(len(nodes.key), len(work.slots) // 2) - MOST_CHILDREN
    while heap_size > 0 and expansions > 0 and count < room:
        i = heap_pop(work.heap, heap_size, nodes.score)
        heap_size -= 1
        if nodes.placed[i] == CARDS:
            if nodes.moves[i] < bound:
                best, bound = i, np.int64(nodes.moves[i])
            continue
        expansions -= 1
        count, heap_size = try_moves(tables, nodes, work, count, heap_size, i, base, drawn, bound, evaluation)
    return count, best


@inlined
def draw_one(tables: Tables, nodes: Nodes, i: int, target: Nodes, j: int, base: int, drawn: int) -> None:
    """Row j of the next layer: row i after a draw."""
    copy_node(nodes, i, target, j)
    put_on_waste(tables, target, j, drawn)
    target.moves[j] += 1
    target.parent[j] = base + i
    target.move[j] = DRAW
    settle(tables, target, j)


@compiled
def draw(
    tables: Tables,
    nodes: Nodes,
    work: Work,
    count: int,
    target: Nodes,
    width: int,
    base: int,
    drawn: int,
    bound: int,
    evaluation: Evaluation,
) -> int:
    """Fill `target` with the `width` most promising of `count` rows after a draw; return its size."""
    heap_size = 0
    for i in range(count):
        draw_one(tables, nodes, i, target, 0, base, drawn)
        if fewest_moves(tables, target, 0, drawn + 1) < bound:
            work.drawn_score[i] = evaluate(tables, target, 0, drawn + 1, evaluation, work.scratch)
            heap_push(work.heap, heap_size, work.drawn_score, i)
            heap_size += 1
    kept = min(width, heap_size)
    for j in range(kept):
        i = heap_pop(work.heap, heap_size - j, work.drawn_score)
        draw_one(tables, nodes, i, target, j, base, drawn)
        target.score[j] = work.drawn_score[i]
    return kept
