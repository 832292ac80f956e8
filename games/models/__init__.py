"""What is played: players, challenges, attempts, submissions; what admins ask of the solver, and what they do."""

from .attempt import Attempt
from .challenge import Challenge
from .moderation import ModerationAct
from .player import Player
from .reverification import Reverification
from .search import Search
from .submission import Submission, SubmissionLog

__all__ = [
    "Attempt",
    "Challenge",
    "ModerationAct",
    "Player",
    "Reverification",
    "Search",
    "Submission",
    "SubmissionLog",
]
