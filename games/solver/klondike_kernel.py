"""The compiled part of the Klondike solver: packed states, their moves and a resumable best-first search.

Cards are ints suit * 16 + rank (suits S=0, H=1, D=2, C=3; rank 1 is the ace). Inside a run only one bit is
needed to tell a card's suit, because colours alternate: bit 0 is S or H, bit 1 is C or D.

Column code (25 bits, 0 = empty column), the face-up run with its top card in the lowest bits:

    bits 0-12   suit bit of each face-up card, the top card in bit 0
    bits 13-16  number of face-up cards
    bit  17     colour of the top card (1 = red)
    bits 18-21  rank of the top card
    bits 22-24  number of face-down cards; which ones they are follows from the column's index

State (four int64 words, an exact key: equal words mean equal states, so no position is ever lost to a
hash collision):

    word 0  codes of columns 0, 1 and the foundations S, H, D (4 bits each, from bit 50)
    word 1  codes of columns 2, 3, foundation C (bit 50) and the waste position (5 bits, from bit 54)
    word 2  codes of columns 4, 5
    word 3  code of column 6 and the mask of stock cards still in stock or waste (24 bits, from bit 25)

Columns without face-down cards are interchangeable, so they are sorted among themselves. The waste position
is the number of remaining stock cards that lie in the waste. When costs don't matter, positions from which
the same waste cards can be reached share one key (`position_key`).

Moves ("steps") are macros: draws and redeals up to a waste card and playing it are one step. What is left
out of the legal moves, and why a won deal stays won:

- A safe card (rank at most 2 above both foundations of the other colour and at most 3 above the other one of
  its own) on top of a column goes up at once and nothing else is tried: whatever could be laid on it can
  itself go up as soon as it is free. In draw 3 that holds for columns only, since playing from the waste
  shifts later draws. In draw 1 it holds for the top of the waste too, and with redeals for every stock card
  (that one may cost draws, so it is left alone where costs matter).
- Part of a run moves only if the card laid bare goes up at once (one step, two moves). Otherwise the two
  cards of equal rank and colour just swap what lies on them, and the same game can be played without it,
  doing the swap only when one of the two goes up.
- A king that is alone on the bottom of its column doesn't move to another empty column, and only the first
  of several empty columns is filled: empty columns are interchangeable.
- A card that would be safe is not taken back from the foundation: it would be forced up again.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

Function = TypeVar("Function", bound=Callable[..., Any])
compiled = cast(Callable[[Function], Function], njit(cache=True))

COLUMNS = 7
BUCKETS = 4096
#: Kinds of steps; a step is kind << 12 | card << 6 | card laid on (0: foundation or empty column).
FROM_WASTE_UP, FROM_WASTE, FROM_COLUMN_UP, ALONG, ALONG_AND_UP, TAKE_BACK = range(1, 7)
#: Slots of the counters array.
NODES, BUCKET, BEST, GOAL = range(4)
#: What `advance` returns.
RUNNING, WON, EXHAUSTED, TABLE_FULL, POOL_FULL = range(5)
#: Slots of the rules array (all int64).
DRAW, REDEALS, EXACT, TAKING_BACK = range(4)
#: Slots of the weights array: what one unit of each feature adds to a state's priority (lower goes first).
W_COST, W_REST, W_HIDDEN, W_BLOCKED, W_TALON, W_FLOOR, W_NOISE = range(7)


class Layout(NamedTuple):
    """What never changes during a search, indexed by column and number of face-down cards left."""

    hidden: NDArray[np.int64]  # [column, depth]: the face-down cards, lowest first
    lowest: NDArray[np.int64]  # [column, face-down cards left, suit]: lowest rank among them, 14 if none
    blocked: NDArray[np.int64]  # [column, face-down cards left]: those with a lower one of their suit below
    stock: NDArray[np.int64]


class Pool(NamedTuple):
    """All states met, one row each."""

    words: NDArray[np.int64]  # [state, 4]
    parent: NDArray[np.int32]
    link: NDArray[np.int32]  # next state of the same priority bucket
    step: NDArray[np.int32]
    cost: NDArray[np.int16]  # draws, redeals and moves from the start; -1: reached more cheaply elsewhere
    floor: NDArray[np.int16]  # cost plus the least that a win still takes
    position: NDArray[np.int8]


@compiled
def suit_of(colour: int, bit: int) -> int:
    return 1 + bit if colour else 3 * bit


@compiled
def is_safe(suit: int, rank: int, up: NDArray[np.int64]) -> bool:
    other = min(up[1], up[2]) if suit == 0 or suit == 3 else min(up[0], up[3])
    return bool(rank <= other + 2 and rank <= up[3 - suit] + 3)


@compiled
def single(card: int, hidden: int) -> int:
    """The code of a column with one face-up card on a number of face-down cards."""
    suit = card >> 4
    red = 1 if suit == 1 or suit == 2 else 0
    return hidden << 22 | (card & 15) << 18 | red << 17 | 1 << 13 | suit >> 1


@compiled
def laid_on(code: int, moved: int, count: int) -> int:
    """The code of a column (0: empty) after the `count` top cards of column code `moved` are laid on it."""
    length = (code >> 13 & 15) + count
    bits = (code & 0x1FFF) << count | moved & ((1 << count) - 1)
    return (code >> 22) << 22 | (moved >> 17 & 31) << 17 | length << 13 | bits


@compiled
def without(code: int, count: int, column: int, hidden: NDArray[np.int64]) -> int:
    """The code after the `count` top cards are gone; a face-down card laid bare is turned up."""
    length = code >> 13 & 15
    below = code >> 22
    if count == length:
        return single(hidden[column, below - 1], below - 1) if below else 0
    red = (code >> 17 & 1) ^ (count & 1)
    rank = (code >> 18 & 15) + count
    return below << 22 | rank << 18 | red << 17 | (length - count) << 13 | (code & 0x1FFF) >> count


@compiled
def card_at(code: int, depth: int) -> int:
    """The face-up card with `depth` cards on it; 0 for an empty column."""
    if code == 0:
        return 0
    red = (code >> 17 & 1) ^ (depth & 1)
    return suit_of(red, code >> depth & 1) << 4 | (code >> 18 & 15) + depth


@compiled
def fits(code: int, moved: int, count: int) -> bool:
    """Whether the `count` top cards of `moved` may be laid on a column that isn't empty."""
    red = (moved >> 17 & 1) ^ (count - 1 & 1)
    return bool(code and (code >> 18 & 15) == (moved >> 18 & 15) + count and (code >> 17 & 1) != red)


