"""The worked examples: what their remarks say is what the engine says."""

from __future__ import annotations

import re

import pytest

from games.engine import MODES, Deal, IllegalAction, Kind, parse_action, parse_log, verify
from games.pages.examples import EXAMPLES, FORTY_THIEVES, KLONDIKE, Example, remarks_of
from games.pages.game_words import tell


def table_after(example: Example, step: int):  # type: ignore[no-untyped-def]
    deal = Deal.parse(example.code)
    table = MODES[deal.mode].game(deal)
    for action in parse_log(example.log)[:step]:
        table.play(action)
    return table


@pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES)
def test_each_refusal_is_the_engines(example: Example) -> None:
    refused = [remark for remark in example.remarks if remark.refused]
    assert refused
    for remark in refused:
        with pytest.raises(IllegalAction) as caught:
            table_after(example, remark.step).play(parse_action(remark.refused))
        assert caught.value.reason == remark.reason


@pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES)
def test_remarks_stand_in_order_within_the_game_and_leave_no_hole(example: Example) -> None:
    steps = [remark.step for remark in example.remarks]
    assert steps == sorted(set(steps))
    assert steps[-1] == len(example.log.split())
    found = remarks_of(example)
    assert sorted(found) == steps
    assert not any(re.search(r"[{}]|: \.|  ", text) for text in found.values())


def test_forty_thieves_ends_as_the_rules_page_says() -> None:
    verdict = verify(Deal.parse(FORTY_THIEVES.code), FORTY_THIEVES.log)
    assert verdict.won
    assert verdict.taken_back == 0
    assert verdict.score == verdict.ranked_score == 1040 + 5 * verdict.waste_to_column == 1195


def test_klondike_ends_as_the_rules_page_says() -> None:
    verdict = verify(Deal.parse(KLONDIKE.code), KLONDIKE.log)
    assert verdict.won
    assert (verdict.taken_back, verdict.recycles) == (0, 1)
    assert verdict.score == verdict.ranked_score == 625 + 5 * verdict.waste_to_column - 100 == 580


def test_what_the_remarks_on_forty_thieves_say_is_so() -> None:
    lines = tell(Deal.parse(FORTY_THIEVES.code), FORTY_THIEVES.log)
    found = remarks_of(FORTY_THIEVES)
    assert "5 of spades on 6 of hearts" in found[0]
    assert (lines[1].points, lines[4].points, lines[14].points) == (10, 0, 5)
    assert "The jack now lies on queen of hearts" in found[15]
    assert lines[15].words == "jack of hearts: from column d to column a"
    assert (lines[22].points, lines[22].score, lines[23].score) == (-15, 60, 75)
    assert "by -15 points, to 60" in found[22]
    assert [] in table_after(FORTY_THIEVES, 94).columns
    king_or_not = parse_log(FORTY_THIEVES.log)[94]
    assert table_after(FORTY_THIEVES, 94).columns[king_or_not.target] == []
    assert "king" not in lines[95].words
    assert parse_log(FORTY_THIEVES.log)[130].kind is Kind.WASTE_TO_COLUMN
    assert table_after(FORTY_THIEVES, 130).columns[parse_log(FORTY_THIEVES.log)[130].target] == []
    assert lines[131].points == 5
    assert table_after(FORTY_THIEVES, 216).stock == []
    assert parse_log(FORTY_THIEVES.log)[215].kind is Kind.DRAW
    assert "1,195" in found[217]


def test_what_the_remarks_on_klondike_say_is_so() -> None:
    lines = tell(Deal.parse(KLONDIKE.code), KLONDIKE.log)
    found = remarks_of(KLONDIKE)
    log = parse_log(KLONDIKE.log)
    assert "3 of clubs on 4 of spades" in found[0]
    assert (lines[1].points, lines[13].points, lines[24].points) == (15, 5, 5)
    assert log[23].count == 3
    assert table_after(KLONDIKE, 28).columns[2] == []
    assert "queen of clubs to the empty column" in found[28]
    assert (lines[31].points, lines[32].points) == (0, 0)
    assert log[30].kind is Kind.FOUNDATION_TO_COLUMN
    assert log[31].kind is Kind.UNDO
    assert lines[33].words.startswith("king of diamonds: from the waste")
    assert (lines[54].points, lines[54].score) == (-100, 110)
    assert log[65].count == 9
    assert log[92].kind is Kind.WASTE_TO_COLUMN
    assert lines[93].points == 5
    assert "580" in found[110]
