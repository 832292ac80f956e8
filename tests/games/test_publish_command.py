"""`manage.py publish_daily`: by hand, from a file of proofs or by a search."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.utils import timezone

from games.models import Challenge
from games.services import proving
from games.services.proving import Tried
from tests.dailies import PROOFS, a_proof

pytestmark = pytest.mark.django_db(transaction=True)


def publish(*arguments: str) -> str:
    """What the command prints."""
    out = io.StringIO()
    call_command("publish_daily", *arguments, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def proofs(path: Path, *modes: str) -> str:
    """A file with a proof of each of the modes."""
    lines = PROOFS.read_text().splitlines()
    path.write_text(
        "".join(f"{next(line for line in lines if json.loads(line)['code'].startswith(m))}\n" for m in modes)
    )
    return str(path)


def test_what_is_missing_is_taken_from_the_proofs_once() -> None:
    publish("--days", "1", "--proofs", str(PROOFS))
    today = timezone.now().date()
    assert set(Challenge.objects.filter(date=today).values_list("mode", flat=True)) == set(settings.DAILY_MODES)
    assert "nothing to publish" in publish("--days", "1", "--proofs", str(PROOFS))


def test_one_mode_is_published_alone_and_only_once(tmp_path: Path) -> None:
    file = proofs(tmp_path / "proofs", "KL1-D3N")
    publish("--mode", "kl-d3n", "--proofs", file)
    assert Challenge.objects.get().mode == "kl-d3n"
    assert "nothing to publish" in publish("--mode", "kl-d3n", "--proofs", file)
    with pytest.raises(CommandError, match="already published, with another deal"):
        publish("--code", str(a_proof("kl-d3n", 1).code))


def test_what_does_not_fit_is_named(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="is a deal of kl-d3n, not of ft-n"):
        publish("--mode", "ft-n", "--code", str(a_proof("kl-d3n").code))
    with pytest.raises(CommandError, match="A deal code begins with"):
        publish("--code", "KL9-XXX-AAAAAAA")
    with pytest.raises(CommandError, match="No such file"):
        publish("--mode", "ft-n", "--proofs", str(tmp_path / "none"))
    with pytest.raises(CommandError, match="ft-n"):
        publish("--mode", "ft-n", "--proofs", proofs(tmp_path / "proofs", "KL1-D3N"))
    assert not Challenge.objects.exists()


def test_a_deal_of_ones_own_that_is_not_won_is_not_published(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the solver says is given here; whether it is right is tested with it."""
    code = a_proof("ft-n").code
    said = iter(
        [
            Tried("today", code, "impossible", None, 1.5),
            Tried("today", code, "unknown", None, 1.0),
            Tried("today", code, "won", 300, 1.0),
        ]
    )
    monkeypatch.setattr(proving, "prove_daily", lambda *_, **__: next(said))
    with pytest.raises(CommandError, match=r"isn't published: impossible after 1\.5 s"):
        publish("--code", str(code))
    printed = publish("--mode", "ft-n")
    assert "unknown (1.0 s)" in printed and "won in 300 moves (1.0 s)" in printed
