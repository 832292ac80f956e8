"""The moves of the compiled Klondike search, and the resumable best-first search over them.

Moves ("steps") are macros: draws and redeals up to a waste card and playing it are one step. What is left out of the
legal moves, and why a win stays a win of no more actions:

- **Safe cards.** A card of rank at most 2 above both foundations of the other colour and at most 3 above the other one
  of its own goes up at once from the top of a column, and nothing else is tried: whatever could be laid on it can go up
  itself as soon as it is free, and so can whatever could be laid on that. In draw 3 this holds for columns only, since
  playing from the waste shifts later draws. In draw 1 it holds for the top of the waste too, and with redeals for every
  stock card (which may cost draws, so it is left alone where costs matter).
- **Parts of runs.** Part of a run moves only if the card laid bare goes up at once (one step, two moves). Otherwise the
  two cards of equal rank and colour just swap what lies on them, and the same game can be played without it: where one
  of the two is played on, the other serves as well, and the swap is done when one of the two goes up, if ever.
- **Kings and empty columns.** A king that is alone on the bottom of its column doesn't move to another empty column,
  and only the first of several empty columns is filled: empty columns are interchangeable.
- **Taking back** is among the moves, but for aces, on which nothing can be laid, and safe cards, which would be forced
  up again.
"""

from .kernels import compiled, inner
from .klondike_queue import BEST, CUT, GOAL, NODES, Search, dequeue, offer
from .klondike_state import (
    COLUMNS,
    COST,
    MASK,
    NODE,
    POSITION,
    Board,
    Layout,
    card_at,
    fits,
    is_safe,
    laid_on,
    single,
    unpack,
    without,
)
from .klondike_stock import reachable, remaining

#: Kinds of steps; a step is kind << 12 | card << 6 | card laid on (0: foundation or empty column).
FROM_WASTE_UP, FROM_WASTE, FROM_COLUMN_UP, ALONG, ALONG_AND_UP, TAKE_BACK = range(1, 7)
#: What `advance` returns. OVERSTRETCHED: no state is left, but some were left out for their cost.
RUNNING, WON, EXHAUSTED, OVERSTRETCHED, TABLE_FULL, POOL_FULL = range(6)
#: More than a state leads to.
MOST_STEPS = 256


@inner
def offer_column_up(search: Search, layout: Layout, board: Board, column: int) -> None:
    """Offer the state after the top card of a column goes up, which fits."""
    code, talon = board.codes[column], board.talon
    card = card_at(code, 0)
    board.codes[column] = without(code, 1, column, layout.hidden)
    board.up[card >> 4] += 1
    step = FROM_COLUMN_UP << 12 | card << 6
    offer(search, layout, board, talon[MASK], talon[POSITION], step, talon[COST] + 1)
    board.up[card >> 4] -= 1
    board.codes[column] = code


@inner
def offer_waste_up(search: Search, layout: Layout, board: Board, choice: int) -> None:
    """Offer the state after a stock card within reach goes up, which fits."""
    index = board.left[board.positions[choice] - 1]
    card = layout.stock[index]
    cost = board.talon[COST] + board.draws[choice] + 1
    board.up[card >> 4] += 1
    step = FROM_WASTE_UP << 12 | card << 6
    offer(search, layout, board, board.talon[MASK] ^ 1 << index, board.positions[choice] - 1, step, cost)
    board.up[card >> 4] -= 1


@inner
def offer_safe(search: Search, layout: Layout, board: Board, choices: int) -> bool:
    """Offer the state after one safe card goes up, if there is one."""
    for i in range(COLUMNS):
        card = card_at(board.codes[i], 0)
        suit, rank = card >> 4, card & 15
        if card and board.up[suit] == rank - 1 and is_safe(suit, rank, board.up):
            offer_column_up(search, layout, board, i)
            return True
    if layout.draw > 1:
        return False
    for choice in range(choices):
        if board.draws[choice] and (search.exact or not layout.redeals):
            break
        card = layout.stock[board.left[board.positions[choice] - 1]]
        suit, rank = card >> 4, card & 15
        if board.up[suit] == rank - 1 and is_safe(suit, rank, board.up):
            offer_waste_up(search, layout, board, choice)
            return True
    return False


@inner
def offer_single(
    search: Search, layout: Layout, board: Board, card: int, empty: int,
    mask: int, position: int, kind: int, cost: int,
) -> None:  # fmt: skip
    """Offer the states after a card from waste or foundation is laid on a column."""
    lone = single(card, 0)
    for i in range(COLUMNS):
        code = board.codes[i]
        if (code == 0 and card & 15 == 13 and i == empty) or fits(code, lone, 1):
            board.codes[i] = laid_on(code, lone, 1)
            step = kind << 12 | card << 6 | card_at(code, 0)
            offer(search, layout, board, mask, position, step, cost)
            board.codes[i] = code


