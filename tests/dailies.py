"""Proven dailies for tests, without a search: the proofs were found once, by `manage.py solve_sample --out`."""

from __future__ import annotations

import datetime
import json
from collections import defaultdict
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from games.engine import Code
from games.models import Challenge
from games.services.publishing import Proof, publish_daily

VECTORS = Path(__file__).parent / "vectors"
PROOFS = VECTORS / "proofs.jsonl"


def _read() -> dict[str, list[Proof]]:
    found = defaultdict(list)
    for line in PROOFS.read_text().splitlines():
        entry = json.loads(line)
        proof = Proof(
            Code.parse(entry["code"]), entry["log"], entry["seconds"], entry["solver_version"], difficulty="medium"
        )
        found[proof.code.mode].append(proof)
    return found


_PROOFS = _read()


def a_proof(mode: str, number: int = 0) -> Proof:
    """One of the proofs of a mode."""
    return _PROOFS[mode][number]


def proof_of(code: Code) -> Proof:
    """The proof of a deal that the vectors win."""
    if known := [proof for proof in _PROOFS[code.mode] if proof.code == code]:
        return known[0]
    games = json.loads((VECTORS / "codes.json").read_text())
    [log] = [game["log"] for game in games if game["code"] == str(code) and game["verdict"]["won"]]
    return Proof(code, log, seconds=1.0, solver_version=1, difficulty="medium")


def publish(mode: str, date: datetime.date, code: Code | None = None) -> Challenge:
    """The daily of a mode and date: that deal, or the next that no challenge has."""
    proof = a_proof(mode, Challenge.objects.filter(mode=mode).count()) if code is None else proof_of(code)
    return publish_daily(date=date, proof=proof, now=timezone.now())[0]


def publish_days(first: datetime.date, days: int = 1) -> list[Challenge]:
    """All dailies of some days in a row."""
    dates = [first + datetime.timedelta(days=n) for n in range(days)]
    return [publish(mode, date) for date in dates for mode in settings.DAILY_MODES]
