"""The Forty Thieves solver: finds a win with full knowledge of the cards, and shortens it.

One beam search (see `forty_thieves_beam`) takes some 0.05 s and wins a third of all random deals; which third
depends on its weights more than on its width. So `search` starts it again and again: with each of the learned
weight sets in turn, then, wider from round to round, with random variations of them.

Shortening searches on from random positions on the best line known. States that can't lead to a shorter win
are cut off (each card not yet drawn or placed takes a move at least), and moves weigh the same all
the way.
The result is a record, not a minimum.

Random numbers come from generators with fixed seeds, so equal calls take the same course as far as their time
goes.

Memory: the buffers have a fixed number of rows, for which two layers, their scratch space and a history of
all layers fit into `memory_bytes` (at least 1 MiB; the interpreter and the compiled code are not counted). A
layer that is full is searched no further. At most MOST_ROWS rows, some 500 MB, are used.
"""

from collections.abc import Iterator, Sequence
from math import inf
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .forty_thieves_beam import HISTORY_BYTES, WORK_BYTES, draw, expand, new_work, slots_for
from .forty_thieves_evaluation import COLUMN_FEATURES, MOVES, column_table, evaluation_of
from .forty_thieves_log import Game
from .forty_thieves_state import NO_PARENT, new_nodes
from .forty_thieves_tables import lay_out
from .forty_thieves_weights import WEIGHT_SETS

DEFAULT_MEMORY = 1 << 30
#: More than the widest beam of several minutes fills.
MOST_ROWS = 400_000
#: States a layer has room for, per expansion; the average is about 6.
ROWS_PER_EXPANSION = 16
#: States taken into the next layer, per expansion. Anything from 0.1 to 1 wins about as often.
WIDTH_PER_EXPANSION = 0.6
NO_BOUND = 10_000  # more moves than a log may have

Weights = NDArray[np.float64]  # [MOMENTS, WEIGHTS]

#: Expansions a layer in the first round over the weight sets, and their growth from round to round.
FIRST_EXPANSIONS = 300
EXPANSIONS_GROWTH = 2**0.5
#: Standard deviation of the factors by which weights are varied.
VARIATION = 0.3
#: For shortening: expansions a layer at first and their growth, the weights of a move to choose from, and how
#: far along the line searches may start. Weights three times as heavy shortened less (tried on 8 deals).
SHORTENING_EXPANSIONS = 200
SHORTENING_GROWTH = 1.01
SHORTENING_MOVE_WEIGHTS = (-0.3, -1.0, -3.0, -6.0)
LATEST_START = 0.8
SEED = 40


class Found(NamedTuple):
    """The best winning log, if any. `exhausted` is always False: this search proves no deal lost.

    ``nodes`` counts the states looked at, ``effort`` those until the first win.
    """

    log: str | None
    exhausted: bool
    nodes: int
    effort: int


