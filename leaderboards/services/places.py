"""Where a player's own games stand, for pages that show some challenges together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from leaderboards.addresses import ChallengeBoard
from leaderboards.models import Standing
from leaderboards.models.final_rank import percentile
from leaderboards.ranking import Result, unpack

from .reading import read_ranks
from .standings import push_standings

#: Below every key: nobody stands above it, so that its rank tells nothing and its total all.
_BELOW_ALL = 0


@dataclass(frozen=True, slots=True)
class Place:
    """A rank on a board of ``total`` players, and the submission that gives it."""

    submission_id: int
    rank: int
    total: int
    result: Result

    @property
    def percentile(self) -> float:
        """Of 100 other players so many don't stand above."""
        return percentile(self.rank, self.total)


def places_of_player(*, player_id: int, challenge_ids: Sequence[int]) -> dict[int, dict[str, Place]]:
    """A player's places by challenge and board."""
    tell_redis(challenge_ids=challenge_ids)
    standings = list(Standing.objects.filter(player_id=player_id, challenge_id__in=challenge_ids))
    found: dict[int, dict[str, Place]] = {challenge_id: {} for challenge_id in challenge_ids}
    for standing, place in zip(standings, _places(standings), strict=True):
        found[standing.challenge_id][standing.board] = place
    return found


def places_of_submission(*, submission_id: int, challenge_id: int) -> dict[str, Place]:
    """The places that one submission gives, by board."""
    tell_redis(challenge_ids=[challenge_id])
    standings = list(Standing.objects.filter(submission_id=submission_id))
    return {standing.board: place for standing, place in zip(standings, _places(standings), strict=True)}


def count_players(*, challenge_ids: Sequence[int]) -> dict[int, int]:
    """How many stand on the `best` board of each challenge."""
    tell_redis(challenge_ids=challenge_ids)
    ranks = read_ranks([(ChallengeBoard(challenge_id, "best"), _BELOW_ALL) for challenge_id in challenge_ids])
    return {challenge_id: total for challenge_id, (_, total) in zip(challenge_ids, ranks, strict=True)}


def tell_redis(*, challenge_ids: Iterable[int]) -> None:
    """Tell Redis of what it hasn't heard of these boards, so that whoever reads after a verdict sees it."""
    unheard = Standing.rows.filter(challenge_id__in=list(challenge_ids), is_pushed=False)
    push_standings(challenge_ids=set(unheard.values_list("challenge_id", flat=True)))


def _places(standings: Sequence[Standing]) -> list[Place]:
    keys = [(ChallengeBoard(standing.challenge_id, standing.board), standing.key or 0) for standing in standings]
    return [
        Place(standing.submission_id or 0, rank, total, unpack(key))
        for standing, (_, key), (rank, total) in zip(standings, keys, read_ranks(keys), strict=True)
    ]
