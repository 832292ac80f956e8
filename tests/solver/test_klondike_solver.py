"""The Klondike search by itself: its claims against deals that another solver has decided, and its corner cases."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from games.engine import MODES, Deal, Verdict, parse_card, verify
from games.solver import klondike

# The first test compiles.
pytestmark = pytest.mark.timeout(600)


class Known(NamedTuple):
    """A deal that KSolve has decided: the fewest moves of a win (redeals don't count), None where there is none."""

    mode: str
    columns: str
    stock: str
    minimum: int | None

    @property
    def deal(self) -> Deal:
        columns = [column.split() for column in self.columns.split(" / ")]
        return Deal.of(self.mode, columns=columns, stock=self.stock.split())


#: From JonathanFry3/KSolve (MIT licence), its deals of ran40k by their seeds.
DRAW_1_SEED_1 = Known(
    "kl-d1n",
    "9D / KH 2C / KS 2D 3S / TH 7C 6C JS / 5C AD AH 8H 4H / QC 2S 5S 8S 3C 6D / 7D TC JH 4D 4S 4C 7S",
    "JC 3H 6H QH 2H QD AC TD JD 8C 9C 5D 3D AS QS 6S KC 7H 5H KD TS 8D 9S 9H",
    95,
)
DRAW_1_SEED_8 = Known(
    "kl-d1n",
    "7H / 2C 5H / QH 6D 4H / 2D 2S KC 4D / AC JC 4C JH KS / TD JS 9S QS 8C TS / 5S 4S 9H KD 5C 6H 5D",
    "AD 3D AH 6C 8D 3S KH 7D 3H 7S QC 8S 2H AS 9C 9D QD TC 6S 8H TH 3C JD 7C",
    125,
)
DRAW_1_SEED_15 = Known(
    "kl-d1n",
    "6H / 4H 5H / JC 8D 7H / 6S TH KD AS / 7C 7S 3H 9H 4S / 3C KC 9C JH QS AH / TD QD QC 5C AC TC KH",
    "7D KS 9S 6D TS 8H 5S 4C JS 9D 2H 8C 2S QH AD 2C 3D 2D 6C JD 5D 4D 8S 3S",
    100,
)
DRAW_1_SEED_28 = Known(
    "kl-d1n",
    "QS / TC 7C / 5S 4H 7S / 5D TD 8H KH / 2C 6S JH AC 6D / KC QC QH AS 9H 9D / QD 7D 7H TH 3C 8D 5H",
    "4D JD 3S 3H 6C 4C JS 6H 9C AH 8S 2D 2S 5C AD 8C 2H 3D KS 9S JC 4S TS KD",
    None,
)
DRAW_1_SEED_33 = Known(
    "kl-d1n",
    "KC / JS QC / QD 8H 9C / TS 3H QH 9S / JD 7C 9H 7H 8S / TH 2C 2H 2D 8D QS / 5D AC JC 2S AS 4C 4S",
    "6S AD KH 5S JH 6D 4H KS TD 8C 6H 7S 6C AH 3C KD 4D 9D 7D TC 5H 5C 3D 3S",
    None,
)
DRAW_3_SEED_1 = DRAW_1_SEED_1._replace(mode="kl-d3n", minimum=97)
DRAW_3_SEED_79 = Known(
    "kl-d3n",
    "AS / 9D AC / KD 6H JS / 3C 8H 9C 4C / 3S JD 5D 2C TC / 5H 6D 4D 4H 5S JH / KC 6C 3D KH TD KS 8C",
    "3H 7D 5C 6S QS QC 7S AH JC QD AD 8S 8D 4S 9S TH 7C 9H 2H 7H 2S 2D QH TS",
    91,
)
DRAW_3_SEED_7 = Known(
    "kl-d3n",
    "4C / KC 2S / 2H KH 4D / 6D TD AD 9S / KD 7S 5S JS 8H / QH 9D 5C 3H 2C TS / AH JC 5D 9H AC 8C 5H",
    "QD 6H 6C 7H 7D 7C 4H 3D 2D 3C KS TH QC AS 9C JD 6S TC JH 8D 3S 8S QS 4S",
    None,
)


def search(deal: Deal, seconds: float = 20, *, shortening_seconds: float | None = 0) -> klondike.Found:
    game = MODES[deal.mode].game
    return klondike.search(
        deal.columns,
        deal.stock,
        draw=game.draw_size,
        redeals=game.can_redeal,
        seconds=seconds,
        shortening_seconds=shortening_seconds,
    )


def replayed(deal: Deal, found: klondike.Found) -> Verdict:
    """What the engine says of a log that was found."""
    assert found.log is not None and not found.exhausted
    verdict = verify(deal, found.log)
    assert verdict.valid and verdict.won
    return verdict


@pytest.mark.parametrize("known", [DRAW_1_SEED_1, DRAW_1_SEED_8, DRAW_1_SEED_15, DRAW_3_SEED_1, DRAW_3_SEED_79])
def test_a_deal_that_can_be_won_is_won_and_not_in_fewer_moves_than_there_are(known: Known) -> None:
    verdict = replayed(known.deal, search(known.deal))
    assert known.minimum is not None and verdict.moves - verdict.recycles >= known.minimum


@pytest.mark.parametrize("known", [DRAW_1_SEED_1, DRAW_3_SEED_1])
def test_a_win_is_shortened_down_to_the_minimum(known: Known) -> None:
    first = replayed(known.deal, search(known.deal))
    shortened = replayed(known.deal, search(known.deal, 6, shortening_seconds=None))
    assert shortened.moves < first.moves
    assert known.minimum is not None and known.minimum <= shortened.moves - shortened.recycles <= known.minimum * 1.1


@pytest.mark.parametrize("known", [DRAW_1_SEED_33, DRAW_3_SEED_7])
def test_a_deal_that_can_not_be_won_is_proven_lost(known: Known) -> None:
    found = search(known.deal)
    assert (found.log, found.exhausted) == (None, True)


def test_vegas_is_won_in_a_single_pass() -> None:
    deal = DRAW_1_SEED_15._replace(mode="kl-d1v").deal
    verdict = replayed(deal, search(deal))
    assert (verdict.recycles, verdict.ranked_score) == (0, 208)


def test_a_deal_whose_wins_all_need_a_redeal_is_lost_under_vegas() -> None:
    found = search(DRAW_3_SEED_1._replace(mode="kl-d3v").deal)
    assert (found.log, found.exhausted) == (None, True)


def test_equal_calls_find_the_same() -> None:
    deal = DRAW_3_SEED_79.deal
    assert search(deal) == search(deal)


@pytest.mark.parametrize("limits", [{"seconds": 0.0}, {"seconds": 20.0, "memory_bytes": 1 << 20}])
def test_a_search_that_runs_out_of_time_or_memory_claims_nothing(limits: dict[str, Any]) -> None:
    deal = DRAW_1_SEED_28.deal
    found = klondike.search(deal.columns, deal.stock, draw=1, redeals=True, shortening_seconds=0, **limits)
    assert (found.log, found.exhausted) == (None, False)
    assert found.nodes < 20_000


def test_a_card_is_taken_back_where_only_that_wins() -> None:
    # The nine of spades hides the eight. Both red tens are home, and only one of them can take the nine.
    columns = [[parse_card("8S"), parse_card("9S")], [parse_card("JC")], [], [], [], [], []]
    stock = [*range(0x0A, 0x0E), *range(0x3C, 0x3E), *range(0x1B, 0x1E), *range(0x2B, 0x2E)]
    found = klondike.search(columns, stock, draw=3, redeals=True, seconds=10)
    assert found.log is not None
    assert {"2b", "3b"} & set(found.log.split())
