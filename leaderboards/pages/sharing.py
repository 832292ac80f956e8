"""What a page says of itself where its address is shared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import reverse


@dataclass(frozen=True, slots=True)
class Share:
    """The Open Graph properties of a page (https://ogp.me); addresses are absolute."""

    title: str
    description: str
    address: str
    picture: str

    @classmethod
    def of(cls, request: HttpRequest, *, title: str, description: str, picture: str, **where: Any) -> Share:
        """The page of the request, with the picture of that URL name and its arguments."""
        return cls(
            title,
            description,
            request.build_absolute_uri(request.path),
            request.build_absolute_uri(reverse(picture, kwargs=where)),
        )
