"""Which language a page speaks."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from games.models import Player


def spoken(client: Client, **headers: str) -> str:
    """The language of the page for an address where nothing is."""
    answer = client.get("/nowhere/", headers=headers)
    assert answer.status_code == 404
    return str(answer.headers["Content-Language"])


def test_the_browser_says_which_language() -> None:
    assert spoken(Client(), accept_language="fi,en;q=0.5") == "fi"
    assert spoken(Client(), accept_language="xx") == "en"


def test_a_choice_is_kept_in_a_cookie() -> None:
    client = Client()
    answer = client.post("/language/", {"language": "ms", "next": "/rules/?a=1"})
    assert (answer.status_code, answer.headers["Location"]) == (302, "/rules/?a=1")
    assert spoken(client, accept_language="fi") == "ms"


@pytest.mark.django_db
def test_the_account_keeps_the_choice_and_wins_over_the_cookie() -> None:
    alice = Player.objects.create(name="Alice")
    client = Client()
    client.force_login(alice)
    client.post("/language/", {"language": "fr", "next": "/"})
    alice.refresh_from_db()
    assert alice.settings == {"language": "fr"}
    client.cookies["django_language"] = "fi"
    assert spoken(client) == "fr"


@pytest.mark.parametrize("page", ["https://elsewhere.example/", "//elsewhere.example/", "nowhere", ""])
def test_choosing_a_language_leads_nowhere_else(page: str) -> None:
    answer = Client().post("/language/", {"language": "fi", "next": page})
    assert answer.headers["Location"] == "/"


def test_an_unknown_language_changes_nothing() -> None:
    answer = Client().post("/language/", {"language": "tlh", "next": "/"})
    assert answer.status_code == 302
    assert not answer.cookies


def test_languages_are_named_as_they_name_themselves() -> None:
    page = Client().get("/about/").content.decode()
    assert re.findall(r'<option value="\w+" lang="\w+"[^>]*>(.*?)</option>', page) == [
        "English",
        "Français",
        "Bahasa Indonesia",
        "Bahasa Melayu",
        "Suomi",
    ]
