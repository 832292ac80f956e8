"""The key of period boards, bit by bit and at its limits; in Python, in PostgreSQL and in Redis."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.models import Player
from leaderboards.layouts import BY_TEXT, COMPLETE, Entry
from leaderboards.models import PeriodStanding
from leaderboards.period_ranking import DIGITS, END, Sums, pack, unpack
from leaderboards.periods import BEGINNING, first_day, last_day

sums = st.builds(Sums, score=st.integers(0, 2**32 - 1), won=st.integers(0, 2**20 - 1), moves=st.integers(0, 2**32 - 1))
entries = st.builds(Entry, st.integers(1, 10**12 - 1), st.integers(0, END - 1))

LIMITS = [
    Sums(0, 0, 0),
    Sums(1, 0, 0),
    Sums(0, 1, 0),
    Sums(0, 0, 1),
    Sums(2**32 - 1, 2**20 - 1, 2**32 - 1),
    Sums(2**31, 2**19, 2**31),
    # A century of won games, a double can't hold its key exactly.
    Sums(1360 * 36525, 36525, 10_000 * 36525),
]


def plain_order(one: Sums) -> tuple[int, int, int]:
    return (-one.score, -one.won, one.moves)


@given(sums, sums)
def test_keys_order_as_the_rule_says(one: Sums, other: Sums) -> None:
    assert (pack(one) < pack(other)) == (plain_order(one) < plain_order(other))
    assert (pack(one) == pack(other)) == (one == other)


@given(sums)
def test_unpack_is_the_inverse_of_pack(one: Sums) -> None:
    assert unpack(pack(one)) == one
    assert 0 <= pack(one) < END < 10**DIGITS


@pytest.mark.parametrize("one", LIMITS)
def test_each_part_has_its_bits(one: Sums) -> None:
    bits = f"{pack(one):084b}"
    assert (int(bits[:32], 2), int(bits[32:52], 2), int(bits[52:], 2)) == (
        2**32 - 1 - one.score,
        2**20 - 1 - one.won,
        one.moves,
    )


def test_what_is_beyond_the_limits_is_clamped() -> None:
    assert unpack(pack(Sums(2**32, 2**20, 2**32))) == Sums(2**32 - 1, 2**20 - 1, 2**32 - 1)
    assert unpack(pack(Sums(-1, 0, 0))) == Sums(0, 0, 0)


def test_a_double_would_mix_up_what_the_key_tells_apart() -> None:
    one, other = pack(LIMITS[-1]), pack(LIMITS[-1]._replace(moves=LIMITS[-1].moves + 1))
    assert float(one) == float(other) and one < other


@given(entries, entries)
def test_members_in_redis_come_in_the_order_of_key_and_player(one: Entry, other: Entry) -> None:
    members = [BY_TEXT.member(entry).encode() for entry in (one, other)]
    assert (members[0] < members[1]) == ((one.key, one.id) < (other.key, other.id))
    assert all(len(member) == 33 and member < COMPLETE.encode() for member in members)
    assert BY_TEXT.entry(members[0], b"0") == one


@pytest.mark.django_db
def test_postgresql_computes_the_same_key() -> None:
    player = Player.objects.create(name="alice")
    for one in [*LIMITS, Sums(2**32 + 5, 0, 2**32 + 5), Sums(-7, 2**20 + 5, 0)]:
        PeriodStanding.objects.all().delete()
        PeriodStanding.objects.create(
            player=player,
            mode="ft-n",
            period="all",
            starts_on=BEGINNING,
            score=one.score,
            played=1,
            won=one.won,
            moves=one.moves,
        )
        assert PeriodStanding.objects.get().key == pack(one)


@pytest.mark.parametrize(
    ("date", "monday", "sunday", "first", "last"),
    [
        # The days on which clocks change are days like any other.
        ("2026-03-29", "2026-03-23", "2026-03-29", "2026-03-01", "2026-03-31"),
        ("2026-10-25", "2026-10-19", "2026-10-25", "2026-10-01", "2026-10-31"),
        # The first days of January belong to a week of the year before.
        ("2027-01-03", "2026-12-28", "2027-01-03", "2027-01-01", "2027-01-31"),
        ("2028-02-29", "2028-02-28", "2028-03-05", "2028-02-01", "2028-02-29"),
        ("0001-01-01", "0001-01-01", "0001-01-07", "0001-01-01", "0001-01-31"),
        ("9999-12-31", "9999-12-27", "9999-12-31", "9999-12-01", "9999-12-31"),
    ],
)
def test_weeks_run_from_monday_to_sunday_and_months_from_the_first(
    date: str, monday: str, sunday: str, first: str, last: str
) -> None:
    day = datetime.date.fromisoformat(date)
    assert str(first_day("week", day)) == monday and str(last_day("week", first_day("week", day))) == sunday
    assert str(first_day("month", day)) == first and str(last_day("month", first_day("month", day))) == last
    assert first_day("all", day) == BEGINNING and last_day("all", BEGINNING) is None
