"""What is compared."""

from .final_rank import ClosedDaily, FinalRank
from .period_standing import PeriodStanding
from .standing import Standing

__all__ = ["ClosedDaily", "FinalRank", "PeriodStanding", "Standing"]
