"""The states that the compiled Klondike search has met: a pool of rows, its hash table and a priority queue.

The queue is an array of buckets by priority, each a linked list through the pool, the newest state first. A search
without costs keeps the first way to each state. One with costs (`Search.exact`) keeps every way that was cheaper than
all before it, and leaves out states whose `floor` reaches the best win.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .kernels import compiled, inner
from .klondike_state import NODE, Board, Layout, blocked_columns, digest, ones, sort_columns
from .klondike_stock import least_draws, position_key, remaining

BUCKETS = 4096
#: As many buckets as are skipped at once when all are empty.
GROUP = 64
#: Slots of the counters: rows in use, lowest bucket that may hold a state, moves that a win must undercut, the row of
#: the best win (-1: none), and whether a state was left out because it costs too much.
NODES, BUCKET, BEST, GOAL, CUT = range(5)
#: Slots of the weights: what one unit of each feature adds to a state's priority (lower goes first).
W_COST, W_REST, W_HIDDEN, W_BLOCKED, W_TALON, W_FLOOR, W_NOISE = range(7)
SUPERSEDED = 32_767
#: Bytes of a row.
ROW_BYTES = 49


class Pool(NamedTuple):
    """All states met, one row each."""

    words: NDArray[np.int64]  # [state, 4]
    parent: NDArray[np.int32]
    link: NDArray[np.int32]  # next state of the same bucket
    step: NDArray[np.int32]
    cost: NDArray[np.int16]  # draws, redeals and moves from the start
    floor: NDArray[np.int16]  # cost plus the least that a win still takes; SUPERSEDED: reached more cheaply elsewhere
    position: NDArray[np.int8]


class Search(NamedTuple):
    """One search in a pool."""

    pool: Pool
    table: NDArray[np.int32]  # hash table of rows, -1 = free; its length is a power of two
    heads: NDArray[np.int32]  # [bucket]: first row or -1; from BUCKETS on how many states each group of buckets holds
    counters: NDArray[np.int64]
    weights: NDArray[np.int64]
    exact: bool


def new_pool(rows: int) -> Pool:
    """Space for that many states, which takes memory only as it is filled."""
    return Pool(
        words=np.empty((rows, 4), np.int64),
        parent=np.empty(rows, np.int32),
        link=np.empty(rows, np.int32),
        step=np.empty(rows, np.int32),
        cost=np.empty(rows, np.int16),
        floor=np.empty(rows, np.int16),
        position=np.empty(rows, np.int8),
    )


def new_table(slots: int) -> NDArray[np.int32]:
    """An empty hash table; ``slots`` is a power of two."""
    return np.full(slots, -1, np.int32)


def new_search(pool: Pool, weights: tuple[int, ...], bound: int, *, exact: bool) -> Search:
    """An empty search for wins of fewer moves than ``bound``, which forgets what the pool held."""
    heads = np.full(BUCKETS + BUCKETS // GROUP, -1, np.int32)
    heads[BUCKETS:] = 0
    counters = np.array([0, 0, bound, -1, 0], np.int64)
    return Search(pool, new_table(1 << 16), heads, counters, np.array(weights, np.int64), exact)


@compiled
def offer(search: Search, layout: Layout, board: Board, mask: int, position: int, step: int, cost: int) -> None:
    """Store a state that a step leads to and queue it, unless it is known already (with costs: as cheaply)."""
    pool, table, counters, up, ordered = search.pool, search.table, search.counters, board.up, board.ordered
    sort_columns(board.codes, ordered)
    count = ones(mask)
    key = position if search.exact else position_key(position, count, layout)
    w0 = ordered[0] | ordered[1] << 25 | up[0] << 50 | up[1] << 54 | up[2] << 58
    w1 = ordered[2] | ordered[3] << 25 | up[3] << 50 | key << 54
    w2 = ordered[4] | ordered[5] << 25
    w3 = ordered[6] | mask << 25
    mixed = digest(w0, w1, w2, w3)
    slot = mixed & len(table) - 1
    while table[slot] >= 0:
        old = table[slot]
        if (
            pool.words[old, 0] == w0 and pool.words[old, 1] == w1
            and pool.words[old, 2] == w2 and pool.words[old, 3] == w3
        ):  # fmt: skip
            if not search.exact or cost >= pool.cost[old]:
                return
            pool.floor[old] = SUPERSEDED
            break
        slot = slot + 1 & len(table) - 1

    rest = 52 - up[0] - up[1] - up[2] - up[3]
    blocked = blocked_columns(ordered, layout)
    floor = cost + rest + blocked
    if search.exact:
        remaining(mask, board.scratch, layout)
        floor += least_draws(position, board.scratch, count, layout)
    if floor >= counters[BEST]:
        counters[CUT] = 1
        return
    node = counters[NODES]
    counters[NODES] = node + 1
    table[slot] = node
    pool.words[node, 0], pool.words[node, 1], pool.words[node, 2], pool.words[node, 3] = w0, w1, w2, w3
    pool.parent[node], pool.step[node] = board.talon[NODE], step
    pool.cost[node], pool.floor[node], pool.position[node] = cost, floor, position
    if rest == 0:
        counters[BEST], counters[GOAL] = cost, node
    else:
        hidden = 0
        for i in range(len(ordered)):
            hidden += ordered[i] >> 22
        weights = search.weights
        priority = (
            weights[W_COST] * cost + weights[W_REST] * rest + weights[W_HIDDEN] * hidden
            + weights[W_BLOCKED] * blocked + weights[W_TALON] * count + weights[W_FLOOR] * floor
            + ((mixed >> 40 & 0xFFFF) * weights[W_NOISE] >> 16)
        )  # fmt: skip
        enqueue(search, node, min(priority, BUCKETS - 1))


@inner
def enqueue(search: Search, node: int, bucket: int) -> None:
    """Queue a row of the pool."""
    heads = search.heads
    search.pool.link[node] = heads[bucket]
    heads[bucket] = node
    heads[BUCKETS + bucket // GROUP] += 1
    search.counters[BUCKET] = min(search.counters[BUCKET], bucket)


@inner
def dequeue(search: Search) -> int:
    """The row with the best priority, which leaves the queue; -1 if none is left."""
    heads = search.heads
    bucket = search.counters[BUCKET]
    while bucket < BUCKETS and heads[bucket] < 0:
        bucket = bucket + 1 if heads[BUCKETS + bucket // GROUP] else (bucket // GROUP + 1) * GROUP
    search.counters[BUCKET] = bucket
    if bucket == BUCKETS:
        return -1
    node = heads[bucket]
    heads[bucket] = search.pool.link[node]
    heads[BUCKETS + bucket // GROUP] -= 1
    return int(node)


@compiled
def rehash(pool: Pool, table: NDArray[np.int32], count: int) -> None:
    """Enter the first ``count`` rows of the pool into an empty, larger table."""
    for node in range(count):
        if pool.floor[node] == SUPERSEDED:
            continue
        w0, w1, w2, w3 = pool.words[node, 0], pool.words[node, 1], pool.words[node, 2], pool.words[node, 3]
        slot = digest(w0, w1, w2, w3) & len(table) - 1
        while table[slot] >= 0:
            slot = slot + 1 & len(table) - 1
        table[slot] = node
