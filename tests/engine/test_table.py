"""games.engine.table: what both games share. Cards, refusals, undo, memory"""

import copy
import itertools
import sys
import tracemalloc
from typing import Any

import pytest
from hypothesis import given, settings

from games.engine import UNDO_LIMIT, Deal, Table, parse_action, parse_log, play_all
from tests.engine.tables import (
    SENSIBLE_ACTIONS,
    cards_of,
    choose,
    deal_of,
    deal_with,
    plain_of,
    refusal,
    shown,
    snapshot,
    starts,
    steps,
    table_of,
    won_vectors,
)

FORTY = Deal.parse("FT1-N-AAAAAAV")
KLONDIKE = Deal.parse("KL1-D1N-AAAAAAG")
#: Two threes of spades on top, and a two of spades that can go from one to the other for ever.
FORTY_TO_AND_FRO = deal_with("ft-n", "a: 3S, b: 3S, c: 2S")
#: The ace of spades can go home and from there to the two of hearts, for ever.
KLONDIKE_TO_AND_FRO = deal_with("kl-d1n", "a: 2H, b: AS")


# Cards and refusals.


@settings(max_examples=40, deadline=None)
@given(starts(), steps(30))
def test_cards_are_conserved_by_every_action(start: tuple[Deal, str], numbers: list[int]) -> None:
    deal, log = start
    table, plain = table_of(deal, log), plain_of(deal, log)
    dealt = sorted(card for pile in (*deal.columns, deal.stock) for card in pile)
    for number in numbers:
        text = choose(plain, number)
        if text is None:
            break
        plain.play(text)
        table.play(parse_action(text))
        assert cards_of(table) == dealt
        assert table.foundation_cards == sum(wanted % 16 - 1 for wanted in table.wanted)
        assert all(0 <= hidden < max(len(c), 1) for hidden, c in zip(table.face_down, table.columns, strict=True))


@settings(max_examples=25, deadline=None)
@given(starts(), steps(10))
def test_engine_and_plain_rules_refuse_the_same_actions_for_the_same_reason(
    start: tuple[Deal, str], numbers: list[int]
) -> None:
    """At one position all actions are tried: the legal ones on a copy, the others on the table itself."""
    deal, log = start
    table, plain = table_of(deal, log), plain_of(deal, log)
    for number in numbers:
        text = choose(plain, number)
        if text is not None:
            plain.play(text)
            table.play(parse_action(text))
    before = snapshot(table)
    for text in SENSIBLE_ACTIONS:
        reason = plain.refusal(text)
        if reason is None:
            assert refusal(copy.deepcopy(table), text) is None, text
        else:
            assert refusal(table, text) == reason, text
            assert snapshot(table) == before, text


@settings(max_examples=40, deadline=None)
@given(starts(), steps(30))
def test_every_figure_is_that_of_the_line_that_stands(start: tuple[Deal, str], numbers: list[int]) -> None:
    deal, log = start
    table, plain = table_of(deal, log), plain_of(deal, log)
    for number in numbers:
        text = choose(plain, number)
        if text is None:
            break
        plain.play(text)
        table.play(parse_action(text))
        assert shown(table) == plain.figures()
        assert table.can_undo == (plain.window > 0)


# Undo.


def without_history(table: Table) -> dict[str, Any]:
    """The snapshot without what an undo doesn't bring back: the two counters and the history itself."""
    return {name: value for name, value in snapshot(table).items() if name not in ("moves", "undos", "_history")}


@settings(max_examples=40, deadline=None)
@given(starts(), steps(25))
def test_undo_restores_everything_but_moves_and_undos(start: tuple[Deal, str], numbers: list[int]) -> None:
    deal, log = start
    table, plain = table_of(deal, log), plain_of(deal, log)
    for number in numbers:
        text = choose(plain, number | 1)
        if text is None:
            break
        before, remembered = without_history(table), snapshot(table)["_history"]
        moves, undos = table.moves, table.undos
        plain.play(text)
        table.play(parse_action(text))
        if plain.is_won:
            break
        table.play(parse_action("u"))
        assert without_history(table) == before, text
        assert snapshot(table)["_history"] == remembered[-(UNDO_LIMIT - 1) :]
        assert (table.moves, table.undos) == (moves + 1, undos + 1)
        table.play(parse_action(text))


@settings(max_examples=20, deadline=None)
@given(starts(), steps(20))
def test_undoing_all_that_is_remembered_goes_back_over_the_same_states(
    start: tuple[Deal, str], numbers: list[int]
) -> None:
    deal, log = start
    table, plain = table_of(deal), plain_of(deal)
    states = [without_history(table)]
    for text in log.split():
        plain.play(text)
        table.play(parse_action(text))
        states.append(without_history(table))
    for number in numbers:
        text = choose(plain, number | 1)
        if text is None:
            break
        plain.play(text)
        table.play(parse_action(text))
        states.append(without_history(table))
    if plain.is_won:
        states.pop()
        assert refusal(table, "u") == "game_over"
        return
    played = len(states) - 1
    for _ in range(min(played, UNDO_LIMIT)):
        states.pop()
        assert refusal(table, "u") is None
        assert without_history(table) == states[-1]
    assert refusal(table, "u") == "nothing_to_undo"
    assert table.moves == played
    assert table.undos == min(played, UNDO_LIMIT)


