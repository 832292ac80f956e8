"""`python -m games.solver`: compile the kernels ahead of their first use.

In the other order than `warm_up`, so that a worker which starts at the same time meets this half-way.
"""

from . import forty_thieves, klondike

klondike.warm_up()
forty_thieves.warm_up()
