"""What is played: players, challenges, attempts, submissions; what admins ask of the solver, and what they do."""

from .attempt import Attempt
from .challenge import Challenge
from .moderation import ModerationAct
from .name_change import NameChange
from .player import Player, TokenLabel
from .reverification import Reverification
from .review import AddressSighting, ReviewedLog, ReviewFlag, ReviewJob
from .search import Search
from .submission import Submission, SubmissionLog

__all__ = [
    "AddressSighting",
    "Attempt",
    "Challenge",
    "ModerationAct",
    "NameChange",
    "Player",
    "Reverification",
    "ReviewFlag",
    "ReviewJob",
    "ReviewedLog",
    "Search",
    "Submission",
    "SubmissionLog",
    "TokenLabel",
]
