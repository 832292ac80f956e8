"""Whose pages may read what the live service answers, beside those that the settings name."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from django.http import HttpRequest


def is_own_page(sender: Any, request: HttpRequest, **_: Any) -> bool:
    """Whether a page of the same host asks: the web may be another port of it.

    No answer of the live service depends on a cookie, so nothing is given away.
    """
    return _host(request.headers.get("Origin", "")) == _host("//" + request.headers.get("Host", "")) is not None


def _host(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None
