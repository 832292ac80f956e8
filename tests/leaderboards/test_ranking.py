"""The packed key, bit by bit and at its limits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboards.ranking import (
    END,
    FIRST_NOT_WON,
    LOWEST_SCORE,
    Result,
    first_key_with_score,
    pack,
    unpack,
)

#: What a game can come to: Vegas at its worst, Forty Thieves at its best, a log at its longest, any time.
results = st.builds(
    Result,
    won=st.booleans(),
    ranked_score=st.integers(LOWEST_SCORE, 1360),
    moves=st.integers(0, 10_000),
    elapsed=st.integers(0, 2**27 - 1),
)


def plain_order(result: Result) -> tuple[bool, int, int, int]:
    return (not result.won, -result.ranked_score, result.moves, result.elapsed)


@given(results, results)
def test_keys_order_as_the_rule_says(one: Result, other: Result) -> None:
    assert (pack(one) < pack(other)) == (plain_order(one) < plain_order(other))
    assert (pack(one) == pack(other)) == (one == other)


@given(results)
def test_unpack_is_the_inverse_of_pack(result: Result) -> None:
    assert unpack(pack(result)) == result


@given(results)
def test_a_key_is_exact_as_a_double(result: Result) -> None:
    assert 0 <= pack(result) < END == 2**53
    assert int(float(pack(result))) == pack(result)


def test_the_bits_are_where_the_table_says() -> None:
    key = pack(Result(won=False, ranked_score=100, moves=3, elapsed=5))
    assert key == 1 << 52 | (2047 - 152) << 41 | 3 << 27 | 5


def test_limits_keep_their_order() -> None:
    best_vegas, worst_vegas = Result(True, 208, 150, 1), Result(False, -52, 10_000, 10**9)
    assert pack(best_vegas) < FIRST_NOT_WON <= pack(Result(False, 1360, 0, 0)) < pack(worst_vegas) < END
    assert pack(Result(True, 1360, 168, 0)) < pack(Result(True, 1359, 168, 0))


def test_elapsed_times_past_the_limit_are_clamped_and_tie() -> None:
    day = 24 * 3600 * 10
    late, later = Result(True, 1040, 300, 160 * day), Result(True, 1040, 300, 400 * day)
    assert pack(Result(True, 1040, 300, 155 * day)) < pack(late) == pack(later) < pack(Result(True, 1040, 301, 0))


def test_a_score_beyond_the_bits_is_clamped_and_spoils_no_other_bit() -> None:
    assert unpack(pack(Result(True, 5000, 7, 9))) == Result(True, 1995, 7, 9)
    assert unpack(pack(Result(True, -900, 7, 9))) == Result(True, -52, 7, 9)


@given(st.integers(LOWEST_SCORE + 1, 1360), st.booleans())
def test_first_key_with_score_parts_the_scores(score: int, won: bool) -> None:
    edge = first_key_with_score(score - 1, won=won)
    assert pack(Result(won, score, 10_000, 2**27 - 1)) < edge <= pack(Result(won, score - 1, 0, 0))


@pytest.mark.parametrize("won", [True, False])
def test_no_result_is_below_the_lowest_score(won: bool) -> None:
    worst = pack(Result(won, LOWEST_SCORE, 10_000, 2**27 - 1))
    assert worst < first_key_with_score(LOWEST_SCORE - 1, won=won)
