"""How hard a deal is: three bands, by how long the solver had to look for its first win.

The measure is the effort: positions looked at before the first win. It doesn't depend on the machine, since equal
searches take equal courses. The bands are the thirds of a sample, so a mode's dailies are easy, medium and hard about
equally often. What is hard for a search with full knowledge of the cards is mostly, not always, hard for a person.

The thirds come from ``manage.py solve_sample --mode MODE --count 200 --seconds 10 --seed 3``, which prints them.
"""

from __future__ import annotations

from typing import Literal

Difficulty = Literal["easy", "medium", "hard"]

#: By mode: the effort at which easy ends, and at which medium ends.
THIRDS: dict[str, tuple[int, int]] = {
    "ft-n": (23_508, 31_869),
    "kl-d1n": (252, 297),
    "kl-d3n": (546, 6_930),
    "kl-d1v": (26_666, 185_467),
    "kl-d3v": (452, 1_459),
}


def difficulty_of(mode: str, effort: int) -> Difficulty:
    """The band of a won deal whose first win took so many positions."""
    easy, medium = THIRDS[mode]
    return "easy" if effort <= easy else "medium" if effort <= medium else "hard"
