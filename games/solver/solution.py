"""One entrance to the solvers of both games."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from time import perf_counter
from typing import Literal

from games.engine import MODES, Deal, winning_moves

from . import forty_thieves, klondike

#: Raised whenever a solver changes what it finds, so that a stored proof tells what found it.
VERSION = 3
DEFAULT_MEMORY = 1 << 30

Outcome = Literal["won", "impossible", "unknown"]


@dataclass(frozen=True, slots=True)
class Solution:
    """What a search came to. ``log`` wins the deal, as the engine has confirmed; None unless ``outcome`` is "won".

    ``par`` is the number of moves of that log: a record so far and not a minimum. ``seconds`` of wall time don't
    include compiling; ``nodes`` are positions looked at, ``effort`` those of them that were before the first win.
    """

    outcome: Outcome
    log: str | None
    par: int | None
    nodes: int
    effort: int
    seconds: float


def solve(
    deal: Deal,
    seconds: float = 10.0,
    *,
    shortening_seconds: float | None = None,
    memory_bytes: int = DEFAULT_MEMORY,
) -> Solution:
    """Look for a win for up to ``seconds``; go on to shorten it.

    That takes ``shortening_seconds``, 0 for none, or if they aren't given what the search has left of its time.

    "impossible" is only said after a search that has looked at everything, which happens in Klondike alone. At most
    ``memory_bytes`` are used (each solver's docstring says how that is kept). The first call compiles: `warm_up`.
    """
    warm_up()
    began = perf_counter()
    found: forty_thieves.Found | klondike.Found
    if MODES[deal.mode].family == "FT1":
        found = forty_thieves.search(
            deal.columns,
            deal.stock,
            seconds=seconds,
            shortening_seconds=shortening_seconds,
            memory_bytes=memory_bytes,
        )
    else:
        game = MODES[deal.mode].game
        found = klondike.search(
            deal.columns,
            deal.stock,
            draw=game.draw_size,
            redeals=game.can_redeal,
            seconds=seconds,
            shortening_seconds=shortening_seconds,
            memory_bytes=memory_bytes,
        )
    took = perf_counter() - began
    if found.log is None:
        return Solution("impossible" if found.exhausted else "unknown", None, None, found.nodes, found.effort, took)
    return Solution("won", found.log, winning_moves(deal, found.log), found.nodes, found.effort, took)


@cache
def warm_up() -> None:
    """Compile the kernels, or load them from numba's cache; quick once that is done in the process."""
    forty_thieves.warm_up()
    klondike.warm_up()
