"""The bot plays real games."""

from __future__ import annotations

import statistics
from random import Random

import pytest

from games.bot import play_game, spoil
from games.engine import MODES, Code, Deal, verify


def games(mode: str, count: int) -> list[tuple[Deal, str]]:
    deals = [Deal.parse(Code(mode, 7_000_000 + n)) for n in range(count)]
    return [(deal, play_game(deal, random=Random(n))) for n, deal in enumerate(deals)]


@pytest.mark.parametrize("mode", list(MODES))
def test_its_logs_are_legal_and_its_spoilt_ones_are_not(mode: str) -> None:
    for n, (deal, log) in enumerate(games(mode, 25)):
        assert verify(deal, log).error is None
        error = verify(deal, spoil(deal, log, random=Random(n))).error
        assert error is not None and error.reason != "bad_notation"


def test_it_wins_one_in_ten_draw_1_games_at_least() -> None:
    won = [verify(deal, log).won for deal, log in games("kl-d1n", 60)]
    assert sum(won) >= 6


def test_its_logs_have_the_length_of_games_and_some_undos() -> None:
    verdicts = [verify(deal, log) for mode in ("ft-n", "kl-d1n", "kl-d3n") for deal, log in games(mode, 30)]
    assert statistics.median(v.moves + v.undos for v in verdicts) >= 100
    assert sum(v.undos > 0 for v in verdicts) > 10


def test_it_sees_no_face_down_card_and_not_into_the_stock() -> None:
    deal = Deal.parse("KL1-D1N-AAAAAAG")
    hidden = Deal(deal.mode, tuple((*column[:-1][::-1], column[-1]) for column in deal.columns), deal.stock)
    other, same = play_game(hidden, random=Random(1)).split(), play_game(deal, random=Random(1)).split()
    first_uncovered = next(i for i, action in enumerate(same) if len(action) > 1 and action[0] in "cdefg")
    assert other[: first_uncovered + 1] == same[: first_uncovered + 1]
