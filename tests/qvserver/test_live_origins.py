"""Whose pages may read what the live service answers."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from qvserver.live.origins import allow_own_pages


def headers_of(origin: str, host: str) -> dict[bytes, bytes]:
    """The headers that an answer gets."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"headers": [(b"origin", origin.encode()), (b"host", host.encode())]}
    start = {"type": "http.response.start", "status": 200, "headers": []}
    asyncio.run(allow_own_pages(scope, send)(start))
    return dict(sent[0]["headers"])


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("http://127.0.0.1:8000", "127.0.0.1:8001"),
        ("https://example.org", "example.org"),
        ("http://[::1]:1", "[::1]:2"),
    ],
)
def test_pages_of_the_same_host_may_read_answers(origin: str, host: str) -> None:
    assert headers_of(origin, host)[b"access-control-allow-origin"] == origin.encode()


@pytest.mark.parametrize("origin", ["https://example.com", "https://a.example.org", "null", "", "http://[", "x"])
def test_other_pages_may_not(origin: str) -> None:
    assert headers_of(origin, "example.org:8001") == {}
