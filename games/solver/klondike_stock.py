"""Stock and waste in the compiled Klondike search: a mask of the cards left and how many of them lie in the waste.

The cards keep the order of the stock, whatever is played, so this *position* in the order tells everything: the
waste's top card is the last one before it. Draws without a card played after them lead nowhere, so a step is all draws
(and a redeal) up to a waste card, and playing that card.
"""

import numpy as np
from numpy.typing import NDArray

from .kernels import inner
from .klondike_state import Board, Layout


@inner
def position_key(position: int, left: int, layout: Layout) -> int:
    """One number for all positions from which the same cards can be played, now or after draws and a redeal.

    With redeals that are, in draw 1, all of them. In draw 3, they are those that the draws from a turned waste come
    to, which show every third card and the last.
    """
    if not layout.redeals:
        return position
    if layout.draw == 1 or position % layout.draw == 0 or position == left:
        return 0
    return position


@inner
def reachable(layout: Layout, board: Board, position: int, left: int) -> int:
    """Fill in the positions at which a card can be played, with the draws and redeals that takes; their number."""
    positions, draws, draw = board.positions, board.draws, layout.draw
    found, cost, at = 0, 0, position
    if position > 0:
        positions[0], draws[0], found = position, 0, 1
    while at < left:
        at = min(at + draw, left)
        cost += 1
        positions[found], draws[found] = at, cost
        found += 1
    if layout.redeals and position > 0:
        cost += 1
        at = 0
        while at < left:
            at = min(at + draw, left)
            cost += 1
            if at == left or (at >= position and (at - position) % draw == 0):
                break  # from here on all have been reached before the redeal
            positions[found], draws[found] = at, cost
            found += 1
    return found


@inner
def remaining(mask: int, left: NDArray[np.int64], layout: Layout) -> int:
    """Fill in the indices of the stock cards that are still in stock or waste, in stock order; their number."""
    count = 0
    for i in range(len(layout.stock)):
        left[count] = i
        count += mask >> i & 1
    return count


@inner
def least_draws(position: int, left: NDArray[np.int64], count: int, layout: Layout) -> int:
    """Draws that a win can't do without, and (draw 1) second moves or draws of waste cards.

    A waste card with a lower one of its suit below it goes to a column first, or is drawn once more.
    """
    total = (count - position + layout.draw - 1) // layout.draw
    if layout.draw == 1:
        lowest = 0xEEEE  # four bits a suit
        for i in range(position):
            card = layout.stock[left[i]]
            shift, rank = (card >> 4) * 4, card & 15
            if rank > lowest >> shift & 15:
                total += 1
            else:
                lowest += (rank - (lowest >> shift & 15)) << shift
    return total
