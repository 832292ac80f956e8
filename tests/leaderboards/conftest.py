"""What tests of boards share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from games.models import Challenge
from leaderboards import stored_boards
from leaderboards.addresses import Address, challenge_boards
from leaderboards.services.standings import period_boards, push_groups, rebuild_board
from tests.conftest import ask_redis


@pytest.fixture(params=["redis", "postgresql"])
def source(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Call it after the players have their places: boards then come from the one source or the other alone."""

    def settle(*challenges: Challenge) -> None:
        if request.param == "redis":
            groups = [challenge_boards(challenge.pk) for challenge in challenges]
            groups += [board.group for board in period_boards()]
            assert push_groups(groups)
            for group in groups:
                for board in group.boards.values():
                    rebuild_board(board=board)
            for name in ("page", "around", "spread"):
                monkeypatch.setattr(stored_boards, name, _only_where_redis_has_none(getattr(stored_boards, name)))
        else:
            ask_redis(lambda redis: redis.flushall())
            monkeypatch.setattr("leaderboards.services.reading.wake", lambda *_: None)

    yield settle


def _only_where_redis_has_none(answer: Callable[..., Any]) -> Callable[..., Any]:
    def guarded(board: Address, *arguments: Any, **named: Any) -> Any:
        assert not ask_redis(lambda redis: redis.exists(board.redis_key)), f"{board} was asked of PostgreSQL"
        return answer(board, *arguments, **named)

    return guarded
