"""What is compared."""

from .period_standing import PeriodStanding
from .standing import Standing

__all__ = ["PeriodStanding", "Standing"]
