"""The bot plays real games."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from random import Random

import pytest

from games.bot import MAX_ACTIONS, play_game, spoil
from games.engine import MODES, Code, Deal, parse_log, play_all, verify


def games(mode: str, count: int) -> list[tuple[Deal, str]]:
    deals = [Deal.parse(Code(mode, 7_000_000 + n)) for n in range(count)]
    return [(deal, play_game(deal, random=Random(n))) for n, deal in enumerate(deals)]


def line_that_stands(log: str) -> list[str]:
    actions: list[str] = []
    for action in log.split():
        if action == "u":
            actions.pop()
        else:
            actions.append(action)
    return actions


def reshuffled_unseen(deal: Deal, log: str, random: Random) -> Deal:
    """Another deal, in which the same log shows the same cards; those that it leaves unseen are shuffled."""
    table = MODES[deal.mode].game(deal)
    assert play_all(table, parse_log(log)) is None
    # Drawn and turned over again, the stock has been seen.
    undrawn = [] if table.recycles else list(range(len(deal.stock) - len(table.stock), len(deal.stock)))
    hidden = [(c, i) for c, count in enumerate(table.face_down) for i in range(count)]
    unseen = [deal.stock[i] for i in undrawn] + [deal.columns[c][i] for c, i in hidden]
    random.shuffle(unseen)
    cards = iter(unseen)
    stock, columns = list(deal.stock), [list(column) for column in deal.columns]
    for i in undrawn:
        stock[i] = next(cards)
    for c, i in hidden:
        columns[c][i] = next(cards)
    return Deal(deal.mode, tuple(map(tuple, columns)), tuple(stock))


def prefixes(log: str) -> Iterator[list[str]]:
    actions = line_that_stands(log)
    yield from (actions[:end] for end in range(0, len(actions), 5))


@pytest.mark.parametrize("mode", list(MODES))
def test_its_logs_are_legal_and_its_spoilt_ones_are_not(mode: str) -> None:
    for n, (deal, log) in enumerate(games(mode, 25)):
        assert verify(deal, log).error is None
        error = verify(deal, spoil(deal, log, random=Random(n))).error
        assert error is not None and error.reason != "bad_notation"


def test_spoilt_logs_break_many_rules_in_many_places() -> None:
    errors = [verify(d, spoil(d, log, random=Random(n))).error for n, (d, log) in enumerate(games("kl-d1n", 100))]
    assert len({error.reason for error in errors if error}) >= 5
    places = [error.index for error in errors if error and error.index is not None]
    assert min(places) < 20 and max(places) > 80


def test_it_wins_one_in_ten_draw_1_games_at_least() -> None:
    won = [verify(deal, log).won for deal, log in games("kl-d1n", 60)]
    assert sum(won) >= 6


def test_it_brings_cards_home_in_every_mode() -> None:
    for mode, least in {"ft-n": 15, "kl-d1n": 15, "kl-d3n": 6, "kl-d1v": 6, "kl-d3v": 2}.items():
        assert statistics.mean(verify(deal, log).foundation_cards for deal, log in games(mode, 60)) >= least, mode


def test_its_logs_have_the_length_of_games_and_some_undos() -> None:
    verdicts = [verify(deal, log) for mode in ("ft-n", "kl-d1n", "kl-d3n") for deal, log in games(mode, 30)]
    assert statistics.median(v.moves + v.undos for v in verdicts) >= 100
    assert sum(v.undos > 0 for v in verdicts) > 10
    assert max(v.moves for v in verdicts) <= 4 * MAX_ACTIONS


def test_some_games_stop_early() -> None:
    lengths = [len(log.split()) for _, log in games("ft-n", 100)]
    assert 1 <= sum(length < 64 for length in lengths) <= 20


def test_the_same_seed_plays_the_same_game() -> None:
    assert games("kl-d3n", 3) == games("kl-d3n", 3)


@pytest.mark.parametrize("mode", list(MODES))
def test_it_sees_no_face_down_card_and_not_into_the_stock(mode: str) -> None:
    for n, (deal, log) in enumerate(games(mode, 5)):
        for seen in prefixes(log):
            other = reshuffled_unseen(deal, " ".join(seen), Random(len(seen)))
            replayed = line_that_stands(play_game(other, random=Random(n)))
            # What it has seen is the same up to here, so the next action is too; either game may be given up early.
            compared = min(len(seen) + 1, len(replayed), len(line_that_stands(log)))
            assert replayed[:compared] == line_that_stands(log)[:compared]
