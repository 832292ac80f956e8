"""The content security policy, with its two exceptions."""

from __future__ import annotations

from typing import Any

from csp.middleware import CSPMiddleware
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from games.api.live_views import live_url

#: What other people's pages need: the admin's theme evaluates expressions, the API's page sets styles.
EXCEPTIONS: dict[str, dict[str, list[str]]] = {
    "/admin/": {
        "script-src": ["'self'", "'unsafe-inline'", "'unsafe-eval'"],
        "style-src": ["'self'", "'unsafe-inline'"],
    },
    "/api/v1/docs/": {"style-src": ["'self'", "'unsafe-inline'"]},
}


class PolicyMiddleware(CSPMiddleware):
    """Sends the policy of the settings, loosened for the addresses of `EXCEPTIONS` alone.

    Pages may also call the live service, which can have an origin of its own.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> Any:
        response._csp_update = _loosened(request, response)  # type: ignore[attr-defined]
        return super().process_response(request, response)


def _loosened(request: HttpRequest, response: HttpResponseBase) -> dict[str, list[str]]:
    for prefix, directives in EXCEPTIONS.items():
        if request.path_info.startswith(prefix):
            return directives
    if response.headers.get("Content-Type", "").startswith("text/html"):
        return {"connect-src": ["'self'", live_url(request)]}
    return {}
