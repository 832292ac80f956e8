"""Plots as geometry: templates draw them, style sheets colour them. Lengths are in the units of their own pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leaderboards.services.reading import Bar, Distribution
from leaderboards.services.statistics import FinalPlace

HEIGHT = 100
BAR_STEP, BAR_WIDTH = 10, 8
POINT_STEP = 10


@dataclass(frozen=True, slots=True)
class PlottedBar:
    """A bar with its left edge and the heights of its parts, the won one at the bottom."""

    bar: Bar
    x: int
    won_height: float
    height: float
    is_own: bool

    @property
    def count(self) -> int:
        """The players in it."""
        return self.bar.won + self.bar.not_won

    @property
    def top(self) -> float:
        """Where the bar begins, counted from above."""
        return HEIGHT - self.height

    @property
    def won_top(self) -> float:
        """Where its won part begins."""
        return HEIGHT - self.won_height

    @property
    def last(self) -> int:
        """The highest score in it."""
        return self.bar.high - 1


@dataclass(frozen=True, slots=True)
class Histogram:
    """The bars from the lowest to the highest score that somebody has, ``width`` units wide together."""

    played: int
    won: int
    bars: list[PlottedBar]

    @property
    def width(self) -> int:
        """The picture's width."""
        return BAR_STEP * len(self.bars)

    @property
    def highest(self) -> PlottedBar:
        """The bar with the most players."""
        return max(self.bars, key=lambda bar: bar.count)

    @property
    def own(self) -> PlottedBar | None:
        """The bar that the own result is in."""
        return next((bar for bar in self.bars if bar.is_own), None)


def histogram(distribution: Distribution, *, own_score: int | None) -> Histogram | None:
    """The histogram of a board, None where nobody stands on it."""
    taken = [i for i, bar in enumerate(distribution.bars) if bar.won + bar.not_won]
    if not taken:
        return None
    bars = distribution.bars[taken[0] : taken[-1] + 1]
    unit = HEIGHT / max(bar.won + bar.not_won for bar in bars)
    return Histogram(
        distribution.played,
        distribution.won,
        [
            PlottedBar(
                bar,
                BAR_STEP * i,
                round(unit * bar.won, 1),
                round(unit * (bar.won + bar.not_won), 1),
                own_score is not None and bar.low <= own_score < bar.high,
            )
            for i, bar in enumerate(bars)
        ],
    )


@dataclass(frozen=True, slots=True)
class LineChart:
    """Percentiles of finished dailies, the earliest first, as a line from left to right; 100 is at the top."""

    places: Sequence[FinalPlace]

    @property
    def width(self) -> int:
        """The picture's width."""
        return POINT_STEP * len(self.places)

    @property
    def points(self) -> list[tuple[float, float]]:
        """Each place's position."""
        return [(POINT_STEP * (i + 0.5), round(HEIGHT - place.percentile, 1)) for i, place in enumerate(self.places)]

    @property
    def path(self) -> str:
        """The line through all of them, in the language of SVG paths."""
        return "M" + " L".join(f"{x:g} {y:g}" for x, y in self.points)

    @property
    def dots(self) -> str:
        """A mark at each of them, likewise: lines of no length with round ends."""
        return " ".join(f"M{x:g} {y:g}h0" for x, y in self.points)


def line_chart(history: Sequence[FinalPlace]) -> LineChart | None:
    """The line of a history, which has the latest first; None where one would say nothing yet."""
    return LineChart(history[::-1]) if len(history) > 1 else None
