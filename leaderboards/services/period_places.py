"""Where a player stands in the present week, the present month and over all time, in all modes at once."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from django.db.models import Q

from leaderboards.addresses import PeriodBoard
from leaderboards.models import PeriodStanding
from leaderboards.periods import Period, first_day

from .reading import read_ranks
from .standings import push_groups


@dataclass(frozen=True, slots=True)
class PeriodPlace:
    """A rank on a board of ``total`` players."""

    mode: str
    period: str
    rank: int
    total: int


def period_places(*, player_id: int, today: datetime.date) -> list[PeriodPlace]:
    """The player's places on the boards of the periods that a date falls into, by mode and then week, month, all."""
    now_running = Q()
    for period in Period.values:
        now_running |= Q(period=period, starts_on=first_day(period, today))
    standings = PeriodStanding.objects.filter(now_running, player_id=player_id, played__gt=0)
    keys = {PeriodBoard(one.mode, one.period, one.starts_on): int(one.key) for one in standings}
    _tell_redis(set(keys))
    order = sorted(keys, key=lambda board: (board.mode, Period.values.index(board.period)))
    ranks = read_ranks([(board, keys[board]) for board in order])
    return [PeriodPlace(board.mode, board.period, *place) for board, place in zip(order, ranks, strict=True)]


def _tell_redis(boards: set[PeriodBoard]) -> None:
    """Tell Redis of what it hasn't heard of these boards, as every read does."""
    unheard = PeriodStanding.objects.filter(is_pushed=False, mode__in={board.mode for board in boards})
    rows = unheard.values_list("mode", "period", "starts_on").distinct()
    push_groups([board.group for board in {PeriodBoard(*row) for row in rows} & boards])
