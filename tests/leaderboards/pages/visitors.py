"""Visitors of pages: a browser with a player's session, and what it gets to see."""

from __future__ import annotations

import html
import re

from django.test import Client
from django.utils import timezone

from games.models import Player
from games.services.moderation import ban_player


def visitor(name: str = "") -> Client:
    """A browser with the session of the player of that name, or without one."""
    client = Client()
    if name:
        client.force_login(Player.objects.get(name=name))
    return client


def page(client: Client, path: str, *, status: int = 200, **headers: str) -> str:
    """The page's source."""
    answer = client.get(path, headers=headers)
    assert answer.status_code == status, answer.status_code
    return answer.content.decode()


def words(source: str) -> str:
    """What the page says: its text without markup, spaces single."""
    content = re.search(r"<main.*</main>", source, re.DOTALL)
    assert content
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", content[0])).split())


def ban(name: str) -> None:
    """The player of that name is banned for good."""
    boss = Player.objects.create(name="boss", is_staff=True)
    player = Player.objects.get(name=name)
    ban_player(player_id=player.pk, reason="bot", until=None, now=timezone.now(), by=boss)
