"""The solver: what it wins is won, what it calls impossible is, and it keeps to each mode's rules."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from games.engine import MODES, Code, Deal, NotWon, verify, winning_moves
from games.management.commands.solve_sample import wilson
from games.solver import solve
from tests.conftest import WON_CODE

# The first test compiles.
pytestmark = pytest.mark.timeout(900)

KNOWN = json.loads((Path(__file__).parent.parent / "vectors" / "klondike_known.json").read_text())


def known(mode: str, outcome: str) -> list[tuple[Deal, int | None]]:
    return [
        (Deal.of(mode, columns=entry["columns"], stock=entry["stock"]), entry.get("minimum"))
        for entry in KNOWN
        if entry["mode"] == mode and entry["outcome"] == outcome
    ]


def moves_without_redeals(deal: Deal, log: str) -> int:
    """As KSolve counts them: draws and moves, but not turning the waste over."""
    verdict = verify(deal, log)
    return verdict.moves - verdict.recycles


@pytest.mark.parametrize("mode", ["kl-d1n", "kl-d3n"])
def test_klondike_wins_are_won_and_never_shorter_than_the_proven_minimum(mode: str) -> None:
    """Solvitaire #140: printed solutions held illegal moves."""
    deals = known(mode, "minimum")
    won = 0
    for deal, minimum in deals:
        solution = solve(deal, 1.5)
        assert solution.outcome != "impossible", "a deal that can be won"
        if solution.log is not None:
            won += 1
            assert minimum is not None and moves_without_redeals(deal, solution.log) >= minimum
    assert won >= len(deals) * 0.8


@pytest.mark.parametrize("mode", ["kl-d1n", "kl-d3n"])
def test_a_deal_without_a_win_is_never_won(mode: str) -> None:
    outcomes = [solve(deal, 1.5).outcome for deal, _ in known(mode, "impossible")]
    assert "won" not in outcomes and "impossible" in outcomes


@pytest.mark.parametrize(("mode", "twin"), [("kl-d1v", "kl-d1n"), ("kl-d3v", "kl-d3n")])
def test_vegas_is_won_in_one_pass_and_only_proven_lost_where_no_single_pass_wins(mode: str, twin: str) -> None:
    for entry in KNOWN:
        if entry["mode"] != twin:
            continue
        deal = Deal.of(mode, columns=entry["columns"], stock=entry["stock"])
        solution = solve(deal, 0.5, shortening_seconds=0)
        if solution.log is not None:
            verdict = verify(deal, solution.log)
            assert (verdict.won, verdict.ranked_score, verdict.recycles) == (True, 208, 0)
            assert entry["outcome"] != "impossible"
        if entry.get("passes") == 1:
            assert solution.outcome != "impossible"


def test_forty_thieves_deals_are_won() -> None:
    solutions = [solve(Deal.parse(Code("ft-n", number)), 5, shortening_seconds=0) for number in range(20, 28)]
    won = [solution for solution in solutions if solution.outcome == "won"]
    assert len(won) >= 3
    assert all(solution.outcome in ("won", "unknown") for solution in solutions), "it never proves a deal lost"


def test_a_win_is_shortened_in_the_time_that_is_left() -> None:
    deal = Deal.parse(WON_CODE)
    first, shortened = solve(deal, 20, shortening_seconds=0), solve(deal, 4)
    assert first.par is not None and shortened.par is not None
    assert 168 <= shortened.par <= first.par
    assert shortened.log is not None and verify(deal, shortened.log).moves == shortened.par


@pytest.mark.parametrize("mode", list(MODES))
def test_an_equal_call_takes_the_same_course(mode: str) -> None:
    deal = Deal.parse(Code(mode, 21 if mode == "ft-n" else 8))
    one, two = (solve(deal, 20, shortening_seconds=0) for _ in range(2))
    assert (one.outcome, one.log) == (two.outcome, two.log)


def test_a_wrong_winning_log_is_refused(won_log: str) -> None:
    deal = Deal.parse(WON_CODE)
    assert winning_moves(deal, won_log) == 315
    for wrong in (won_log[:-3], "d", won_log + " d", won_log.replace("d", "u", 1)):
        with pytest.raises(NotWon, match="doesn't win"):
            winning_moves(deal, wrong)


def test_solve_sample_writes_certificates_that_the_engine_accepts(tmp_path: Path) -> None:
    out, certificates = StringIO(), tmp_path / "wins.jsonl"
    arguments = ("--mode", "kl-d1n", "--count", "10", "--seconds", "1", "--seed", "3", "--out", str(certificates))
    call_command("solve_sample", *arguments, stdout=out)
    lines = [json.loads(line) for line in certificates.read_text().splitlines()]
    assert f"won        {len(lines):4}" in out.getvalue()
    assert all(verify(Deal.parse(line["code"]), line["log"]).won for line in lines)
    assert "kl-d1n, 10 deals" in out.getvalue() and "median" in out.getvalue()


def test_wilson_intervals() -> None:
    low, high = wilson(50, 100)
    assert (round(low, 3), round(high, 3)) == (0.404, 0.596)
    assert wilson(0, 10)[0] == 0.0 and round(wilson(10, 10)[1], 9) == 1.0
