"""The order of a challenge's boards, packed into one number: low is better.

Won before not won, then ranked score down, moves up, elapsed time up. The key, 53 bits from the highest, so that it is
exact as the floating-point score of a Redis sorted set:

====  ========  =====================================================================================
bits  what      how
====  ========  =====================================================================================
1     not won   0 won, 1 not won
11    score     2047 - (ranked score + 52), clamped to 0..2047: -52 (Vegas) to 1995
14    moves     0..16383, clamped; a log has at most 10,000 actions
27    elapsed   tenths of a second, 0..134,217,727 (155 days), clamped
====  ========  =====================================================================================

Players with equal keys share a rank (1, 2, 2, 4) and are listed by the submission that was received earlier.
"""

from __future__ import annotations

from typing import NamedTuple

MOVES_BITS = 14
ELAPSED_BITS = 27
SCORE_BITS = 11
#: The lowest ranked score there is: a Vegas game without a card home.
LOWEST_SCORE = -52

_MAX_SCORE = (1 << SCORE_BITS) - 1
_MAX_MOVES = (1 << MOVES_BITS) - 1
_MAX_ELAPSED = (1 << ELAPSED_BITS) - 1
_SCORE_SHIFT = MOVES_BITS + ELAPSED_BITS
_WON_SHIFT = SCORE_BITS + _SCORE_SHIFT

#: The first key that belongs to a game not won.
FIRST_NOT_WON = 1 << _WON_SHIFT
#: Above every key.
END = 1 << (_WON_SHIFT + 1)


class Result(NamedTuple):
    """What places a submission; ``elapsed`` in tenths of a second."""

    won: bool
    ranked_score: int
    moves: int
    elapsed: int


def pack(result: Result) -> int:
    """The key of a result.

    >>> pack(Result(True, 1185, 300, 4000)) < pack(Result(True, 1185, 300, 4001)) < pack(Result(False, 1990, 1, 1))
    True
    """
    score = _MAX_SCORE - _clamp(result.ranked_score - LOWEST_SCORE, _MAX_SCORE)
    return (
        (not result.won) << _WON_SHIFT
        | score << _SCORE_SHIFT
        | _clamp(result.moves, _MAX_MOVES) << ELAPSED_BITS
        | _clamp(result.elapsed, _MAX_ELAPSED)
    )


def unpack(key: int) -> Result:
    """The result that a key was made of, as far as it wasn't clamped.

    >>> unpack(pack(Result(False, -52, 10_000, 7)))
    Result(won=False, ranked_score=-52, moves=10000, elapsed=7)
    """
    return Result(
        won=not key >> _WON_SHIFT,
        ranked_score=_MAX_SCORE - (key >> _SCORE_SHIFT & _MAX_SCORE) + LOWEST_SCORE,
        moves=key >> ELAPSED_BITS & _MAX_MOVES,
        elapsed=key & _MAX_ELAPSED,
    )


#: What `pack` gives, in SQL, for columns of ``submission``.
PACKED = (
    f"((NOT submission.won)::integer::bigint << {_WON_SHIFT})"
    f" | ({_MAX_SCORE} - least(greatest(submission.ranked_score - {LOWEST_SCORE}, 0), {_MAX_SCORE})::bigint"
    f" << {_SCORE_SHIFT})"
    f" | (least(greatest(submission.moves, 0), {_MAX_MOVES})::bigint << {ELAPSED_BITS})"
    f" | least(greatest(submission.elapsed, 0), {_MAX_ELAPSED})"
)


def unpacked(key: str) -> tuple[str, str, str]:
    """Ranked score, won (1 or 0) and moves of a key, in SQL."""
    return (
        f"({_MAX_SCORE + LOWEST_SCORE} - ({key} >> {_SCORE_SHIFT} & {_MAX_SCORE}))",
        f"(1 - ({key} >> {_WON_SHIFT}))",
        f"({key} >> {ELAPSED_BITS} & {_MAX_MOVES})",
    )


def first_key_with_score(score: int, *, won: bool) -> int:
    """The lowest key that a result of that score, won or not, can have; those of higher scores are all below it.

    A score below the lowest has no key: the first above all results that are won, or not.

    >>> first_key_with_score(100, won=True) <= pack(Result(True, 100, 0, 0)) < first_key_with_score(99, won=True)
    True
    """
    if score < LOWEST_SCORE:
        return FIRST_NOT_WON if won else END
    return pack(Result(won, score, 0, 0))


def _clamp(value: int, maximum: int) -> int:
    return min(max(value, 0), maximum)
