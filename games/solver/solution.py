"""One entrance to the solvers of both games."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from time import perf_counter
from typing import Literal

from games.engine import MODES, Deal, verify

from . import forty_thieves, klondike

#: Raised whenever a solver changes what it finds, so that a stored proof tells what found it.
VERSION = 3
DEFAULT_MEMORY = 1 << 30

Outcome = Literal["won", "impossible", "unknown"]


@dataclass(frozen=True, slots=True)
class Solution:
    """What a search came to. ``log`` wins the deal, as the engine has confirmed; None unless ``outcome`` is "won".

    ``par`` is the number of moves of that log: a record so far and not a minimum. ``seconds`` of wall time don't
    include compiling; ``nodes`` are positions looked at.
    """

    outcome: Outcome
    log: str | None
    par: int | None
    nodes: int
    seconds: float


def solve(
    deal: Deal, seconds: float = 10.0, *, stop_at_first: bool = False, memory_bytes: int = DEFAULT_MEMORY
) -> Solution:
    """Look for a win for up to ``seconds``; go on to shorten it in the time that is left, unless ``stop_at_first``.

    "impossible" is only said after a search that has looked at everything, which happens in Klondike alone. At most
    ``memory_bytes`` are used (each solver's docstring says how that is kept). The first call compiles: `warm_up`.
    """
    warm_up()
    began = perf_counter()
    found: forty_thieves.Found | klondike.Found
    if MODES[deal.mode].family == "FT1":
        found = forty_thieves.search(
            deal.columns, deal.stock, seconds=seconds, stop_at_first=stop_at_first, memory_bytes=memory_bytes
        )
    else:
        game = MODES[deal.mode].game
        found = klondike.search(
            deal.columns,
            deal.stock,
            draw=game.draw_size,
            redeals=game.can_redeal,
            seconds=seconds,
            stop_at_first=stop_at_first,
            memory_bytes=memory_bytes,
        )
    took = perf_counter() - began
    if found.log is None:
        return Solution("impossible" if found.exhausted else "unknown", None, None, found.nodes, took)
    return Solution("won", found.log, proven_moves(deal, found.log), found.nodes, took)


def proven_moves(deal: Deal, log: str) -> int:
    """The moves of a winning log. Raises `ValueError` where the engine says that it doesn't win the deal."""
    verdict = verify(deal, log)
    if not (verdict.valid and verdict.won):
        raise ValueError(f"the log doesn't win the deal: {verdict.error or 'cards are left'}")
    return verdict.moves


@cache
def warm_up() -> None:
    """Compile the kernels, or load them from numba's cache; quick once that is done in the process."""
    forty_thieves.warm_up()
    klondike.warm_up()
