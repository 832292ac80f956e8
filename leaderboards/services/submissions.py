"""A submission as its player asks for it: state, verdict and places."""

from __future__ import annotations

import datetime
from typing import Any

from games.engine import FIGURES
from games.services.players import CALLER, Credential, renew_token
from games.statements import one_row
from leaderboards.addresses import ChallengeBoard

from .reading import read_ranks
from .standings import push_standings

_COLUMNS = {
    "caller_id": "caller.id",
    "expiry": "caller.expiry",
    "id": "submission.id",
    "attempt": "submission.attempt_id",
    "challenge": "submission.challenge_id",
    **{
        name: f"submission.{name}"
        for name in (
            *("attempt_number", "state", "ranked", "is_disqualified", "disqualification", "received_at", "elapsed"),
            *("claimed_score", *FIGURES, "rules_version"),
        )
    },
    # Text as it is stored, whoever reads it.
    "rejection": "submission.rejection::text",
    "mode": "challenge.mode",
    "number": "challenge.number",
    "best_key": "best.key",
    "first_key": "first.key",
    "is_pushed": "best.is_pushed AND coalesce(first.is_pushed, true)",
}

_FIND = f"""
SELECT {", ".join(_COLUMNS.values())}
FROM ({CALLER}) caller
LEFT JOIN games_submission submission ON submission.id = %(submission)s AND submission.player_id = caller.id
LEFT JOIN games_challenge challenge ON challenge.id = submission.challenge_id
LEFT JOIN leaderboards_standing best ON best.submission_id = submission.id AND best.board = 'best'
    AND challenge.cancelled_at IS NULL
LEFT JOIN leaderboards_standing first ON first.submission_id = submission.id AND first.board = 'first'
    AND challenge.cancelled_at IS NULL
"""


def find_submission(
    *, credential: Credential, submission_id: int, now: datetime.datetime
) -> tuple[int | None, dict[str, Any] | None]:
    """The caller, and the row of the submission if it is theirs, in one statement.

    Keys of the row: the submission's columns, ``mode``, ``number``, and ``places``: (rank, total) by board. A standing
    that Redis hasn't heard of is pushed first, so that whoever reads a board after this answer finds it there.
    """
    values = one_row(_FIND, {**credential.arguments(now), "submission": submission_id})
    if values is None:
        return None, None
    row = dict(zip(_COLUMNS, values, strict=True))
    renew_token(digest=credential.digest, expiry=row["expiry"], now=now)
    if row["id"] is None:
        return row["caller_id"], None
    if row["is_pushed"] is False:
        push_standings(challenge_ids=[row["challenge"]])
    keys = {board: row[f"{board}_key"] for board in ("best", "first") if row[f"{board}_key"] is not None}
    asked = [(ChallengeBoard(row["challenge"], board), key) for board, key in keys.items()]
    row["places"] = dict(zip(keys, read_ranks(asked), strict=True))
    return row["caller_id"], row
