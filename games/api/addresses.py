"""Where a call comes from."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str:
    """The address of the client: with `QV_PROXIES` proxies in front, the one that the outermost of them saw.

    What stands further left in X-Forwarded-For the client may have written itself.
    """
    if settings.QV_PROXIES:
        seen = [part.strip() for part in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")]
        return seen[-settings.QV_PROXIES] if len(seen) >= settings.QV_PROXIES else ""
    return str(request.META.get("REMOTE_ADDR", ""))
