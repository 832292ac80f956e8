"""A bot that plays by the rules and by what a player may see, now and then well.

It plays to fill a demonstration or a load test with real games, not to win: it never looks at a face-down card or into
the stock.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from games.engine import MODES, Deal, IllegalAction, Table, format_log, parse_action, parse_log, play_all
from games.engine.cards import KING, is_red
from games.engine.movelog import COLUMNS, FOUNDATIONS

#: A game is given up after this many actions at the latest.
MAX_ACTIONS = 600
#: Passes through the waste that bring nothing before the bot gives up.
IDLE_PASSES = 2

_CARELESSNESS = 0.2
#: Where the stock is gone through once only, a card that was overlooked is lost: players look twice.
_CARELESSNESS_IN_ONE_PASS = 0.03
_TAKE_BACK_CHANCE = 0.03
_STOP_EARLY_CHANCE = 0.05


def play_game(deal: Deal, *, random: Random) -> str:
    """A legal log of a game of the deal: won, stuck, or given up early; with a few actions taken back and redone."""
    table = MODES[deal.mode].game(deal)
    choose = _klondike_move if table.moves_runs else _forty_thieves_move
    log: list[str] = []
    # No two players play a deal alike: each overlooks some of what it might have done.
    careful = table.moves_runs and not table.can_redeal
    carelessness = random.random() * (_CARELESSNESS_IN_ONE_PASS if careful else _CARELESSNESS)
    idle = 0
    progress = 0
    while not table.is_won and len(log) < MAX_ACTIONS:
        overlooked = bool(table.stock) and random.random() < carelessness
        # With one pass only there is no later time at which a card could come home.
        desperate = idle >= IDLE_PASSES - 1 or not table.can_redeal
        move = None if overlooked else choose(table, desperate)
        if move is None:
            move = _draw_or_redeal(table)
            if move == "r":
                idle = 0 if progress else idle + 1
                progress = 0
        else:
            progress += 1
        if move is None or idle > IDLE_PASSES:
            break
        table.play(parse_action(move))
        log.append(move)
    if random.random() < _STOP_EARLY_CHANCE:
        del log[random.randrange(len(log) + 1) :]
    return " ".join(_with_second_thoughts(log, random))


def spoil(deal: Deal, log: str, *, random: Random) -> str:
    """The log with an action at a random place that the rules refuse there, and the rest of the log behind it."""
    actions = parse_log(log)
    kept = actions[: random.randrange(len(actions) + 1)]
    table = MODES[deal.mode].game(deal)
    play_all(table, kept)
    while True:
        guess = parse_action(_guess(random))
        try:
            table.play(guess)
        except IllegalAction:
            break
        kept.append(guess)
    return format_log([*kept, guess, *actions[len(kept) :]])


def _guess(random: Random) -> str:
    """Any action that the notation names, most of them moves from column to column."""
    if random.random() < 0.1:
        return random.choice("dru")
    source = random.choice(COLUMNS + FOUNDATIONS + "www")
    targets = COLUMNS if source in FOUNDATIONS else COLUMNS + FOUNDATIONS
    target = random.choice(targets)
    runs = source in COLUMNS and target in COLUMNS and random.random() < 0.2
    return source + target + (str(random.randint(2, 13)) if runs else "")


def _with_second_thoughts(log: list[str], random: Random) -> Iterator[str]:
    """The log, in which now and then the last actions are taken back and played again."""
    for index, move in enumerate(log):
        yield move
        if random.random() < _TAKE_BACK_CHANCE and index + 1 < len(log):
            count = random.randint(1, min(3, index + 1))
            yield from ["u"] * count
            yield from log[index + 1 - count : index + 1]


def _draw_or_redeal(table: Table) -> str | None:
    if table.stock:
        return "d"
    return "r" if table.can_redeal and table.waste else None


def _foundation_for(table: Table, card: int) -> str | None:
    return next((FOUNDATIONS[i] for i, wanted in enumerate(table.wanted) if wanted == card), None)


# Klondike.


def _klondike_move(table: Table, desperate: bool) -> str | None:
    """The move to play, None to draw. A desperate player also plays cards home that might be missed in the columns."""
    return (
        _home_move(table, only_safe=True)
        or _uncovering_move(table)
        or _waste_move(table)
        or _home_move(table, only_safe=False, uncover=not desperate)
    )


def _home_move(table: Table, *, only_safe: bool, uncover: bool = False) -> str | None:
    for name, pile in _playable_piles(table):
        card = pile[-1]
        home = _foundation_for(table, card)
        if home is None or (only_safe and not _is_safe_home(table, card)):
            continue
        if uncover and (name == "w" or len(pile) - 1 > table.face_down[COLUMNS.index(name)]):
            continue
        return name + home
    return None


def _playable_piles(table: Table) -> Iterator[tuple[str, list[int]]]:
    if table.waste:
        yield "w", table.waste
    yield from ((COLUMNS[i], column) for i, column in enumerate(table.columns) if column)


def _is_safe_home(table: Table, card: int) -> bool:
    """Whether no card that could still be put on this one is missing on the foundations."""
    lowest = min(wanted & 15 for wanted in table.wanted if is_red(wanted) != is_red(card))
    return card & 15 <= max(2, lowest)


def _uncovering_move(table: Table) -> str | None:
    """Move a whole face-up run that has hidden cards below it, the most hidden ones first, or one to free a column."""
    order = sorted(range(len(table.columns)), key=lambda i: -table.face_down[i])
    for source in order:
        column, hidden = table.columns[source], table.face_down[source]
        if not column or (hidden == 0 and (column[0] & 15 == KING or not _needs_column(table))):
            continue
        for target in range(len(table.columns)):
            if target != source and _fits(table, column[hidden], target):
                count = len(column) - hidden
                return COLUMNS[source] + COLUMNS[target] + (str(count) if count > 1 else "")
    return None


def _needs_column(table: Table) -> bool:
    """Whether a king waits for an empty column."""
    buried = any(
        column[hidden] & 15 == KING
        for column, hidden in zip(table.columns, table.face_down, strict=True)
        if column and hidden
    )
    return (buried or bool(table.waste and table.waste[-1] & 15 == KING)) and all(table.columns)


def _waste_move(table: Table) -> str | None:
    if not table.waste:
        return None
    card = table.waste[-1]
    for target in range(len(table.columns)):
        if _fits(table, card, target):
            return "w" + COLUMNS[target]
    return None


def _fits(table: Table, card: int, target: int) -> bool:
    column = table.columns[target]
    return (column[-1] if column else 0) in table.hosts[card]


# Forty Thieves.


def _forty_thieves_move(table: Table, desperate: bool) -> str | None:
    return _home_move(table, only_safe=False) or _joining_move(table) or _freed_card_move(table)


def _joining_move(table: Table) -> str | None:
    """A card onto the one that it belongs on, if it doesn't lie on such a card already."""
    for name, pile in _playable_piles(table):
        card = pile[-1]
        if name != "w" and len(pile) > 1 and pile[-2] == card + 1:
            continue
        for target, column in enumerate(table.columns):
            if column and column[-1] == card + 1:
                return name + COLUMNS[target]
    return None


def _freed_card_move(table: Table) -> str | None:
    """Use an empty column for a card that covers one which can be played at once; keep it otherwise."""
    empty = next((i for i, column in enumerate(table.columns) if not column), None)
    if empty is None:
        return None
    tops = {column[-1] for column in table.columns if column}
    for name, pile in _playable_piles(table):
        if len(pile) > 1 and (_foundation_for(table, pile[-2]) or (name != "w" and pile[-2] + 1 in tops)):
            return name + COLUMNS[empty]
    if table.waste and len(table.stock) < 32:
        return "w" + COLUMNS[empty]
    return None
