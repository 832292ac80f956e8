"""The API of submissions with their places."""

from __future__ import annotations

from typing import Any

import msgspec
from django.http import HttpRequest
from django.utils import timezone

from games.api.errors import not_found, unauthenticated
from games.api.lean import Answer, LeanView, credential_of, describe
from games.api.shapes import VerdictError, VerdictOut
from games.engine import Code
from leaderboards.models.final_rank import percentile
from leaderboards.services import submissions

from . import shapes


class SubmissionDetail(LeanView):
    """A submission of the caller's."""

    @describe(
        "A submission of the caller's own: state, verdict, places on both boards",
        answers={200: shapes.SubmissionOut},
        errors=[401, 404],
    )
    def get(self, request: HttpRequest, submission_id: int) -> Answer:
        caller_id, row = submissions.find_submission(
            credential=credential_of(request), submission_id=submission_id, now=timezone.now()
        )
        if caller_id is None:
            raise unauthenticated()
        if row is None:
            raise not_found("There is no such submission of yours.")
        return 200, submission_out(row)


def submission_out(row: dict[str, Any]) -> shapes.SubmissionOut:
    """What the API shows of a row of `find_submission`."""
    places = {board: _place(*place) for board, place in row["places"].items()}
    return shapes.SubmissionOut(
        id=row["id"],
        attempt=row["attempt"],
        challenge=row["challenge"],
        attempt_number=row["attempt_number"],
        state=row["state"],
        ranked=row["ranked"],
        disqualified=row["disqualification"] if row["is_disqualified"] else None,
        received_at=row["received_at"],
        elapsed=row["elapsed"] / 10,
        claimed_score=row["claimed_score"],
        verdict=_verdict_out(row) if row["rules_version"] is not None else None,
        best=places.get("best"),
        first=places.get("first"),
    )


def _verdict_out(row: dict[str, Any]) -> VerdictOut:
    # The statement is raw, so JSON arrives as it is stored.
    rejection = None if row["rejection"] is None else msgspec.json.decode(row["rejection"], type=VerdictError)
    figures = {name: row[name] for name in VerdictOut.__struct_fields__ if name not in ("code", "valid", "error")}
    return VerdictOut(code=str(Code(row["mode"], row["number"])), valid=rejection is None, error=rejection, **figures)


def _place(rank: int, total: int) -> shapes.PlaceOut:
    return shapes.PlaceOut(rank, total, percentile(rank, total))
