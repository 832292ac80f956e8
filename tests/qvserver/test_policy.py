"""The content security policy."""

from __future__ import annotations

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
