"""The Klondike solver: with full knowledge of the cards it finds a win and shortens it, or proves that there is none.

The search itself is compiled (`klondike_kernel`: states, moves, and why the moves left out are not needed). Here it is
run again and again. Most deals that can be won are won by some best-first search within a few thousand states, and
which one is luck: so `search` goes through `ATTEMPTS` with a small limit of states, then with a larger one, and so on.
Each of these searches would look at every state in the end. One that runs out of states before it meets its limit has
proven that the deal has no win: no move was left out without a reason that holds, and taking back is among the moves.

Shortening searches on with costs: a state counts as known only if it was reached as cheaply, and states from which the
best known win can't be undercut are left out (``floor``: draws and moves that every win still needs).

Memory: `STATE_BYTES` for each state, tables included; a search that has used up ``memory_bytes`` ends. No random
numbers: equal calls take the same course as far as their time goes.
"""

from collections.abc import Iterator, Sequence
from itertools import count
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import klondike_kernel as kernel
from .klondike_log import write_log

DEFAULT_MEMORY = 1 << 30
#: A row of the pool, and its slots in the hash table, which is at most one eighth full after it has grown.
STATE_BYTES = 80
#: Expansions between two looks at the clock.
CHUNK = 2000
#: More actions than any win that a search comes up with.
NO_BOUND = 10_000

#: Weights by cards per draw, in the order of `klondike_kernel.W_COST` and following: moves so far, cards not yet home,
#: face-down cards, cards blocked by lower ones, cards in stock and waste, (for shortening) the floor, and noise. They
#: are those of some sixty random ones that together won most of the deals which the first one alone left open: 52 of
#: 200 with draw 1, 49 of 160 with draw 3.
ATTEMPTS = {
    1: (
        (0, 20, 60, 40, 0, 0, 0),
        (2, 30, 20, 0, 0, 0, 0),
        (0, 30, 40, 40, 5, 0, 30),
        (0, 40, 60, 60, 40, 0, 800),
        (4, 40, 40, 20, 5, 0, 300),
        (0, 5, 40, 20, 40, 0, 300),
    ),
    3: (
        (1, 20, 20, 20, 10, 0, 300),
        (2, 20, 40, 60, 5, 0, 20),
        (0, 20, 60, 40, 0, 0, 0),
        (0, 10, 60, 20, 10, 0, 50),
        (2, 30, 40, 10, 0, 0, 0),
    ),
}
FIRST_LIMIT = 20_000
GROWTH = 4

#: For shortening: the nearer to the floor alone, the better the wins and the longer it takes.
SHORTENING = ((0, 6, 20, 10, 0, 6, 0), (0, 2, 8, 4, 0, 10, 0), (0, 0, 1, 0, 0, 12, 0))


class Found(NamedTuple):
    """What a search found: the shortest winning log or None, and whether it has proven that there is no win."""

    log: str | None
    exhausted: bool
    nodes: int


def search(
    columns: Sequence[Sequence[int]],
    stock: Sequence[int],
    *,
    draw: int,
    redeals: bool,
    seconds: float,
    stop_at_first: bool = False,
    memory_bytes: int = DEFAULT_MEMORY,
) -> Found:
    """Look for a win, and shorten it while time is left unless ``stop_at_first``. ``seconds`` of wall time."""
    deadline = perf_counter() + seconds
    game = _Game(columns, stock, draw, redeals, memory_bytes)
    for weights, limit in _attempts(draw):
        status, log = game.run(weights, limit, deadline)
        if log is not None:
            if not stop_at_first:
                log = _shorten(game, log, deadline)
            return Found(log, False, game.nodes)
        if status == kernel.EXHAUSTED:
            return Found(None, True, game.nodes)
        if status == kernel.POOL_FULL or perf_counter() > deadline:
            break
    return Found(None, False, game.nodes)


def warm_up() -> None:
    """Compile the kernels, or load them from numba's cache."""
    # A little game with every card home but the kings, which lie on the columns.
    columns: list[list[int]] = [[suit * 16 + 13] for suit in range(4)] + [[], [], []]
    game = _Game(columns, [], 1, True, 1 << 20)
    deadline = perf_counter() + 1e9
    game.run(ATTEMPTS[1][0], 100, deadline)
    game.run(SHORTENING[0], 100, deadline, bound=NO_BOUND)


def _attempts(draw: int) -> Iterator[tuple[tuple[int, ...], int]]:
    for round_ in count():
        for weights in ATTEMPTS[draw]:
            yield weights, FIRST_LIMIT * GROWTH**round_


