"""What is compared."""

from .club import Club, ClubRenaming, Membership
from .final_rank import ClosedDaily, FinalRank
from .pending_recount import PendingRecount
from .period_standing import PeriodStanding
from .standing import Standing

__all__ = [
    "ClosedDaily",
    "Club",
    "ClubRenaming",
    "FinalRank",
    "Membership",
    "PendingRecount",
    "PeriodStanding",
    "Standing",
]
