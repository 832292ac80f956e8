"""``/healthz`` and ``/metrics`` of a worker or the beat, at the port ``QV_WORKER_PORT``: they have no other."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

from . import metrics


def serve(port: int, is_well: Callable[[], bool]) -> None:
    """Answer ``/healthz`` and ``/metrics`` at a port, in a thread."""

    def answer(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        path = environ["PATH_INFO"]
        status, content_type, body = "404 Not Found", "text/plain", b"Not found."
        if path == "/healthz":
            status, body = ("200 OK", b"ok") if is_well() else ("503 Service Unavailable", b"nothing heard for long")
        elif path == "/metrics" and metrics.may_read(environ):
            status, content_type, body = "200 OK", metrics.CONTENT_TYPE, metrics.page(with_database=False)
        start_response(status, [("Content-Type", content_type), ("Content-Length", str(len(body)))])
        return [body]

    server = make_server("", port, answer, handler_class=_Quiet)
    threading.Thread(target=server.serve_forever, name="vitals", daemon=True).start()


class _Quiet(WSGIRequestHandler):
    """Writes no line for each probe."""

    def log_message(self, *_: Any) -> None:
        """Nothing."""
