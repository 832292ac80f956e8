"""Mutated logs: a verdict for each, whatever it holds. `manage.py fuzz` does the same with a million."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.engine import Deal, Verdict, errors
from tests.engine import fuzzing
from tests.engine.fuzzing import HOSTILE, SEPARATORS, Hang, corpus, judge, judge_many
from tests.engine.tables import ALL_ACTIONS

REASONS = """
    valid won bad_notation log_too_large too_many_actions game_over nothing_to_undo stock_empty no_recycle
    stock_not_empty no_such_pile pile_empty not_enough_cards wrong_foundation wrong_rank not_a_king
    wrong_suit wrong_colour
"""
GAMES = corpus()


def test_every_mutated_log_gets_a_verdict_that_can_be_true() -> None:
    reasons = judge_many(seed=11, count=4000)
    assert sum(reasons.values()) == 4000
    assert set(REASONS.split()) - set(reasons) == set(), "the mutations reach less than they did"


pieces = st.one_of(
    st.sampled_from(ALL_ACTIONS), st.sampled_from(["d", "u", "r"]), st.sampled_from([*HOSTILE, *SEPARATORS]), st.text()
)


@given(st.sampled_from(GAMES), st.lists(pieces, max_size=12), st.integers(0, 300))
@settings(max_examples=200, deadline=None)
def test_whatever_stands_in_a_log_it_gets_a_verdict(game: tuple[Deal, str], noise: list[str], place: int) -> None:
    deal, log = game
    judge(deal, " ".join([*log.split()[:place], *noise, *log.split()[place:]]), plainly=True)
    judge(deal, log[:place] + "".join(noise) + log[place:], plainly=True)


@pytest.mark.parametrize("what", ["raises", "hangs", "lies"])
def test_an_engine_that_breaks_is_found(monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    verify = fuzzing.verify
    monkeypatch.setattr(fuzzing, "HANG_SECONDS", 0.05)

    def broken(deal: Deal, log: str) -> Verdict:
        if what == "raises":
            raise errors.IllegalAction("x", "y")
        while what == "hangs":
            pass
        return verify(deal, log + " d" if log.isascii() and len(log) < 1000 else log)

    monkeypatch.setattr(fuzzing, "verify", broken)
    expected = {"raises": errors.IllegalAction, "hangs": Hang, "lies": AssertionError}[what]
    with pytest.raises(expected) as caught:
        judge_many(seed=Random(1).randrange(100), count=200)
    assert "log " in caught.value.__notes__[0]
