"""A month of a mode's dailies with what a player did in them."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from django.db.models import Min

from games.models import Challenge
from games.services.challenges import own_states
from leaderboards.models import ClosedDaily, FinalRank, Standing
from leaderboards.models.final_rank import medal
from leaderboards.periods import Period, last_day
from leaderboards.ranking import Result, unpack
from leaderboards.streaks import Month, Streak, months, streak

from .statistics import days_played


@dataclass(frozen=True, slots=True)
class Final:
    """The final rank in a daily that is over. ``medal`` is the share (1, 3 or 10 per cent) that it is in."""

    rank: int
    players: int

    @property
    def medal(self) -> int | None:
        """The share that the rank is in, None outside of them."""
        return medal(self.rank, self.players)


@dataclass(frozen=True, slots=True)
class DayOfMonth:
    """A daily, and the player's best game at it: ``submission_id`` and ``result``; ``has_begun`` without one too."""

    challenge: Challenge
    is_over: bool
    has_begun: bool = False
    submission_id: int | None = None
    result: Result | None = None
    final: Final | None = None


@dataclass(frozen=True, slots=True)
class MonthOfMode:
    """The days of a month that have a daily, and how regularly the player plays (any mode); ``first`` is its 1st.

    ``earliest`` is the month of the mode's first daily; ``regularity`` is None for nobody.
    """

    first: datetime.date
    earliest: datetime.date
    days: dict[datetime.date, DayOfMonth]
    days_in_a_row: Streak | None
    regularity: Month | None


def read_month(*, mode: str, first: datetime.date, player_id: int | None, now: datetime.datetime) -> MonthOfMode:
    """The month that begins on a UTC date."""
    dailies = Challenge.objects.visible(now).filter(mode=mode, date__isnull=False).defer("winning_log")
    challenges = list(dailies.filter(date__range=(first, last_day(Period.MONTH, first))).order_by("date"))
    earliest = dailies.aggregate(first=Min("date"))["first"] or first
    own = _own_days(challenges, player_id, now)
    days = {challenge.date: own[challenge.pk] for challenge in challenges if challenge.date}
    in_a_row, regularity = _regularity(first, player_id, now.astimezone(datetime.UTC).date())
    return MonthOfMode(first, earliest.replace(day=1), days, in_a_row, regularity)


def _own_days(challenges: list[Challenge], player_id: int | None, now: datetime.datetime) -> dict[int, DayOfMonth]:
    if player_id is None:
        return {challenge.pk: DayOfMonth(challenge, challenge.is_over(now)) for challenge in challenges}
    ids = [challenge.pk for challenge in challenges]
    standings = Standing.objects.filter(player_id=player_id, challenge_id__in=ids, board="best")
    best = {standing.challenge_id: standing for standing in standings}
    begun = own_states(player_id=player_id, challenges=challenges)
    finals = _finals(player_id, ids)
    found = {}
    for challenge in challenges:
        standing = best.get(challenge.pk)
        found[challenge.pk] = DayOfMonth(
            challenge,
            challenge.is_over(now),
            challenge.pk in begun,
            None if standing is None else standing.submission_id,
            None if standing is None else unpack(standing.key or 0),
            finals.get(challenge.pk),
        )
    return found


def _finals(player_id: int, challenge_ids: list[int]) -> dict[int, Final]:
    players = dict(ClosedDaily.objects.filter(challenge_id__in=challenge_ids).values_list("challenge_id", "players"))
    ranks = FinalRank.objects.filter(player_id=player_id, challenge_id__in=challenge_ids)
    return {pk: Final(rank, players[pk]) for pk, rank in ranks.values_list("challenge_id", "rank")}


def _regularity(
    first: datetime.date, player_id: int | None, today: datetime.date
) -> tuple[Streak | None, Month | None]:
    if player_id is None:
        return None, None
    played = days_played(player_id=player_id)
    this = [month for month in months(played) if month.first_day == first]
    return streak(played, today=today), this[0] if this else Month(first, 0, 0)
