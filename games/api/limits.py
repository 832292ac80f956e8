"""How often a caller may call: windows, counted for each token and each address (`games.api.tallies`).

While Redis is away nobody is refused. Addresses are kept nowhere else, and there for one window.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import lru_cache

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from limits import RateLimitItem, parse

from games import redis_keys
from games.services.players import token_digest
from games.services.sightings import household

from .addresses import client_address
from .errors import ApiError
from .tallies import Tallies

tallies = Tallies()


@dataclass(frozen=True, slots=True)
class Window:
    """What is left of a limit in the window that runs: ``left`` calls, for ``seconds`` more."""

    scope: str
    limit: RateLimitItem
    left: int
    seconds: int

    @property
    def headers(self) -> dict[str, str]:
        """As the IETF's draft of RateLimit headers has them."""
        return {
            "RateLimit-Policy": f'"{self.scope}";q={self.limit.amount};w={self.limit.get_expiry()}',
            "RateLimit": f'"{self.scope}";r={max(0, self.left)};t={self.seconds}',
        }


def count_call(request: HttpRequest, scope: str) -> Window | None:
    """Count a call against the limits of its scope; returns the one that is nearest to its end.

    Raises the 429 that says when to try again. None where nothing is limited.
    """
    address = client_address(request)
    if address in settings.QV_RATE_EXEMPT:
        return None
    per_token, per_address = _rates(settings.QV_RATES).get(scope, (None, None))
    windows = []
    if per_token is not None and (header := request.META.get("HTTP_AUTHORIZATION")):
        windows.append(_hit(scope, per_token, "token", token_digest(header)[:32]))
    # A server behind a socket file knows no address.
    if per_address is not None and address:
        windows.append(_hit(scope, per_address, "address", str(household(address) or address[:64])))
    nearest = min((window for window in windows if window), key=lambda window: window.left, default=None)
    if nearest is not None and nearest.left < 0:
        raise too_many(nearest)
    return nearest


def too_many(window: Window) -> ApiError:
    """The 429 of a limit that is used up."""
    error = ApiError(
        429,
        "too_many_calls",
        f"Too many calls: the limit is {window.limit}. Try again in {window.seconds} s.",
        retry_after=window.seconds,
    )
    error.headers = {**window.headers, "Retry-After": str(window.seconds)}
    return error


def add_headers(response: HttpResponseBase, window: Window | None) -> HttpResponseBase:
    """Tell the caller what is left."""
    for name, value in (window.headers if window else {}).items():
        response[name] = value
    return response


def _hit(scope: str, limit: RateLimitItem, kind: str, who: str) -> Window | None:
    length = limit.get_expiry()
    number, passed = divmod(int(time.time()), length)
    key = redis_keys.limit(scope, kind, who, number)
    count = tallies.count(key, limit=limit.amount, ends_at=(number + 1) * length)
    return None if count is None else Window(scope, limit, limit.amount - count, length - passed)


@lru_cache(maxsize=1)
def _rates(text: str) -> dict[str, tuple[RateLimitItem | None, RateLimitItem | None]]:
    """The limits by scope: for each token, and for each address."""
    rates = {}
    for entry in text.split():
        scope, *pair = entry.split(":")
        per_token, per_address = (None if rate == "-" else parse(rate) for rate in pair)
        rates[scope] = (per_token, per_address)
    return rates
