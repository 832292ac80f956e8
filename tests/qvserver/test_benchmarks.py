"""Benchmarks run to their end; what they measure is not tested."""

from __future__ import annotations

import pytest

from tests.benchmarks import live


@pytest.mark.timeout(300)
def test_listeners_have_addresses_of_their_own(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """All came from one, which the live service lets open so many streams only."""
    monkeypatch.setenv("QV_STREAMS_AN_ADDRESS", "1")
    monkeypatch.setattr(live, "STREAMS", 12)
    monkeypatch.setattr(live, "GAMES", 12)
    monkeypatch.setattr(live, "ANNOUNCE_SECONDS", 0.01)
    monkeypatch.setattr(live, "REST_SECONDS", 1.0)
    live.main()
    assert "12 streams opened" in capsys.readouterr().out
