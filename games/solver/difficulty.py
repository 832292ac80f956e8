"""How hard a deal is: three bands, by how long the solver had to look for its first win.

The measure is the effort: positions looked at before the first win. It doesn't depend on the machine, since equal
searches take equal courses. The bands are the thirds of a sample, so a mode's dailies are easy, medium and hard about
equally often. What is hard for a search with full knowledge of the cards is mostly, not always, hard for a person.

The thirds are those of the wins in the README's table of the solver; ``manage.py solve_sample`` prints them. There were
three wins alone of draw 3, Vegas.
"""

from __future__ import annotations

from typing import Literal

Difficulty = Literal["easy", "medium", "hard"]

#: By mode: the effort at which easy ends, and at which medium ends.
THIRDS: dict[str, tuple[int, int]] = {
    "ft-n": (24_768, 67_527),
    "kl-d1n": (264, 416),
    "kl-d3n": (512, 1_681),
    "kl-d1v": (23_879, 109_905),
    "kl-d3v": (2_915, 5_017),
}


def difficulty_of(mode: str, effort: int) -> Difficulty:
    """The band of a won deal whose first win took so many positions."""
    easy, medium = THIRDS[mode]
    return "easy" if effort <= easy else "medium" if effort <= medium else "hard"
