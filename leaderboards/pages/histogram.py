"""How a challenge's scores spread, laid out for an SVG: bars of won games on top of those not won."""

from __future__ import annotations

from dataclasses import dataclass

from leaderboards.services.reading import Bar, Distribution

WIDTH, HEIGHT = 400, 150
#: Above the highest bar, for the mark of one's own.
_HEADROOM = 22
_GAP = 2


@dataclass(frozen=True, slots=True)
class Column:
    """A bar in the units of the viewBox: from ``x``, the won part from ``won_y`` on, the other from ``rest_y`` on."""

    bar: Bar
    is_own: bool
    x: float
    middle: float
    width: float
    won_y: float
    won_height: float
    rest_y: float
    rest_height: float


@dataclass(frozen=True, slots=True)
class Histogram:
    """The bars from the first to the last that has somebody; scores ``first``, ``center`` and ``last`` for the axis."""

    played: int
    won: int
    columns: list[Column]
    first: int
    center: int
    last: int
    width: int = WIDTH
    height: int = HEIGHT


def lay_out(distribution: Distribution, *, own_score: int | None) -> Histogram | None:
    """The histogram, with the bar of the own score marked; None where nobody has played."""
    bars = _trim(distribution.bars)
    if not bars:
        return None
    step = WIDTH / len(bars)
    highest = max(bar.won + bar.not_won for bar in bars)
    scale = (HEIGHT - _HEADROOM) / highest
    columns = [_column(bar, own_score, i * step, step, scale) for i, bar in enumerate(bars)]
    center = (bars[0].low + bars[-1].high) // 2
    return Histogram(distribution.played, distribution.won, columns, bars[0].low, center, bars[-1].high)


def _column(bar: Bar, own_score: int | None, x: float, step: float, scale: float) -> Column:
    is_own = own_score is not None and bar.low <= own_score < bar.high
    won, rest = bar.won * scale, bar.not_won * scale
    places = (x + _GAP / 2, x + step / 2, step - _GAP, HEIGHT - rest - won, won, HEIGHT - rest, rest)
    return Column(bar, is_own, *(round(value, 1) for value in places))


def _trim(bars: list[Bar]) -> list[Bar]:
    """Without the empty bars at both ends, but at least eight."""
    filled = [i for i, bar in enumerate(bars) if bar.won or bar.not_won]
    if not filled:
        return []
    first = max(0, min(filled[0], filled[-1] - 7))
    return bars[first : max(filled[-1] + 1, first + 8)]
