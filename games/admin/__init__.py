"""The admin of what is played."""

from . import records
from .challenges import ChallengeAdmin

__all__ = ["ChallengeAdmin", "records"]