@inner
def offer_from_waste(search: Search, layout: Layout, board: Board, empty: int, choices: int) -> None:
    """Offer the states after draws and a waste card played."""
    for choice in range(choices):
        position = board.positions[choice] - 1
        index = board.left[position]
        card = layout.stock[index]
        if board.up[card >> 4] == (card & 15) - 1:
            offer_waste_up(search, layout, board, choice)
        cost = board.talon[COST] + board.draws[choice] + 1
        mask = board.talon[MASK] ^ 1 << index
        offer_single(search, layout, board, card, empty, mask, position, FROM_WASTE, cost)


@inner
def offer_along(search: Search, layout: Layout, board: Board, i: int, j: int, count: int) -> None:
    """Offer the state after the top cards of column i move to column j, where they fit.

    Part of a run moves only if the card laid bare goes up.
    """
    codes, talon = board.codes, board.talon
    source, target = codes[i], codes[j]
    step = card_at(source, count - 1) << 6 | card_at(target, 0)
    if count == source >> 13 & 15:
        codes[i], codes[j] = without(source, count, i, layout.hidden), laid_on(target, source, count)
        offer(search, layout, board, talon[MASK], talon[POSITION], ALONG << 12 | step, talon[COST] + 1)
    else:
        bare = card_at(source, count)
        if board.up[bare >> 4] != (bare & 15) - 1:
            return
        codes[i], codes[j] = without(source, count + 1, i, layout.hidden), laid_on(target, source, count)
        board.up[bare >> 4] += 1
        offer(search, layout, board, talon[MASK], talon[POSITION], ALONG_AND_UP << 12 | step, talon[COST] + 2)
        board.up[bare >> 4] -= 1
    codes[i], codes[j] = source, target


@inner
def offer_from_columns(search: Search, layout: Layout, board: Board, empty: int) -> None:
    """Offer the states after a move from a column."""
    for i in range(COLUMNS):
        source = board.codes[i]
        if source == 0:
            continue
        rank, length = source >> 18 & 15, source >> 13 & 15
        if board.up[card_at(source, 0) >> 4] == rank - 1:
            offer_column_up(search, layout, board, i)
        for j in range(COLUMNS):
            target = board.codes[j]
            if target == 0:
                if j == empty and rank + length - 1 == 13 and source >> 22:
                    offer_along(search, layout, board, i, j, length)
            else:
                count = (target >> 18 & 15) - rank
                if 1 <= count <= length and fits(target, source, count):
                    offer_along(search, layout, board, i, j, count)


@inner
def offer_taken_back(search: Search, layout: Layout, board: Board, empty: int) -> None:
    """Offer the states after a foundation's top card returns to a column."""
    talon = board.talon
    for suit in range(4):
        rank = board.up[suit]
        if rank < 2 or is_safe(suit, rank, board.up):
            continue
        board.up[suit] = rank - 1
        card = suit << 4 | rank
        offer_single(
            search, layout, board, card, empty, talon[MASK], talon[POSITION], TAKE_BACK, talon[COST] + 1
        )  # fmt: skip
        board.up[suit] = rank


@inner
def expand(search: Search, layout: Layout, board: Board, node: int) -> None:
    """Offer every state that one step leads to."""
    words, talon = search.pool.words, board.talon
    unpack(board, words[node, 0], words[node, 1], words[node, 2], words[node, 3])
    talon[POSITION], talon[NODE], talon[COST] = search.pool.position[node], node, search.pool.cost[node]
    count = remaining(talon[MASK], board.left, layout)
    choices = reachable(layout, board, talon[POSITION], count)
    if offer_safe(search, layout, board, choices):
        return
    empty = 0
    while empty < COLUMNS and board.codes[empty]:
        empty += 1
    offer_from_waste(search, layout, board, empty, choices)
    offer_from_columns(search, layout, board, empty)
    offer_taken_back(search, layout, board, empty)


@compiled
def advance(search: Search, layout: Layout, board: Board, expansions: int) -> int:
    """Expand up to `expansions` states, best priority first; how the search stands after that."""
    pool, counters = search.pool, search.counters
    for _ in range(expansions):
        if counters[NODES] * 2 > len(search.table):
            return TABLE_FULL
        if counters[NODES] + MOST_STEPS > len(pool.cost):
            return POOL_FULL
        node = dequeue(search)
        if node < 0:
            return OVERSTRETCHED if counters[CUT] and not search.exact else EXHAUSTED
        if pool.floor[node] >= counters[BEST]:
            continue
        expand(search, layout, board, node)
        if counters[GOAL] >= 0 and not search.exact:
            return WON
    return RUNNING
