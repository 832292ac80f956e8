"""The curve of a score, drawn as SVG: steps, one unit wide for each action."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

#: How high the drawing is; how wide, its actions say. It is stretched to where it is shown.
HEIGHT = 100
#: Room above and below, for the width of the line.
MARGIN = 4


@dataclass(frozen=True, slots=True)
class Curve:
    """``path`` is the line; ``width`` the actions that the drawing has room for; ``zero`` where 0 points lie."""

    path: str
    width: int
    zero: float
    least: int
    most: int


def draw(scores: Sequence[int], *, beside: Sequence[int] = ()) -> Curve:
    """The curve of the scores after 0, 1, 2 ... actions, on a scale that the game ``beside`` fits too."""
    width = max(len(scores), len(beside), 2) - 1
    least, most = min(0, *scores, *beside), max(1, *scores, *beside)
    scale = (HEIGHT - 2 * MARGIN) / (most - least)

    def y(score: int) -> float:
        return round(MARGIN + (most - score) * scale, 1)

    path = [f"M0 {y(scores[0])}"]
    for step, (before, score) in enumerate(pairwise(scores), 1):
        if score != before:
            path.append(f"H{step}V{y(score)}")
    path.append(f"H{len(scores) - 1}")
    return Curve("".join(path), width, y(0), least, most)