@compiled
def ones(mask: int) -> int:
    """How many of the 24 low bits are set."""
    mask -= mask >> 1 & 0x555555
    mask = (mask & 0x333333) + (mask >> 2 & 0x333333)
    mask = mask + (mask >> 4) & 0x0F0F0F
    return mask + (mask >> 8) + (mask >> 16) & 31


@compiled
def position_key(position: int, left: int, rules: NDArray[np.int64]) -> int:
    """One number for all waste positions from which the same cards can be reached."""
    if rules[EXACT] or not rules[REDEALS]:
        return position
    if rules[DRAW] == 1 or position % rules[DRAW] == 0 or position == left:
        return 0
    return position


@compiled
def reachable(
    position: int, left: int, rules: NDArray[np.int64], positions: NDArray[np.int64], costs: NDArray[np.int64]
) -> int:
    """Fill in the waste positions at which a card can be played, with the draws and redeals that takes."""
    found, cost, at = 0, 0, position
    if position > 0:
        positions[0], costs[0], found = position, 0, 1
    while at < left:
        at = min(at + rules[DRAW], left)
        cost += 1
        positions[found], costs[found] = at, cost
        found += 1
    if rules[REDEALS] and position > 0:
        cost += 1
        at = 0
        while at < left:
            at = min(at + rules[DRAW], left)
            cost += 1
            if at == left or (at >= position and (at - position) % rules[DRAW] == 0):
                break  # from here on all have been reached before the redeal
            positions[found], costs[found] = at, cost
            found += 1
    return found


@compiled
def remaining(mask: int, left: NDArray[np.int64], layout: Layout) -> int:
    """Fill in the indices of the stock cards that are still in stock or waste, in stock order."""
    count = 0
    for i in range(len(layout.stock)):
        left[count] = i
        count += mask >> i & 1
    return count


@compiled
def blocked_columns(codes: NDArray[np.int64], layout: Layout) -> int:
    """Moves to another column that a win can't do without.

    A face-down card that lies over a lower card of its suit must leave its column before it can go up, on its
    own, since no card moves along with those above a face-down one; of the face-up run the same holds once.
    """
    total = 0
    for column in range(COLUMNS):
        code = codes[column]
        below = code >> 22
        if below == 0:
            continue
        total += layout.blocked[column, below]
        rank, red, bits = code >> 18 & 15, code >> 17 & 1, code & 0x1FFF
        for _ in range(code >> 13 & 15):
            if rank > layout.lowest[column, below, suit_of(red, bits & 1)]:
                total += 1
                break
            rank, red, bits = rank + 1, red ^ 1, bits >> 1
    return total


