"""The Klondike solver: with full knowledge of the cards it finds a win and shortens it, or proves that there is none.

The search is compiled: states (`klondike_state`, `klondike_stock`), those met (`klondike_queue`), and their moves with
the reasons why the moves left out are not needed (`klondike_kernel`). Here it is run again and again. Most deals that
can be won are won by some best-first search within a few thousand states, and which one is luck: so `search` goes
through `ATTEMPTS` with a small limit of states, then with a larger one, and so on. Each of these searches would look
at every state in the end. One that runs out of states before it meets its limit has proven that the deal has no win: no
move was left out without a reason that holds, and taking back is among the moves.

Shortening searches on with costs: a state counts as known only if it was reached as cheaply, and states from which the
best known win can't be undercut are left out (``floor``: draws and moves that every win still needs). Where such a
search runs out of states, the best win is the shortest there is.

Memory: `STATE_BYTES` for each state, tables included; a search that has used up ``memory_bytes`` ends (at least 1 MiB;
the interpreter and the compiled code are not counted). No random numbers: equal calls take the same course as far as
their time goes.
"""

from collections.abc import Iterator, Sequence
from itertools import count
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import klondike_kernel as kernel
from . import klondike_queue as queue
from .klondike_log import write_log
from .klondike_state import COLUMNS, MASK, NODE, Layout, new_board, single, unpack

DEFAULT_MEMORY = 1 << 30
LEAST_MEMORY = 1 << 20
#: A row of the pool and its slots in the hash table. The table doubles when half of it is used, so that at the worst
#: time, with both the old table and the new one, there are 2 + 4 slots of 4 bytes to a row.
STATE_BYTES = queue.ROW_BYTES + 24
#: Expansions between two looks at the clock.
CHUNK = 2000
#: The most actions a log may have; no shorter win is looked for until there is one.
NO_BOUND = 10_000

Weights = tuple[int, ...]

#: Weights by cards per draw, in the order of `klondike_queue.W_COST` and following: moves so far, cards not yet home,
#: face-down cards, cards blocked by lower ones, cards in stock and waste, (for shortening) the floor, and noise. The
#: first wins most deals. The others are those of some ninety random ones that together, with `FIRST_LIMIT`, won most of
#: what it left open: 47 of 97 deals (of 600) with draw 1, 49 of 103 (of 400) with draw 3; no other added to these.
ATTEMPTS: dict[int, tuple[Weights, ...]] = {
    1: (
        (0, 20, 60, 40, 0, 0, 0),
        (4, 20, 5, 10, 0, 0, 50),
        (1, 30, 20, 10, 5, 0, 800),
        (0, 30, 90, 0, 20, 0, 800),
        (4, 40, 40, 20, 5, 0, 300),
        (0, 30, 5, 10, 0, 0, 300),
    ),
    3: (
        (1, 20, 20, 20, 10, 0, 300),
        (5, 23, 5, 63, 0, 0, 0),
        (0, 10, 60, 20, 10, 0, 50),
        (4, 20, 5, 10, 0, 0, 50),
        (5, 63, 60, 13, 5, 0, 0),
        (2, 20, 40, 60, 5, 0, 20),
        (2, 30, 40, 10, 0, 0, 0),
    ),
}
#: States of each search in the first round, and by how much that grows from round to round.
FIRST_LIMIT = 20_000
GROWTH = 4

#: For shortening, and whether to begin with all states of the best win instead of the deal alone, which helps where a
#: win was hard to find. The nearer the weights are to the floor alone, the better the wins and the longer it takes.
SHORTENING: tuple[tuple[Weights, bool], ...] = (
    ((0, 6, 20, 10, 0, 6, 0), False),
    ((0, 30, 60, 40, 0, 6, 0), True),
    ((0, 2, 8, 4, 0, 10, 0), False),
    ((0, 0, 1, 0, 0, 12, 0), False),
)


class Found(NamedTuple):
    """What a search found: the shortest winning log or None, and whether it has proven that there is no win.

    ``nodes`` counts the states looked at, ``effort`` those until the first win.
    """

    log: str | None
    exhausted: bool
    nodes: int
    effort: int


def search(
    columns: Sequence[Sequence[int]],
    stock: Sequence[int],
    *,
    draw: int,
    redeals: bool,
    seconds: float,
    shortening_seconds: float | None = None,
    memory_bytes: int = DEFAULT_MEMORY,
) -> Found:
    """Look for a win for ``seconds``; shorten it for ``shortening_seconds``, without them for what is left of the time.

    ``columns`` have their last card on top, the only one face up; ``stock[0]`` is drawn first; ``draw`` is 1 or 3;
    without ``redeals`` there is one pass. ``seconds`` are wall time. Every action of a log counts, redeals too.
    """
    deadline = perf_counter() + seconds
    game = _Game(columns, stock, draw, redeals, memory_bytes)
    for weights, limit in _attempts(draw):
        status, win = game.run(weights, limit, deadline)
        if win is not None:
            effort = game.nodes
            if shortening_seconds != 0:
                end = deadline if shortening_seconds is None else perf_counter() + shortening_seconds
                win = _shorten(game, win, end)
            return Found(game.log_of(win), False, game.nodes, effort)
        if status == kernel.EXHAUSTED:
            return Found(None, True, game.nodes, game.nodes)
        if status == kernel.POOL_FULL or perf_counter() > deadline:
            break
    return Found(None, False, game.nodes, game.nodes)