class Searcher:
    """The tables and buffers for one deal, and a count of the states looked at."""

    def __init__(self, columns: Sequence[Sequence[int]], stock: Sequence[int], memory_bytes: int) -> None:
        self.columns, self.stock = columns, stock
        self.layout = lay_out(columns, stock)
        self.column_table = column_table(self.layout)
        rows = min(MOST_ROWS, memory_bytes // (WORK_BYTES + HISTORY_BYTES * (len(stock) + 1)))
        self.layers = new_nodes(rows), new_nodes(rows)
        self.work = new_work(rows)
        self.nodes = 0

    def game(self, actions: Sequence[str] = ()) -> Game:
        """The deal's game after these actions."""
        game = Game(self.columns, self.stock)
        for action in actions:
            game.play(action)
        return game

    def run(self, game: Game, weights: Weights, expansions: int, deadline: float, bound: int = NO_BOUND) -> Game | None:
        """One beam search from a game on: that game, won in fewer than `bound` actions in all, or None."""
        game.settle()
        bound -= len(game.log)
        tables = self.layout.tables
        evaluation = evaluation_of(self.column_table, len(self.stock), weights)
        # A small table is cleared faster, and that is done for every layer.
        work = self.work._replace(slots=self.work.slots[: slots_for(expansions * ROWS_PER_EXPANSION)])
        width = int(expansions * WIDTH_PER_EXPANSION)
        here, there = self.layers
        game.write_to(here, self.layout)
        count, base, best = 1, 0, -1
        history: list[tuple[NDArray[np.int32], NDArray[np.int32]]] = []
        for drawn in range(game.drawn, len(self.stock) + 1):
            count, best = expand(tables, here, work, count, base, drawn, expansions, bound, evaluation)
            self.nodes += count
            history.append((here.parent[:count].copy(), here.move[:count].copy()))
            if best >= 0 or drawn == len(self.stock) or perf_counter() > deadline:
                break
            kept = draw(tables, here, work, count, there, width, base, drawn, bound, evaluation)
            base += count
            here, there, count = there, here, kept
        if best < 0:
            return None
        parents, moves = (np.concatenate(part) for part in zip(*history, strict=True))
        for move in _path(parents, moves, base + best):
            game.play_move(move, self.layout)
        return game


def _path(parents: NDArray[np.int32], moves: NDArray[np.int32], last: int) -> list[int]:
    path = []
    while parents[last] != NO_PARENT:
        path.append(int(moves[last]))
        last = int(parents[last])
    return path[::-1]


def search(
    columns: Sequence[Sequence[int]],
    stock: Sequence[int],
    *,
    seconds: float,
    shortening_seconds: float | None = None,
    memory_bytes: int = DEFAULT_MEMORY,
) -> Found:
    """Look for a win for ``seconds``; shorten it for ``shortening_seconds``, without them for what is left of the time.

    Cards are ints, ``suit * 16 + rank``; a column's last card is on top, the stock's first is drawn first.
    """
    deadline = perf_counter() + seconds
    searcher = Searcher(columns, stock, memory_bytes)
    for weights, expansions in _attempts():
        game = searcher.run(searcher.game(), weights, expansions, deadline)
        if game is not None:
            effort = searcher.nodes
            end = deadline if shortening_seconds is None else perf_counter() + shortening_seconds
            log = _shorten(searcher, game.log, end)
            return Found(" ".join(log), False, searcher.nodes, effort)
        if perf_counter() > deadline:
            break
    return Found(None, False, searcher.nodes, searcher.nodes)


def _attempts() -> Iterator[tuple[Weights, int]]:
    """Weights and expansions of one beam search after the other, without end."""
    rng = np.random.default_rng(SEED)
    expansions: float = FIRST_EXPANSIONS
    for weights in WEIGHT_SETS:
        yield weights, int(expansions)
    while True:
        expansions *= EXPANSIONS_GROWTH
        for weights in WEIGHT_SETS:
            yield _varied(weights, rng), int(expansions)


def _varied(weights: Weights, rng: np.random.Generator) -> Weights:
    return weights * rng.normal(1, VARIATION, weights.shape[1])


def _shorten(searcher: Searcher, log: list[str], deadline: float) -> list[str]:
    rng = np.random.default_rng(SEED)
    expansions: float = SHORTENING_EXPANSIONS
    while perf_counter() < deadline:
        weights = _varied(WEIGHT_SETS[rng.integers(len(WEIGHT_SETS))], rng)
        weights[:, len(COLUMN_FEATURES) + MOVES] = rng.choice(SHORTENING_MOVE_WEIGHTS)
        game = searcher.game(log[: int(rng.random() * LATEST_START * len(log))])
        won = searcher.run(game, weights, int(expansions), deadline, bound=len(log))
        if won is not None:
            log = won.log
        expansions *= SHORTENING_GROWTH
    return log


def warm_up() -> None:
    """Compile the kernels (some 20 s), or load them from numba's cache (under 1 s)."""
    columns = [[suit * 16 + rank for rank in (4, 3, 2, 1)] for suit in range(4)] * 2 + [[5], [21]]
    searcher = Searcher(columns, [37], memory_bytes=1 << 20)
    searcher.run(searcher.game(), WEIGHT_SETS[0], 10, deadline=inf)
