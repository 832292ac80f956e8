"""The manifest, the service worker's settings, and the names of static files."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.contrib.staticfiles import finders
from django.core.management import call_command
from django.test import Client

from games.engine import MODES
from qvserver.static_storage import HashedStorage


def test_the_manifest_names_pictures_that_are_there() -> None:
    manifest = Client().get("/manifest.webmanifest", headers={"accept-language": "en"}).json()
    assert (manifest["start_url"], manifest["display"]) == ("/", "standalone")
    assert {icon["purpose"] for icon in manifest["icons"]} == {"any", "maskable"}
    for icon in manifest["icons"]:
        assert finders.find(icon["src"].removeprefix("/static/"))


def test_the_service_worker_keeps_all_that_players_load() -> None:
    answer = Client().get("/service-worker.js")
    assert answer.headers["Cache-Control"] == "no-cache"
    assert answer.headers["Content-Type"].startswith("text/javascript")
    found = re.match(r"self\.settings = (.*);\nimportScripts\('(.*)'\);\n", answer.content.decode())
    assert found
    settings = json.loads(found[1])
    assert {"/static/games/play.js", "/static/site/site.css", "/static/games/cards/KS.svg"} <= set(settings["files"])
    assert not [path for path in settings["files"] if "/admin/" in path]
    assert set(settings["shells"]) == set(MODES)
    assert settings["modes"]["KL1-D3V"] == "kl-d3v"


@pytest.mark.django_db
def test_a_board_without_a_deal_is_there_for_each_mode() -> None:
    for mode in MODES:
        assert Client().get(f"/practice/offline/{mode}/").status_code == 200
    assert Client().get("/practice/offline/chess/").status_code == 404


def test_modules_import_each_other_by_hashed_names(settings: Any, tmp_path: Path) -> None:
    settings.STATIC_ROOT = str(tmp_path)
    call_command("collectstatic", interactive=False, verbosity=0)
    names = HashedStorage(location=str(tmp_path), base_url="/static/").hashed_files
    modules = [
        tmp_path / names[name] for name in names if name.startswith(("games/", "site/")) and name.endswith(".js")
    ]
    assert len(modules) > 20
    for module in modules:
        for imported in re.findall(r'from "([^"]+)"', module.read_text()):
            assert re.search(r"\.[0-9a-f]{12}\.js$", imported), (module.name, imported)
            assert (module.parent / imported).is_file()
    assert (tmp_path / (names["games/play.js"] + ".br")).is_file()
