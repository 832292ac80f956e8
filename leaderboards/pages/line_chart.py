"""Percentiles of finished dailies as a line, laid out for an SVG that is stretched to its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leaderboards.services.statistics import FinalPlace

HEIGHT = 100
POINT_STEP = 10


@dataclass(frozen=True, slots=True)
class LineChart:
    """The earliest place first, in steps of `POINT_STEP` from left to right; 100 per cent are at the top."""

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
