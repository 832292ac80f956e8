"""The pages that explain: rules, examples, questions, developers."""

from __future__ import annotations

import html
import re

import pytest
from django.test import Client

from games.engine import MODES
from games.pages import pictures
from tests.conftest import ROOT

PAGES = (
    "/rules/",
    "/rules/forty-thieves/",
    "/rules/klondike/",
    "/faq/",
    "/examples/forty-thieves/",
    "/examples/klondike/",
    "/developers/",
)
CLIENT = ROOT / "games" / "static" / "games" / "client.py"


def text_of(client: Client, address: str) -> str:
    """What the page says, without its marks."""
    response = client.get(address)
    assert response.status_code == 200
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


@pytest.mark.parametrize("address", PAGES)
def test_a_page_has_one_heading_a_title_of_its_own_and_nothing_that_could_run(
    client: Client, db: None, address: str
) -> None:
    response = client.get(address)
    content = response.content.decode()
    assert len(re.findall(r"<h1\b", content)) == 1
    assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", content)
    scripts = re.findall(r"<script\b[^>]*>", content)
    assert all("src=" in script or 'type="application/json"' in script for script in scripts)
    assert response["Cache-Control"] == "private, no-cache"
    assert "unsafe" not in response["Content-Security-Policy"]
    for href in re.findall(r'href="(/[^"#]*)"', content):
        assert "{" not in href


def test_the_titles_differ(client: Client, db: None) -> None:
    titles = {re.search(r"<title>(.*?)</title>", client.get(page).content.decode())[1] for page in PAGES}  # type: ignore[index]
    assert len(titles) == len(PAGES)


def test_there_is_no_example_of_other_games(client: Client, db: None) -> None:
    assert client.get("/examples/chess/").status_code == 404


def test_the_rules_give_the_points_that_the_engine_counts(client: Client, db: None) -> None:
    for address, mode in (("/rules/forty-thieves/", "ft-n"), ("/rules/klondike/", "kl-d1n")):
        game = MODES[mode].game
        rows = re.findall(r"<tr><td>(.*?)</td><td class=\"number\">(.*?)</td>", client.get(address).content.decode())
        points = dict(rows)
        assert points["A card is placed on a foundation"] == f"+{game.home_points}"
        assert points["A card goes from the waste to a column"] == f"+{game.waste_to_column_points}"
        assert int(points["A card is taken back from a foundation"]) == game.take_back_points
    assert points["A face-down card turns up"] == f"+{game.turn_up_points}"
    assert int(points["The waste is turned over"]) == game.redeal_points
    vegas = MODES["kl-d3v"].game
    rows = re.findall(r"</td><td class=\"number\">([+$-]+\d+)</td></tr>", client.get(address).content.decode())
    assert rows[:2] == [f"-${-vegas.start_score}", f"+${vegas.home_points}"]


def test_the_rules_and_the_examples_give_the_same_scores(client: Client, db: None) -> None:
    assert "1040 + 31 × 5 = 1195 points" in text_of(client, "/rules/forty-thieves/")
    assert "1,195 after 217 actions" in text_of(client, "/examples/forty-thieves/")
    assert "625 + 11 × 5 - 100 = 580 points" in text_of(client, "/rules/klondike/")
    assert "580 after 110 actions" in text_of(client, "/examples/klondike/")


def test_the_pages_say_how_long_the_grace_time_is(client: Client, db: None, settings: object) -> None:
    for address in ("/rules/", "/faq/", "/developers/"):
        assert "5 minutes after" in text_of(client, address)


def test_a_picture_of_a_table_has_all_its_cards() -> None:
    forty = pictures.table("FT1-N-AAAAAAV")
    assert [spot.card for spot in forty.spots[10:14]] == ["7S", "3S", "QD", "KC"]
    assert len(forty.spots) == 10 + 40
    klondike = pictures.table("KL1-D1N-AAAAAAG")
    shown = [spot.card for spot in klondike.spots[6:]]
    assert (shown.count(pictures.DOWN), len(shown)) == (21, 28)
    assert shown[-1] == "6H"
    assert {spot.suit for spot in klondike.spots} == {"", *"SHDC"}


def test_the_page_shows_the_client_of_the_readme_with_its_own_address(client: Client, db: None) -> None:
    [readme] = re.findall(r"^```python\n(.*?)^```$", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    assert CLIENT.read_text() == readme
    content = client.get("/developers/").content.decode()
    shown = re.search(r'<pre tabindex="0"><code translate="no">(.*?)</code>', content, re.DOTALL)
    assert shown
    assert html.unescape(shown[1]) == readme.replace("http://127.0.0.1:8000", "http://testserver")
