"""Search with full knowledge of the cards. Whatever it claims to win is replayed by the engine before it is returned.

>>> from games.engine import Deal
>>> from games.solver import solve
>>> solve(Deal.parse("KL1-D1N-AAAAAAA"), seconds=10).outcome  # doctest: +SKIP
'won'
"""

from .solution import VERSION, Solution, solve, warm_up

__all__ = ["VERSION", "Solution", "solve", "warm_up"]
