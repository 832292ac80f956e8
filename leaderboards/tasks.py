"""Celery's side of `leaderboards`."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from games.wakeups import woken

from .addresses import parse_address
from .services.closing import close_dailies
from .services.standings import rebuild_board


@shared_task(name="leaderboards.rebuild", expires=60)
def rebuild(board: str) -> None:
    """Make one board in Redis anew."""
    woken(rebuild.name, board)
    rebuild_board(board=parse_address(board))


@shared_task(name="leaderboards.close", expires=300)
def close() -> None:
    """Rank the dailies finally that are over."""
    close_dailies(now=timezone.now())
