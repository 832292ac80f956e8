"""Celery's side of `leaderboards`."""

from __future__ import annotations

from celery import shared_task

from games.wakeups import woken

from .services.standings import rebuild_board


@shared_task(name="leaderboards.rebuild", expires=60)
def rebuild(challenge_id: int, board: str) -> None:
    """Make one board in Redis anew."""
    woken(rebuild.name, challenge_id, board)
    rebuild_board(challenge_id=challenge_id, board=board)
