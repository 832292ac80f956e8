"""What tests of pages share: a day, and visitors."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import unescape
from typing import Any

import pytest
import time_machine
from django.test import Client

from games.models import Player
from tests.conftest import utc


@pytest.fixture
def sunday() -> Iterator[None]:
    """Sunday, 29 March 2026, noon in UTC."""
    with time_machine.travel(utc("2026-03-29T12:00:00"), tick=True):
        yield


Visit = Callable[[str], Client]


@pytest.fixture
def visit(db: None) -> Visit:
    """Makes the browser of a player, who is made on first use."""

    def browser_of(name: str) -> Client:
        player, _ = Player.objects.get_or_create(name=name, defaults={"is_guest": False})
        client = Client()
        client.force_login(player)
        return client

    return browser_of


def text_of(answer: Any) -> str:
    """What a person reads on a page, without its scripts."""
    content = re.sub(r"<script.*?</script>", "", answer.content.decode(), flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", content)).split())


def rows_of(answer: Any) -> list[tuple[str, str]]:
    """Rank and name of each line of a board's table."""
    return re.findall(r'<td class="number rank">([\d,]+)</td>.*?title="([^"]+)"', answer.content.decode(), re.DOTALL)


def links_of(answer: Any) -> list[str]:
    """All addresses that a page leads to."""
    return [unescape(link) for link in re.findall(r'<a [^>]*href="([^"]*)"', answer.content.decode())]


def the_link(answer: Any, rel: str) -> str | None:
    """The address of the pager's link ``next`` or ``prev``."""
    pager = re.search(r'<nav class="pager".*?</nav>', answer.content.decode(), re.DOTALL)
    found = re.search(rf'rel="{rel}" href="([^"]*)"', pager[0]) if pager else None
    return unescape(found[1]) if found else None