def warm_up() -> None:
    """Compile the kernels (some 20 s), or load them from numba's cache (under 1 s)."""
    # Every card is home but the kings, which lie on the columns.
    columns: list[list[int]] = [[suit * 16 + 13] for suit in range(4)] + [[], [], []]
    game = _Game(columns, [], 1, True, LEAST_MEMORY)
    _, win = game.run(ATTEMPTS[1][0], 100, perf_counter() + 1e9)
    game.grow(game.begin(ATTEMPTS[1][0], win, seeded=True))


def _attempts(draw: int) -> Iterator[tuple[Weights, int]]:
    for round_ in count():
        for weights in ATTEMPTS[draw]:
            yield weights, FIRST_LIMIT * GROWTH**round_


def _shorten(game: "_Game", win: "_Win", deadline: float) -> "_Win":
    """The shortest win that is found by searches with costs."""
    limit = FIRST_LIMIT
    while True:
        limit *= GROWTH
        for weights, seeded in SHORTENING:
            status, shorter = game.run(weights, limit, deadline, win, seeded=seeded)
            win = shorter or win
            if status in (kernel.EXHAUSTED, kernel.POOL_FULL) or perf_counter() > deadline:
                return win


class _Win(NamedTuple):
    """The states of a win from the deal on, and the steps that lead to them (0 for the deal)."""

    words: NDArray[np.int64]  # [state, 4]
    positions: NDArray[np.int8]
    costs: NDArray[np.int16]
    steps: NDArray[np.int32]


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
        self.columns, self.stock = columns, stock
        self.layout = _layout_of(columns, stock, draw, redeals)
        self.nodes = 0
        self._pool = queue.new_pool(max(memory_bytes, LEAST_MEMORY) // STATE_BYTES)
        self._board = new_board()

    def run(
        self, weights: Weights, limit: int, deadline: float, best: _Win | None = None, *, seeded: bool = False
    ) -> tuple[int, _Win | None]:
        """Search until a win, the last state, ``limit`` states, or the deadline; the kernel's status and the win.

        With the ``best`` win so far look for the shortest of fewer actions, which takes until the last state; begin
        with all of its states if ``seeded``.
        """
        search_ = self.begin(weights, best, seeded=seeded)
        status = kernel.RUNNING
        while status in (kernel.RUNNING, kernel.TABLE_FULL):
            status = kernel.advance(search_, self.layout, self._board, CHUNK)
            if status == kernel.TABLE_FULL:
                search_ = self.grow(search_)
            if search_.counters[queue.NODES] > limit or perf_counter() > deadline:
                break
        self.nodes += int(search_.counters[queue.NODES])
        goal = int(search_.counters[queue.GOAL])
        return status, None if goal < 0 else self._win(goal)

    def begin(self, weights: Weights, best: _Win | None = None, *, seeded: bool = False) -> queue.Search:
        """A search that knows the deal alone, or all states of the best win."""
        bound = NO_BOUND if best is None else int(best.costs[-1])
        search_ = queue.new_search(self._pool, weights, bound, exact=best is not None)
        board = self._board
        if best is None or not seeded:
            board.codes[:] = [single(column[-1], len(column) - 1) if column else 0 for column in self.columns]
            dealt = [card for pile in (*self.columns, self.stock) for card in pile]
            board.up[:] = [min((c & 15 for c in dealt if c >> 4 == suit), default=14) - 1 for suit in range(4)]
            queue.offer(search_, self.layout, board, (1 << len(self.stock)) - 1, 0, 0, 0)
            return search_
        for words, position, cost, step in zip(best.words, best.positions, best.costs, best.steps, strict=True):
            before = search_.counters[queue.NODES]
            unpack(board, *map(int, words))
            board.talon[NODE] = before - 1
            queue.offer(search_, self.layout, board, int(board.talon[MASK]), int(position), int(step), int(cost))
            if search_.counters[queue.NODES] == before:
                break  # too near the end to be undercut; what follows would have no parent
        return search_

    def grow(self, search_: queue.Search) -> queue.Search:
        """The same search with a hash table twice as large."""
        table = queue.new_table(len(search_.table) * 2)
        queue.rehash(self._pool, table, int(search_.counters[queue.NODES]))
        return search_._replace(table=table)

    def log_of(self, win: _Win) -> str:
        """The canonical log."""
        return write_log(self.columns, self.stock, draw=self.layout.draw, steps=map(int, win.steps[1:]))

    def _win(self, goal: int) -> _Win:
        rows = [goal]
        while rows[-1] > 0:
            rows.append(int(self._pool.parent[rows[-1]]))
        rows.reverse()
        pool = self._pool
        return _Win(pool.words[rows], pool.position[rows], pool.cost[rows], pool.step[rows])


def _layout_of(columns: Sequence[Sequence[int]], stock: Sequence[int], draw: int, redeals: bool) -> Layout:
    """What the kernel looks up by column and number of face-down cards, and the rules."""
    shape = (COLUMNS, COLUMNS)
    hidden = np.zeros(shape, np.int64)
    lowest = np.full((*shape, 4), 14, np.int64)
    blocked = np.zeros(shape, np.int64)
    for i, column in enumerate(columns):
        for depth, card in enumerate(column[:-1]):
            suit, rank = card >> 4, card & 15
            hidden[i, depth] = card
            lowest[i, depth + 1] = lowest[i, depth]
            blocked[i, depth + 1] = blocked[i, depth] + (lowest[i, depth, suit] < rank)
            lowest[i, depth + 1, suit] = min(lowest[i, depth, suit], rank)
    return Layout(hidden, lowest, blocked, np.array(stock, np.int64), draw, redeals)
