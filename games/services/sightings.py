"""From which address an attempt was begun, kept as a keyed hash and for a short time alone."""

from __future__ import annotations

import datetime
import hashlib
import hmac
import ipaddress
import uuid
from functools import lru_cache

from django.conf import settings

from games.models import AddressSighting


@lru_cache(maxsize=4096)
def household(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Who shares an address: of IPv6 its network (/64), where everybody has as many as they like; None for no address.

    >>> str(household("2001:db8::1")), str(household("::ffff:192.0.2.1"))
    ('2001:db8::', '192.0.2.1')
    """
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return None
    if isinstance(parsed, ipaddress.IPv6Address):
        return parsed.ipv4_mapped or ipaddress.IPv6Address(int(parsed) >> 64 << 64)
    return parsed


def address_digest(address: str) -> uuid.UUID | None:
    """What is kept of an address: a hash under the server's key, from which nobody else can tell the address.

    Of IPv6 the network of a household (/64) counts. None for what is no address, or the machine's own.

    >>> address_digest("unix:"), address_digest("127.0.0.1")
    (None, None)
    """
    parsed = household(address)
    if parsed is None or parsed.is_loopback or parsed.is_unspecified:
        return None
    digest = hmac.digest(settings.SECRET_KEY.encode(), b"address " + parsed.packed, hashlib.sha256)
    return uuid.UUID(bytes=digest[:16])


def forget_addresses(*, now: datetime.datetime) -> int:
    """Delete what is older than it may be; returns how many rows that were. Safe to repeat."""
    return AddressSighting.objects.filter(seen_at__lt=now - settings.QV_ADDRESS_RETENTION).delete()[0]
