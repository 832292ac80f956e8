"""The order of period boards, packed into one number: low is better.

Sum of ranked scores down, wins down, moves up. The key has 84 bits, from the highest:

====  ======  ================================================================================
bits  what    how
====  ======  ================================================================================
32    score   4,294,967,295 - sum, clamped to 0..4,294,967,295: 2 million dailies at 2,047 points
20    won     1,048,575 - wins, clamped to 0..1,048,575: one daily a day for 2,800 years
32    moves   0..4,294,967,295, clamped: 429,496 dailies of 10,000 actions
====  ======  ================================================================================

That is more than a double holds exactly, so it isn't the score of a Redis sorted set but, as 21 hexadecimal digits, the
beginning of the member (`leaderboards.boards`). PostgreSQL computes it by itself as a column (`PeriodKey`), ``numeric``
because 64 bits would be too few after twenty years.

Players with equal keys share a rank (1, 2, 2, 4) and are listed by their number: who joined earlier comes first.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from django.db.models import DecimalField, Func

SCORE_BITS = 32
WON_BITS = 20
MOVES_BITS = 32
#: Above every key.
END = 1 << SCORE_BITS + WON_BITS + MOVES_BITS
#: How many decimal digits a key can have.
DIGITS = 26

_MAX_SCORE = (1 << SCORE_BITS) - 1
_MAX_WON = (1 << WON_BITS) - 1
_MAX_MOVES = (1 << MOVES_BITS) - 1


class Sums(NamedTuple):
    """What places a player on a period board, summed over the dailies that were played."""

    score: int
    won: int
    moves: int


def pack(sums: Sums) -> int:
    """The key of a player's sums.

    >>> pack(Sums(2000, 1, 300)) < pack(Sums(1999, 2, 300)) < pack(Sums(1999, 1, 299)) < pack(Sums(1999, 1, 300))
    True
    """
    score = _MAX_SCORE - _clamp(sums.score, _MAX_SCORE)
    won = _MAX_WON - _clamp(sums.won, _MAX_WON)
    return (score << WON_BITS | won) << MOVES_BITS | _clamp(sums.moves, _MAX_MOVES)


def unpack(key: int) -> Sums:
    """The sums that a key was made of, as far as they weren't clamped.

    >>> unpack(pack(Sums(2000, 1, 300)))
    Sums(score=2000, won=1, moves=300)
    """
    return Sums(
        score=_MAX_SCORE - (key >> WON_BITS + MOVES_BITS),
        won=_MAX_WON - (key >> MOVES_BITS & _MAX_WON),
        moves=key & _MAX_MOVES,
    )


class PeriodKey(Func):
    """The key of (score, won, moves) in SQL: what `pack` gives."""

    arity = 3
    output_field = DecimalField(max_digits=DIGITS, decimal_places=0)

    def as_sql(self, compiler: Any, connection: Any, *_: Any, **__: Any) -> tuple[str, tuple[str | int, ...]]:
        """The expression, with the columns in it."""
        score, won, moves = (compiler.compile(expression)[0] for expression in self.get_source_expressions())
        return (
            f"(({_MAX_SCORE} - greatest(0, least({score}, {_MAX_SCORE})))::numeric * {1 << WON_BITS + MOVES_BITS}"
            f" + ({_MAX_WON} - greatest(0, least({won}, {_MAX_WON})))::numeric * {1 << MOVES_BITS}"
            f" + greatest(0, least({moves}, {_MAX_MOVES})))",
            (),
        )


def _clamp(value: int, maximum: int) -> int:
    return min(max(value, 0), maximum)