@pytest.mark.parametrize(("played", "undone"), [(0, 0), (1, 1), (99, 99), (100, 100), (101, 100), (350, 100)])
def test_the_101st_undo_is_refused(played: int, undone: int) -> None:
    table = table_of(KLONDIKE_TO_AND_FRO, " ".join(["b1", *["1a", "a1"] * 200][:played]))
    assert [refusal(table, "u") for _ in range(undone + 1)] == [None] * undone + ["nothing_to_undo"]
    assert (table.moves, table.undos) == (played, undone)


def test_history_forgets_for_good() -> None:
    """101 actions, 100 undos, one action: only that one can be undone, for the first stays forgotten."""
    table = table_of(KLONDIKE_TO_AND_FRO, "b1 " + "1a a1 " * 50 + "u " * 100)
    assert refusal(table, "u") == "nothing_to_undo"
    assert table.foundation_cards == 1
    assert [refusal(table, text) for text in ("d", "u", "u")] == [None, None, "nothing_to_undo"]


def test_an_undo_is_not_undone_and_lowers_no_move_counter() -> None:
    table = table_of(FORTY, "d d u")
    assert [refusal(table, "u"), refusal(table, "u")] == [None, "nothing_to_undo"]
    assert (table.moves, table.undos, table.draws) == (2, 2, 0)


# The end.


@pytest.mark.parametrize("text", ["u", "d", "r", "a1", "1a", "ab", "wa", "w1", "ab2", "cc", "j8", "8j"])
def test_a_won_game_is_over(text: str) -> None:
    table = won_table()
    before = snapshot(table)
    assert table.is_won
    assert refusal(table, text) == "game_over"
    assert snapshot(table) == before


def won_table() -> Table:
    entry = won_vectors("kl-d1n")[0]
    return table_of(deal_of(entry), entry["log"])


# Memory: what a table holds must not grow with the log once the undo window is full.

_CYCLES = {
    "draws undone": (FORTY, "d u"),
    "a card to and fro": (FORTY_TO_AND_FRO, "ca " + "ab ba " * 5_000),
    "a card home and back": (KLONDIKE_TO_AND_FRO, "b1 1a a1 u u u"),
    "home and back without undo": (KLONDIKE_TO_AND_FRO, "b1 " + "1a a1 " * 4_999),
    "round the stock": (KLONDIKE, "d " * 24 + "r"),
    "round the stock by threes": (Deal.parse("KL1-D3N-AAAAAAG"), "d " * 8 + "r"),
}


@pytest.mark.parametrize(("deal", "cycle"), _CYCLES.values(), ids=_CYCLES.keys())
def test_memory_does_not_grow_with_the_log(deal: Deal, cycle: str) -> None:
    """No more after 9,000 actions than after 200, at the end or at any time between."""
    actions = parse_log(" ".join(itertools.islice(itertools.cycle(cycle.split()), 9_000)))
    first, rest = actions[:200], actions[200:]
    table = table_of(deal)
    tracemalloc.start()
    try:
        assert play_all(table, first) is None
        few, held = size_of(table), tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        assert play_all(table, rest) is None
        now, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert table.moves + table.undos == 9_000
    # A list that has grown and shrunk may keep some room, and counters above 256 are objects of their own.
    assert abs(size_of(table) - few) < 2_048
    assert now - held < 4_096
    assert peak - held < 8_192


def size_of(value: object) -> int:
    """Bytes of a table or a part of it, all that it holds included; actions and classes aren't its own."""
    if isinstance(value, Table):
        return sum(size_of(getattr(value, name)) for name in Table.__slots__ if name != "_hosts")
    parts = value if isinstance(value, list | tuple) or type(value).__name__ == "deque" else ()
    return sys.getsizeof(value) + sum(map(size_of, parts))


def test_the_window_holds_100_actions_and_no_more() -> None:
    table = table_of(KLONDIKE_TO_AND_FRO, "b1 " + "1a a1 " * 2_000)
    assert len(snapshot(table)["_history"]) == UNDO_LIMIT == 100


def test_tables_share_nothing_that_changes() -> None:
    one, other = table_of(FORTY), table_of(FORTY)
    before = snapshot(other)
    for text in ["d", "d", "bf", "f1", "d", "wb"]:
        refusal(one, text)
    assert snapshot(other) == before
    assert table_of(FORTY).columns == [list(column) for column in FORTY.columns]