@compiled
def least_draws(position: int, left: NDArray[np.int64], count: int, draw: int, stock: NDArray[np.int64]) -> int:
    """Draws that a win can't do without, and (draw 1) second moves or draws of waste cards.

    A waste card with a lower one of its suit below it goes to a column first, or is drawn once more.
    """
    total = (count - position + draw - 1) // draw
    if draw == 1:
        low0 = low1 = low2 = low3 = 14
        for i in range(position):
            suit, rank = stock[left[i]] >> 4, stock[left[i]] & 15
            low = low0 if suit == 0 else low1 if suit == 1 else low2 if suit == 2 else low3
            if rank > low:
                total += 1
            elif suit == 0:
                low0 = rank
            elif suit == 1:
                low1 = rank
            elif suit == 2:
                low2 = rank
            else:
                low3 = rank
    return total


@compiled
def digest(w0: int, w1: int, w2: int, w3: int) -> int:
    """A well-mixed hash of the four words (wrapping int64 arithmetic)."""
    h = w0 * -7046029254386353131
    h = (h ^ h >> 31) + w1
    h *= -4417276706812531889
    h = (h ^ h >> 29) + w2
    h *= -8663945395140668459
    h = (h ^ h >> 32) + w3
    h *= -7046029254386353131
    return h ^ h >> 30


@compiled
def offer(
    pool: Pool, table: NDArray[np.int32], heads: NDArray[np.int32], counters: NDArray[np.int64],
    layout: Layout, rules: NDArray[np.int64], weights: NDArray[np.int64],
    codes: NDArray[np.int64], up: NDArray[np.int64], mask: int, position: int,
    parent: int, step: int, cost: int,
    ordered: NDArray[np.int64], left: NDArray[np.int64],
) -> None:  # fmt: skip
    """Store a state and queue it, unless it is known already (where costs matter: as cheaply)."""
    for i in range(COLUMNS):
        ordered[i] = codes[i]
    for i in range(1, COLUMNS):
        if ordered[i] >> 22 == 0:
            j = i
            for k in range(i - 1, -1, -1):
                if ordered[k] >> 22 == 0:
                    if ordered[k] >= ordered[j]:
                        break
                    ordered[k], ordered[j] = ordered[j], ordered[k]
                    j = k
    count = ones(mask)
    w0 = ordered[0] | ordered[1] << 25 | up[0] << 50 | up[1] << 54 | up[2] << 58
    w1 = ordered[2] | ordered[3] << 25 | up[3] << 50 | position_key(position, count, rules) << 54
    w2 = ordered[4] | ordered[5] << 25
    w3 = ordered[6] | mask << 25
    mixed = digest(w0, w1, w2, w3)
    slot = mixed & len(table) - 1
    while table[slot] >= 0:
        old = table[slot]
        words = pool.words[old]
        if words[0] == w0 and words[1] == w1 and words[2] == w2 and words[3] == w3:
            if not rules[EXACT] or cost >= pool.cost[old]:
                return
            pool.cost[old] = -1
            break
        slot = slot + 1 & len(table) - 1

    rest = 52 - up[0] - up[1] - up[2] - up[3]
    blocked = blocked_columns(ordered, layout)
    floor = cost + rest + blocked
    if rules[EXACT]:
        remaining(mask, left, layout)
        floor += least_draws(position, left, count, rules[DRAW], layout.stock)
    if floor >= counters[BEST]:
        return
    node = counters[NODES]
    counters[NODES] = node + 1
    table[slot] = node
    pool.words[node, 0], pool.words[node, 1], pool.words[node, 2], pool.words[node, 3] = w0, w1, w2, w3
    pool.parent[node], pool.step[node] = parent, step
    pool.cost[node], pool.floor[node], pool.position[node] = cost, floor, position
    if rest == 0:
        counters[BEST], counters[GOAL] = cost, node
        return
    hidden = 0
    for i in range(COLUMNS):
        hidden += ordered[i] >> 22
    priority = (
        weights[W_COST] * cost + weights[W_REST] * rest + weights[W_HIDDEN] * hidden
        + weights[W_BLOCKED] * blocked + weights[W_TALON] * count + weights[W_FLOOR] * floor
    )  # fmt: skip
    if weights[W_NOISE]:
        priority += (mixed >> 40 & 0xFFFF) * weights[W_NOISE] >> 16
    bucket = min(max(priority, 0), BUCKETS - 1)
    pool.link[node] = heads[bucket]
    heads[bucket] = node
    heads[BUCKETS + (bucket >> 6)] += 1
    counters[BUCKET] = min(counters[BUCKET], bucket)


