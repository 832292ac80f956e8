"""The API of reports."""

from __future__ import annotations

from django.http import HttpRequest
from django.utils import timezone

from games.services.review import report_player

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
