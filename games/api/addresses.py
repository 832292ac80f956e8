"""Where a call comes from."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str:
    """The address of the client, as the first of our own ``QV_PROXIES`` proxies saw it.

    What stands further left in X-Forwarded-For the client may have written itself. Who comes past the proxies is known
    by the address of the connection; behind a socket file that is empty.
    """
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")
    if settings.QV_PROXIES and len(forwarded) >= settings.QV_PROXIES and forwarded[-settings.QV_PROXIES].strip():
        return str(forwarded[-settings.QV_PROXIES].strip())
    return str(request.META.get("REMOTE_ADDR", ""))
