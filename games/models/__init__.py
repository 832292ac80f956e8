"""What is played: players, challenges, attempts, submissions; and what admins ask of the solver."""

from .attempt import Attempt
from .challenge import Challenge
from .player import Player, TokenLabel
from .search import Search
from .submission import Submission, SubmissionLog

__all__ = ["Attempt", "Challenge", "Player", "Search", "Submission", "SubmissionLog", "TokenLabel"]