def _shorten(game: "_Game", log: str, deadline: float) -> str:
    limit = FIRST_LIMIT * GROWTH
    while perf_counter() < deadline:
        full = False
        for weights in SHORTENING:
            status, shorter = game.run(weights, limit, deadline, bound=len(log.split()))
            log = shorter or log
            if status == kernel.EXHAUSTED:
                return log
            full = full or status == kernel.POOL_FULL
        if full:
            return log
        limit *= GROWTH
    return log


class _Game:
    """One deal, and the running of searches on it."""

    def __init__(
        self,
        columns: Sequence[Sequence[int]],
        stock: Sequence[int],
        draw: int,
        redeals: bool,
        memory_bytes: int,
    ) -> None:
        self.columns, self.stock, self.draw, self.redeals = columns, stock, draw, redeals
        self.layout = _layout_of(columns, stock)
        self.nodes = 0
        self._pool = _new_pool(memory_bytes // STATE_BYTES)
        self._codes = np.array([kernel.single(c[-1], len(c) - 1) if c else 0 for c in columns], np.int64)
        dealt = [card for pile in (*columns, stock) for card in pile]
        self._up = np.array([min((c & 15 for c in dealt if c >> 4 == s), default=14) - 1 for s in range(4)], np.int64)

    def run(
        self, weights: tuple[int, ...], limit: int, deadline: float, bound: int | None = None
    ) -> tuple[int, str | None]:
        """Search until a win, the last state, ``limit`` states, or the deadline; the kernel's status and the win.

        With a ``bound`` look for the shortest win of fewer actions, which takes until the last state.
        """
        rules = np.array([self.draw, self.redeals, bound is not None, True], np.int64)
        table = np.full(1 << 16, -1, np.int32)
        heads = np.full(kernel.BUCKETS + kernel.BUCKETS // 64, -1, np.int32)
        heads[kernel.BUCKETS :] = 0
        counters = np.array([0, 0, NO_BOUND if bound is None else bound, -1], np.int64)
        packed = np.array(weights, np.int64)
        search_ = (self._pool, table, heads, counters, self.layout, rules, packed)
        scratch = np.empty(kernel.COLUMNS, np.int64), np.empty(25, np.int64)
        kernel.offer(*search_, self._codes, self._up, (1 << len(self.stock)) - 1, 0, -1, 0, 0, *scratch)
        status = kernel.RUNNING
        while status in (kernel.RUNNING, kernel.TABLE_FULL):
            status = kernel.advance(self._pool, table, heads, counters, self.layout, rules, packed, CHUNK)
            if status == kernel.TABLE_FULL:
                table = np.full(len(table) * 4, -1, np.int32)
                kernel.rehash(self._pool, table, int(counters[kernel.NODES]))
            if counters[kernel.NODES] > limit or perf_counter() > deadline:
                break
        self.nodes += int(counters[kernel.NODES])
        goal = int(counters[kernel.GOAL])
        return status, None if goal < 0 else self._log_to(goal)

    def _log_to(self, goal: int) -> str:
        steps = []
        while goal > 0:
            steps.append(int(self._pool.step[goal]))
            goal = int(self._pool.parent[goal])
        return write_log(self.columns, self.stock, draw=self.draw, redeals=self.redeals, steps=steps[::-1])


def _new_pool(rows: int) -> kernel.Pool:
    return kernel.Pool(
        words=np.empty((rows, 4), np.int64),
        parent=np.empty(rows, np.int32),
        link=np.empty(rows, np.int32),
        step=np.empty(rows, np.int32),
        cost=np.empty(rows, np.int16),
        floor=np.empty(rows, np.int16),
        position=np.empty(rows, np.int8),
    )


def _layout_of(columns: Sequence[Sequence[int]], stock: Sequence[int]) -> kernel.Layout:
    """What the kernel looks up by column and number of face-down cards."""
    shape = (kernel.COLUMNS, kernel.COLUMNS)
    hidden: NDArray[np.int64] = np.zeros(shape, np.int64)
    lowest: NDArray[np.int64] = np.full((*shape, 4), 14, np.int64)
    blocked: NDArray[np.int64] = np.zeros(shape, np.int64)
    for i, column in enumerate(columns):
        for depth, card in enumerate(column[:-1]):
            suit, rank = card >> 4, card & 15
            hidden[i, depth] = card
            lowest[i, depth + 1] = lowest[i, depth]
            blocked[i, depth + 1] = blocked[i, depth] + (lowest[i, depth, suit] < rank)
            lowest[i, depth + 1, suit] = min(lowest[i, depth, suit], rank)
    return kernel.Layout(hidden, lowest, blocked, np.array(stock, np.int64))
