"""`python -m games.solver [forty_thieves|klondike]`: compile the kernels of both or one ahead of their first use."""

import sys

from . import forty_thieves, klondike

SOLVERS = {"forty_thieves": forty_thieves, "klondike": klondike}

for name in sys.argv[1:] or SOLVERS:
    SOLVERS[name].warm_up()
