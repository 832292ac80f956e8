"""What the API says of the live service: where it is, and a ticket to it."""

from __future__ import annotations

import datetime
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone

from games.services.tickets import TICKET_LIFE, make_ticket

from . import shapes
from .lean import Answer, LeanView, caller_of, describe


class LiveTicket(LeanView):
    """Tickets to the live service."""

    @describe(
        "A ticket to the live service, for a browser's EventSource, which sends no headers",
        answers={201: shapes.TicketOut},
        errors=[401],
        description="Open `{live_url}/live/events/?ticket=...` or `{live_url}/live/submissions/{id}/?ticket=...` with"
        " it within a minute (`live_url` is in `GET /api/v1/`). The token itself never belongs into an address. An open"
        " stream outlives its ticket; to open it again, ask for another one.",
    )
    def post(self, request: HttpRequest) -> Answer:
        caller = caller_of(request)
        expires_at = timezone.now() + datetime.timedelta(seconds=TICKET_LIFE)
        return 201, shapes.TicketOut(make_ticket(player_id=caller.id), expires_at)


def live_url(request: HttpRequest) -> str:
    """The origin of the live service for the client of this request (``QV_LIVE_URL``)."""
    setting: str = settings.QV_LIVE_URL
    if setting and not setting.startswith(":"):
        return setting.rstrip("/")
    host = request.get_host()
    if setting:
        name = urlsplit(f"//{host}").hostname or ""
        host = (f"[{name}]" if ":" in name else name) + setting
    return f"{request.scheme}://{host}"
