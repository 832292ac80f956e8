"""Chaos in small, and that its proof finds what it looks for. `manage.py chaos` does it with 10,000 games."""

from __future__ import annotations

import datetime
import itertools
import json
import re
import socket
import subprocess
import sys
from typing import Any

import pytest

from games.engine import FIGURES, Deal, verify
from qvserver.chaos import Daily, Row, compare_ledger, expected_statistics
from qvserver.faults import HOWS, PARTS, schedule
from qvserver.simulation import Answered
from qvserver.throwaway import free_port
from tests.conftest import ROOT, WON_CODE

DEAL = Deal.parse(WON_CODE)


@pytest.mark.timeout(900)
def test_nothing_is_lost_or_doubled_while_everything_is_killed_and_frozen() -> None:
    command = ["manage.py", "chaos", "--submissions", "160", "--rate", "12", "--seed", "5", "--pause", "3"]
    # How long a busy machine takes to recover says nothing about the server.
    done = subprocess.run(
        [sys.executable, *command, "--recovery", "280"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no violation" in done.stdout and "no difference" in done.stdout
    assert int(re.findall(r"logs answered\D+(\d+)", done.stdout)[0]) >= 160
    [(faults, waiting)] = re.findall(r"(\d+) faults; when all parts were killed at once (\d+)", done.stdout)
    assert int(faults) >= len(PARTS) and int(waiting) >= 1


def answered(submission: int, log: str, *, attempt: int = 1, challenge: int = 1) -> Answered:
    return Answered(submission, "token", attempt, challenge, log, json.loads(json.dumps(verify(DEAL, log).to_dict())))


def row(submission: int, log: str, *, attempt: int = 1, **changes: Any) -> Row:
    verdict = json.loads(json.dumps(verify(DEAL, log).to_dict()))
    state = changes.pop("state", "verified" if verdict["valid"] else "rejected")
    figures = {name: verdict[name] for name in (*FIGURES, "error")}
    return Row(submission, attempt, state, log, {**figures, **changes})


LEDGER = [answered(1, "d d"), answered(2, "aa", attempt=2), answered(3, "d", attempt=2)]
ROWS = [row(1, "d d"), row(2, "aa", attempt=2), row(3, "d", attempt=2)]


def test_a_ledger_that_is_kept_contradicts_nothing() -> None:
    assert compare_ledger(LEDGER, ROWS) == []


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        (ROWS[1:], "submission 1 of attempt 1 is stored as []"),
        ([*ROWS, row(4, "d d")], "submission 1 of attempt 1 is stored as [1, 4]"),
        ([*ROWS, row(4, "d d d")], "submission 4 is nobody's"),
        ([row(1, "d d", moves=3), *ROWS[1:]], "submission 1 of attempt 1: moves is 3 instead of 2"),
        ([row(1, "d d", state="pending"), *ROWS[1:]], "submission 1 is still pending"),
        ([ROWS[0], row(2, "aa", attempt=2, error=None), ROWS[2]], "submission 2 of attempt 2: error is None"),
        ([ROWS[0], row(2, "aa", attempt=2, state="verified"), ROWS[2]], "is verified, not rejected"),
    ],
)
def test_what_is_lost_doubled_or_false_is_found(rows: list[Row], found: str) -> None:
    assert any(found in violation for violation in compare_ledger(LEDGER, rows))


def test_one_number_for_two_logs_is_found() -> None:
    ledger = [*LEDGER, answered(3, "d d d", attempt=2)]
    assert "submission 3 was the answer to several logs" in compare_ledger(ledger, ROWS)


def test_statistics_come_from_the_ledger_alone(won_log: str) -> None:
    day = datetime.date(2026, 3, 29)
    dailies = {n: Daily("ft-n", day + datetime.timedelta(days=n)) for n in range(4)}
    logs = [(0, "d d"), (0, "d"), (1, won_log), (3, "d"), (3, "aa")]
    games = [answered(pk, log, challenge=challenge) for pk, (challenge, log) in enumerate(logs)]
    expected = expected_statistics(games, dailies, day + datetime.timedelta(days=4))
    assert expected["modes"]["ft-n"] == {
        "dailies_played": 3,
        "dailies_won": 1,
        "average_score": 410.0,
        "best_score": 1230,
        "fewest_moves_of_a_win": 315,
    }
    assert expected["streaks"] == [1, 2, 0, 1, 3, False]


def test_a_seed_gives_the_same_faults_and_spares_no_part() -> None:
    deck = len(PARTS) * len(HOWS)
    first, again = (list(itertools.islice(schedule(7, 2.0), 2 * deck)) for _ in range(2))
    assert first == again != list(itertools.islice(schedule(8, 2.0), 2 * deck))
    for faults in (first[:deck], first[deck:]):
        assert {(fault.part, fault.how) for fault in faults} == {(part, how) for part in PARTS for how in HOWS}


def test_a_server_of_its_own_gets_two_ports_that_are_free(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second one was only hoped to be: another program's connection had it, and the server didn't start."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", free_port() + 1))
        second = taken.getsockname()[1]
        wanted = iter([second - 1, second - 1, free := free_port()])
        monkeypatch.setattr("random.randrange", lambda *_: next(wanted))
        assert free_port() == free
