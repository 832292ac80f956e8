"""Every key that this project writes to Redis, named in one place."""

from __future__ import annotations

from django.conf import settings


def wake_flag(task: str, arguments: tuple[int | str, ...]) -> str:
    """Set while a wake-up for the task is on its way: a dead worker doesn't find thousands of them."""
    return f"{settings.QV_REDIS_PREFIX}:wake:{':'.join(map(str, (task, *arguments)))}"


def proving_claim(what: str) -> str:
    """Set while a solver searches for that: another one takes up something else."""
    return f"{settings.QV_REDIS_PREFIX}:proving:{what}"


def alive() -> str:
    """The sorted set of the workers and the beat that have been heard lately."""
    return f"{settings.QV_REDIS_PREFIX}:alive"


def limit(scope: str, kind: str, who: str, window: int) -> str:
    """How often a token or an address has called in a window, counted from 1970 in the windows' length."""
    return f"{settings.QV_REDIS_PREFIX}:limit:{scope}:{kind}:{who}:{window}"


def live_stream() -> str:
    """The stream of all that is announced to the live service."""
    return f"{settings.QV_REDIS_PREFIX}:live"


def opening_flag(challenge_id: int) -> str:
    """Set once it is announced that a challenge has opened: of many live processes one does."""
    return f"{settings.QV_REDIS_PREFIX}:live:opened:{challenge_id}"


def challenge_board(challenge_id: int, board: str) -> str:
    """The sorted set of one board of a challenge."""
    return f"{settings.QV_REDIS_PREFIX}:board:{challenge_id}:{board}"


def period_board(mode: str, period: str, starts_on: str) -> str:
    """The sorted set of the board of a mode over a week, a month or all time."""
    return f"{settings.QV_REDIS_PREFIX}:board:{mode}:{period}:{starts_on}"