@compiled
def expand(
    pool: Pool, table: NDArray[np.int32], heads: NDArray[np.int32], counters: NDArray[np.int64],
    layout: Layout, rules: NDArray[np.int64], weights: NDArray[np.int64], node: int,
    codes: NDArray[np.int64], ordered: NDArray[np.int64], up: NDArray[np.int64], left: NDArray[np.int64],
    scratch: NDArray[np.int64], positions: NDArray[np.int64], draws: NDArray[np.int64],
) -> None:  # fmt: skip
    """Offer every state that one step leads to."""
    w0, w1, w2, w3 = pool.words[node, 0], pool.words[node, 1], pool.words[node, 2], pool.words[node, 3]
    low = (1 << 25) - 1
    codes[0], codes[1], codes[2], codes[3] = w0 & low, w0 >> 25 & low, w1 & low, w1 >> 25 & low
    codes[4], codes[5], codes[6] = w2 & low, w2 >> 25 & low, w3 & low
    up[0], up[1], up[2], up[3] = w0 >> 50 & 15, w0 >> 54 & 15, w0 >> 58 & 15, w1 >> 50 & 15
    mask = w3 >> 25
    position, cost = np.int64(pool.position[node]), np.int64(pool.cost[node])
    hidden = layout.hidden
    empty = -1
    for i in range(COLUMNS):
        if codes[i] == 0:
            empty = i
            break

    # A safe card goes up, and nothing else is tried.
    for i in range(COLUMNS):
        code = codes[i]
        if code == 0:
            continue
        card = card_at(code, 0)
        suit, rank = card >> 4, card & 15
        if up[suit] == rank - 1 and is_safe(suit, rank, up):
            codes[i] = without(code, 1, i, hidden)
            up[suit] = rank
            offer(
                pool, table, heads, counters, layout, rules, weights, codes, up, mask, position,
                node, FROM_COLUMN_UP << 12 | card << 6, cost + 1, ordered, scratch,
            )  # fmt: skip
            return

    count = remaining(mask, left, layout)
    choices = reachable(position, count, rules, positions, draws)
    if rules[DRAW] == 1:
        for choice in range(choices):
            card = layout.stock[left[positions[choice] - 1]]
            suit, rank = card >> 4, card & 15
            free = draws[choice] == 0 or (rules[REDEALS] and not rules[EXACT])
            if free and up[suit] == rank - 1 and is_safe(suit, rank, up):
                up[suit] = rank
                offer(
                    pool, table, heads, counters, layout, rules, weights, codes, up,
                    mask ^ 1 << left[positions[choice] - 1], positions[choice] - 1,
                    node, FROM_WASTE_UP << 12 | card << 6, cost + draws[choice] + 1, ordered, scratch,
                )  # fmt: skip
                return

    # Waste to foundation or column, with the draws before it.
    for choice in range(choices):
        at = positions[choice]
        card = layout.stock[left[at - 1]]
        suit, rank = card >> 4, card & 15
        rest = mask ^ 1 << left[at - 1]
        paid = cost + draws[choice] + 1
        if up[suit] == rank - 1:
            up[suit] = rank
            offer(
                pool, table, heads, counters, layout, rules, weights, codes, up, rest, at - 1,
                node, FROM_WASTE_UP << 12 | card << 6, paid, ordered, scratch,
            )  # fmt: skip
            up[suit] = rank - 1
        lone = single(card, 0)
        for i in range(COLUMNS):
            code = codes[i]
            if (code == 0 and rank == 13 and i == empty) or fits(code, lone, 1):
                codes[i] = laid_on(code, lone, 1)
                offer(
                    pool, table, heads, counters, layout, rules, weights, codes, up, rest, at - 1,
                    node, FROM_WASTE << 12 | card << 6 | card_at(code, 0), paid, ordered, scratch,
                )  # fmt: skip
                codes[i] = code

    for i in range(COLUMNS):
        source = codes[i]
        if source == 0:
            continue
        card = card_at(source, 0)
        suit, rank = card >> 4, card & 15
        if up[suit] == rank - 1:
            codes[i] = without(source, 1, i, hidden)
            up[suit] = rank
            offer(
                pool, table, heads, counters, layout, rules, weights, codes, up, mask, position,
                node, FROM_COLUMN_UP << 12 | card << 6, cost + 1, ordered, scratch,
            )  # fmt: skip
            up[suit] = rank - 1
            codes[i] = source
        length = source >> 13 & 15
        for j in range(COLUMNS):
            target = codes[j]
            if target == 0:
                if j != empty or rank + length - 1 != 13 or source >> 22 == 0:
                    continue
                moved = length
            else:
                moved = (target >> 18 & 15) - rank
                if moved < 1 or moved > length or not fits(target, source, moved):
                    continue
            step = card_at(source, moved - 1) << 6 | card_at(target, 0)
            if moved == length:
                codes[i] = without(source, moved, i, hidden)
                codes[j] = laid_on(target, source, moved)
                offer(
                    pool, table, heads, counters, layout, rules, weights, codes, up, mask, position,
                    node, ALONG << 12 | step, cost + 1, ordered, scratch,
                )  # fmt: skip
                codes[i], codes[j] = source, target
                continue
            bare = card_at(source, moved)
            if up[bare >> 4] == (bare & 15) - 1:
                codes[i] = without(source, moved + 1, i, hidden)
                codes[j] = laid_on(target, source, moved)
                up[bare >> 4] += 1
                offer(
                    pool, table, heads, counters, layout, rules, weights, codes, up, mask, position,
                    node, ALONG_AND_UP << 12 | step, cost + 2, ordered, scratch,
                )  # fmt: skip
                up[bare >> 4] -= 1
                codes[i], codes[j] = source, target

    if rules[TAKING_BACK]:
        for suit in range(4):
            rank = up[suit]
            # An ace on a column is of no use: nothing goes on it.
            if rank < 2 or is_safe(suit, rank, up):
                continue
            card = suit << 4 | rank
            lone = single(card, 0)
            for i in range(COLUMNS):
                code = codes[i]
                if (code == 0 and rank == 13 and i == empty) or fits(code, lone, 1):
                    codes[i] = laid_on(code, lone, 1)
                    up[suit] = rank - 1
                    offer(
                        pool, table, heads, counters, layout, rules, weights, codes, up, mask, position,
                        node, TAKE_BACK << 12 | card << 6 | card_at(code, 0), cost + 1, ordered, scratch,
                    )  # fmt: skip
                    up[suit] = rank
                    codes[i] = code


