"""What the machinery around the server asks: whether it lives, whether it can do its work, its metrics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse

from . import metrics
from .state import read_state


class ProbeMiddleware:
    """Answers what the machinery asks, before anything else does: probes know neither our host name nor TLS."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        probe = PROBES.get(request.path_info)
        return self.get_response(request) if probe is None else probe(request)


def _healthz(request: HttpRequest) -> HttpResponse:
    """The process answers."""
    return HttpResponse("ok", content_type="text/plain")


def _readyz(request: HttpRequest) -> HttpResponse:
    """The parts that the server needs: 200 when all are at work, else 503.

    Missing dailies are named and don't make the process unready: another one would miss them too.
    """
    try:
        state = read_state()
    except DatabaseError:
        return JsonResponse({"database": False}, status=503)
    parts: dict[str, Any] = {
        "database": True,
        "redis": state.workers is not None,
        "workers": state.workers,
        "queue": {"depth": state.depth, "age_seconds": state.age.total_seconds()},
        "missing_dailies": [str(slot) for slot in state.missing],
    }
    return JsonResponse(parts, status=200 if state.is_ready else 503)


def _metrics(request: HttpRequest) -> HttpResponse:
    """For Prometheus alone; to others there is nothing here."""
    if not metrics.may_read(request.META):
        return HttpResponse("Not found.", status=404, content_type="text/plain")
    return HttpResponse(metrics.page(with_database=True), content_type=metrics.CONTENT_TYPE)


PROBES = {"/healthz": _healthz, "/readyz": _readyz, "/metrics": _metrics}
