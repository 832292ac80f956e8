"""The content security policy."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from games.models import Player

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("address", ["/api/v1/", "/api/v1/docs/", "/nothing", "/adminx/"])
def test_no_inline_script_runs_anywhere(address: str) -> None:
    policy = Client().get(address)["Content-Security-Policy"]
    assert "default-src 'self'" in policy and "frame-ancestors 'none'" in policy
    assert "unsafe-inline" not in policy.replace("style-src 'self' 'unsafe-inline'", "") and "unsafe-eval" not in policy


def test_the_admin_alone_is_let_off() -> None:
    client = Client()
    client.force_login(Player.objects.create_superuser("Ada"))
    policy = client.get("/admin/")["Content-Security-Policy"]
    assert "'unsafe-eval'" in policy and "default-src 'self'" in policy


def test_pages_may_call_the_live_service_wherever_it_is(settings: Any) -> None:
    for setting, origin in (
        (":8001", "http://testserver:8001"),
        ("https://live.example.org", "https://live.example.org"),
        ("", "http://testserver"),
    ):
        settings.QV_LIVE_URL = setting
        policy = Client().get("/practice/", headers={"host": "testserver:8000"} if setting else {})
        assert f"connect-src 'self' {origin};" in policy["Content-Security-Policy"] + ";"
    assert "connect-src" not in Client().get("/api/v1/")["Content-Security-Policy"]