@compiled
def advance(
    pool: Pool, table: NDArray[np.int32], heads: NDArray[np.int32], counters: NDArray[np.int64],
    layout: Layout, rules: NDArray[np.int64], weights: NDArray[np.int64], expansions: int,
) -> int:  # fmt: skip
    """Expand up to `expansions` states, best priority first, the newest first among equals."""
    codes = np.empty(COLUMNS, np.int64)
    ordered = np.empty(COLUMNS, np.int64)
    up = np.empty(4, np.int64)
    left = np.empty(25, np.int64)
    scratch = np.empty(25, np.int64)
    positions = np.empty(32, np.int64)
    draws = np.empty(32, np.int64)

    for _ in range(expansions):
        if counters[NODES] * 2 > len(table):
            return TABLE_FULL
        if counters[NODES] + 256 > len(pool.cost):
            return POOL_FULL
        bucket = counters[BUCKET]
        while bucket < BUCKETS and heads[bucket] < 0:
            # A whole group of empty buckets is skipped at once.
            if heads[BUCKETS + (bucket >> 6)]:
                bucket += 1
            else:
                bucket = (bucket | 63) + 1
        counters[BUCKET] = bucket
        if bucket == BUCKETS:
            return EXHAUSTED
        node = heads[bucket]
        heads[bucket] = pool.link[node]
        heads[BUCKETS + (bucket >> 6)] -= 1
        if pool.cost[node] < 0 or pool.floor[node] >= counters[BEST]:
            continue
        expand(
            pool, table, heads, counters, layout, rules, weights, node,
            codes, ordered, up, left, scratch, positions, draws,
        )  # fmt: skip
        if counters[GOAL] >= 0 and not rules[EXACT]:
            return WON
    return RUNNING


@compiled
def rehash(pool: Pool, table: NDArray[np.int32], count: int) -> None:
    """Enter the states into an empty, larger table."""
    for node in range(count):
        if pool.cost[node] < 0:
            continue
        words = pool.words[node]
        slot = digest(words[0], words[1], words[2], words[3]) & len(table) - 1
        while table[slot] >= 0:
            slot = slot + 1 & len(table) - 1
        table[slot] = node
