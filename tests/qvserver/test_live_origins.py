"""Whose pages may read what the live service answers."""

from __future__ import annotations

import pytest
from django.test import RequestFactory

from qvserver.live.origins import is_own_page


def is_allowed(rf: RequestFactory, origin: str, host: str) -> bool:
    return is_own_page(None, rf.get("/live/events/", headers={"origin": origin, "host": host}))


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("http://127.0.0.1:8000", "127.0.0.1:8001"),
        ("https://example.org", "example.org"),
        ("http://[::1]:1", "[::1]:2"),
    ],
)
def test_pages_of_the_same_host_may_read_answers(rf: RequestFactory, origin: str, host: str) -> None:
    assert is_allowed(rf, origin, host)


@pytest.mark.parametrize("origin", ["https://example.com", "https://a.example.org", "null", "", "http://[", "x"])
def test_other_pages_may_not(rf: RequestFactory, origin: str) -> None:
    assert not is_allowed(rf, origin, "example.org:8001")
