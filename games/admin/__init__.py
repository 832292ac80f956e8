"""The admin of what is played."""

from . import records, review
from .acting import ActingAdmin
from .challenges import ChallengeAdmin

__all__ = ["ActingAdmin", "ChallengeAdmin", "records", "review"]
