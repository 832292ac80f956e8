"""The pages where games are played, as the server renders them."""

import datetime
import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from games.engine import MODES
from games.models import Challenge
from games.pages.words import board_words, watching_words
from tests.conftest import ROOT
from tests.dailies import publish


def page_data(content: str) -> dict[str, Any]:
    """What the page hands to its scripts."""
    match = re.search(r'<script id="page-data" type="application/json">(.*?)</script>', content, re.DOTALL)
    assert match
    found: dict[str, Any] = json.loads(match[1])
    return found


def test_the_page_of_a_daily_knows_the_challenge_and_nothing_of_its_deal(client: Client, db: None) -> None:
    daily = publish("kl-d1n", timezone.now().date())
    response = client.get("/play/kl-d1n/")
    assert response.status_code == 200
    content = response.content.decode()
    data = page_data(content)
    assert data["challenge"] == {"id": daily.pk, "date": str(daily.date), "closesAt": daily.closes_at.isoformat()}
    assert data["deal"] is None
    assert str(daily.code)[-7:] not in content
    assert str(daily.number) not in content


def test_the_deal_of_an_open_or_coming_daily_cant_be_practised_in_any_mode_of_its_family(
    client: Client, db: None
) -> None:
    tomorrow = timezone.now().date() + datetime.timedelta(days=1)
    digits = str(publish("kl-d1n", tomorrow).code)[-7:]
    for prefix in ("KL1-D1N", "KL1-D3N", "KL1-D1V", "KL1-D3V"):
        response = client.get(f"/practice/{prefix}-{digits}/")
        assert response.status_code == 404
        assert "page-data" not in response.content.decode()
    assert client.get(f"/practice/FT1-N-{digits}/").status_code == 200


def test_a_mode_without_a_daily_offers_practice(client: Client, db: None) -> None:
    response = client.get("/play/kl-d3v/")
    assert response.status_code == 404
    assert "/practice/?mode=kl-d3v" in response.content.decode()
    assert client.get("/play/chess/").status_code == 404


@pytest.mark.parametrize("mode", MODES)
def test_a_new_practice_game_gets_an_address_of_its_own(client: Client, db: None, mode: str) -> None:
    response = client.get(f"/practice/?mode={mode}")
    assert response.status_code == 302
    assert re.fullmatch(rf"/practice/{MODES[mode].prefix}-[A-Z2-7]{{7}}/", response["Location"])
    page = client.get(response["Location"])
    assert page_data(page.content.decode())["mode"] == mode


def test_a_typed_code_is_forgiven_or_explained(client: Client, db: None) -> None:
    assert client.get("/practice/", {"code": " ft1-n-aaaaaav "})["Location"] == "/practice/FT1-N-AAAAAAV/"
    assert client.get("/practice/ft1-n-aaaaaav/")["Location"] == "/practice/FT1-N-AAAAAAV/"
    bad = client.get("/practice/", {"code": "FT1-N-<b>"})
    assert bad.status_code == 400
    assert "7 characters" in bad.content.decode()
    assert client.get("/practice/FT9-N-AAAAAAV/").status_code == 404


def test_nothing_in_a_page_can_run_or_come_from_elsewhere(client: Client, daily: Challenge) -> None:
    for path in ("/play/ft-n/", "/practice/KL1-D3V-QVQVQVQ/", "/practice/", "/practice/nonsense/"):
        response = client.get(path)
        policy = response["Content-Security-Policy"]
        assert "default-src 'self'" in policy
        assert "unsafe" not in policy
        content = response.content.decode()
        assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", content), path
        scripts = re.findall(r"<script\b[^>]*>", content)
        assert all("src=" in script or 'type="application/json"' in script for script in scripts)
        assert not re.search(r"""(?:src|href|action)=["']?(?:https?:)?//""", content), path


def test_the_board_has_words_for_all_that_it_says() -> None:
    words = {**board_words(), **watching_words()}
    modules = ROOT / "games" / "static" / "games"
    said = {key for module in modules.glob("*.js") for key in re.findall(r'\bsay\(\s*"([^"]+)"', module.read_text())}
    said |= {f"refused.{reason}" for reason in _reasons(modules)} - {"refused.wrong_rank_home"}
    known = {*words, *(key.rpartition(".")[0] for key in words if key.endswith((".one", ".other")))}
    assert len(said) > 60
    assert said - known == set()


def _reasons(modules: Path) -> set[str]:
    """All reasons that the browser's rules and its board know."""
    shared = "".join((modules / name).read_text() for name in ("table.js", "board.js", "keyboard.js"))
    games = "".join((modules / name).read_text() for name in ("klondike.js", "forty_thieves.js"))
    return {*re.findall(r'reason: "(\w+)"', shared), *re.findall(r'(?:[?:]|return) "(\w+)"', games)}
