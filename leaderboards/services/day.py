"""The day as its page shows it: what is open, what the visitor has done in it, and how yesterday went."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, field

from games.models import Challenge, Submission
from games.services import calendar
from games.services.challenges import Own, list_today, own_states
from leaderboards.addresses import ChallengeBoard
from leaderboards.streaks import Streak, streak

from .lines import Line
from .places import Place, count_players, places_of_player
from .reading import read_page
from .statistics import days_played

#: So many lines of yesterday's boards.
WINNERS = 3


@dataclass(frozen=True, slots=True)
class Tile:
    """A challenge with what the visitor has done in it: ``latest`` is the last submission, as (number, state)."""

    challenge: Challenge
    players: int
    own: Own = field(default_factory=Own)
    latest: tuple[int, str] | None = None
    places: dict[str, Place] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Winners:
    """The first lines of a daily that is over, and the visitor's own place."""

    challenge: Challenge
    lines: Sequence[Line]
    players: int
    own: Place | None


@dataclass(frozen=True, slots=True)
class Visit:
    """How regularly the visitor plays."""

    days: Streak
    has_played_today: bool
    has_ever_played: bool


@dataclass(frozen=True, slots=True)
class Today:
    """A UTC date. ``missing`` are the modes without a daily; ``yesterday`` is empty until it is over."""

    date: datetime.date
    closes_at: datetime.datetime
    dailies: list[Tile]
    events: list[Tile]
    missing: list[str]
    yesterday: list[Winners]
    is_yesterday_over: bool
    visit: Visit | None


def read_today(*, player_id: int | None, now: datetime.datetime) -> Today:
    """The day at a moment, as the player sees it, or somebody unknown."""
    date = now.astimezone(datetime.UTC).date()
    tiles = read_tiles(challenges=list_today(now=now), player_id=player_id)
    before = Challenge.objects.visible(now).filter(date=date - datetime.timedelta(days=1))
    yesterday = list(before.defer("winning_log").order_by("mode"))
    over = [challenge for challenge in yesterday if challenge.is_over(now)]
    return Today(
        date=date,
        closes_at=datetime.datetime.combine(date + datetime.timedelta(days=1), datetime.time(), datetime.UTC),
        dailies=[tile for tile in tiles if tile.challenge.date],
        events=[tile for tile in tiles if not tile.challenge.date],
        missing=[slot.mode for slot in calendar.missing_dailies(today=date, days=1)],
        yesterday=_winners(over, player_id),
        is_yesterday_over=len(over) == len(yesterday),
        visit=None if player_id is None else _visit(player_id, date),
    )


def read_tiles(*, challenges: Sequence[Challenge], player_id: int | None) -> list[Tile]:
    """Challenges with what the player has done in each."""
    ids = [challenge.pk for challenge in challenges]
    players = count_players(challenge_ids=ids)
    if player_id is None:
        return [Tile(challenge, players[challenge.pk]) for challenge in challenges]
    own = own_states(player_id=player_id, challenges=challenges)
    latest = _latest(player_id, ids)
    places = places_of_player(player_id=player_id, challenge_ids=ids)
    return [
        Tile(challenge, players[pk], own.get(pk, Own()), latest.get(pk), places[pk])
        for challenge, pk in zip(challenges, ids, strict=True)
    ]


def _latest(player_id: int, challenge_ids: Sequence[int]) -> dict[int, tuple[int, str]]:
    found = Submission.objects.filter(player_id=player_id, challenge_id__in=challenge_ids)
    rows = found.order_by("challenge_id", "-id").distinct("challenge_id").values_list("challenge_id", "id", "state")
    return {challenge_id: (submission_id, state) for challenge_id, submission_id, state in rows}


def _winners(challenges: Sequence[Challenge], player_id: int | None) -> list[Winners]:
    ids = [challenge.pk for challenge in challenges]
    own = {} if player_id is None else places_of_player(player_id=player_id, challenge_ids=ids)
    found = []
    for challenge in challenges:
        page = read_page(board=ChallengeBoard(challenge.pk, "best"), own=None, after=None, limit=WINNERS)
        found.append(Winners(challenge, page.lines, page.total, own.get(challenge.pk, {}).get("best")))
    return found


def _visit(player_id: int, today: datetime.date) -> Visit:
    played = days_played(player_id=player_id)
    return Visit(streak(played, today=today), today in played, Submission.objects.filter(player_id=player_id).exists())
