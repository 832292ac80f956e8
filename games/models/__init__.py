"""What is played: players, challenges, attempts, submissions."""

from .attempt import Attempt
from .challenge import Challenge
from .player import Player
from .submission import Submission, SubmissionLog

__all__ = ["Attempt", "Challenge", "Player", "Submission", "SubmissionLog"]
