"""The API of reports and disputes."""

from __future__ import annotations

from django.http import HttpRequest
from django.utils import timezone

from games.services.review import dispute_verdict, report_player

from . import shapes
from .lean import Answer, LeanView, caller_of, describe, read_body


class Report(LeanView):
    """Reporting a player."""

    @describe(
        "Report a player to the moderators",
        description="One open report of each player is kept of the same caller: reporting again changes nothing.",
        body=shapes.ReportIn,
        answers={202: shapes.ReportOut},
        errors=[400, 401, 403, 404],
    )
    def post(self, request: HttpRequest, name: str) -> Answer:
        caller = caller_of(request)
        reason = read_body(request, shapes.ReportIn).reason
        player = report_player(reporter_id=caller.id, name=name, reason=reason, now=timezone.now())
        return 202, shapes.ReportOut(player.name, "open")


class Dispute(LeanView):
    """Disputing a verdict."""

    @describe(
        "Ask the moderators to look at a rejected submission of one's own",
        description="For players whose client let them make a move that the rules refuse here. Once is enough.",
        answers={202: shapes.DisputeOut},
        errors=[401, 403, 404],
    )
    def post(self, request: HttpRequest, submission_id: int) -> Answer:
        dispute_verdict(player_id=caller_of(request).id, submission_id=submission_id, now=timezone.now())
        return 202, shapes.DisputeOut(submission_id, "open")
