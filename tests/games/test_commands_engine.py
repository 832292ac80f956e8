"""manage.py deal, verify and solve: no database for any of them (pytest-django forbids it here)"""

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import load_command_class

import games.solver
from games.engine import Deal, verify

CODES = json.loads((Path(__file__).parent.parent / "vectors" / "codes.json").read_text("utf-8"))
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command as from the shell: its exit code, standard output and standard error."""

    def run(name: str, *args: str, stdin: bytes = b"") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        status = 0
        try:
            load_command_class("games", name).run_from_argv(["manage.py", name, *args])
        except SystemExit as leaving:
            status = int(leaving.code or 0)
        return (status, *capsys.readouterr())

    return run


@pytest.mark.parametrize("name", ["deal", "verify", "solve"])
@pytest.mark.parametrize("code", ["nonsense", "", "FT1-N-AAAAAA9", "KL1-D2N-AAAAAAA", "FT1-N-AAAAAA\udcff"])
def test_a_bad_code_exits_2_with_one_line(run: Run, name: str, code: str) -> None:
    status, out, err = run(name, code)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert err.startswith("CommandError: ")


# deal


def test_deal_shows_columns_face_down_cards_and_stock(run: Run) -> None:
    status, out, err = run("deal", "KL1-D1N-AAAAAAG")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("KL1-D1N-AAAAAAG  Klondike")
    assert lines[2:4] == ["  a  7C", "  b  [KC] 9D"]
    assert lines[8] == "  g  [3D] [AH] [2D] [5H] [JS] [7S] 6H"
    assert "24 cards" in lines[10]
    assert (
        " ".join(out.split("first:")[1].split())
        == "2S TH QH 7D JH AS QC 5S 4H KD TC 2H 6D KH 4C 6C 8D 3H TD 7H QD 6S 4D 8H"
    )


def test_deal_shows_forty_thieves_face_up(run: Run) -> None:
    _, out, _ = run("deal", " ft1-n-aaaaaav ")
    assert "[" not in out
    assert out.startswith("FT1-N-AAAAAAV  Forty Thieves")
    assert "  j  7C 3H AC 2H\n" in out


@pytest.mark.parametrize("entry", CODES, ids=lambda entry: entry["code"])
def test_deal_in_json(run: Run, entry: dict[str, Any]) -> None:
    status, out, _ = run("deal", entry["code"], "--json")
    deal = json.loads(out)
    assert (status, list(deal)) == (0, ["code", "mode", "columns", "face_down", "stock"])
    assert deal["code"] == entry["code"]
    assert {key: deal[key] for key in ("mode", "columns", "stock")} == entry["deal"]


# verify


@pytest.mark.parametrize("entry", CODES, ids=lambda entry: entry["code"])
def test_verify_prints_the_verdict_of_a_file(run: Run, tmp_path: Path, entry: dict[str, Any]) -> None:
    (tmp_path / "log").write_bytes(entry["log"].encode())
    status, out, err = run("verify", entry["code"], str(tmp_path / "log"))
    assert json.loads(out) == verify(Deal.parse(entry["code"]), entry["log"]).to_dict()
    assert (status, err) == (0 if entry["verdict"]["valid"] else 1, "")


@pytest.mark.parametrize("place", [[], ["-"]])
def test_verify_reads_standard_input(run: Run, place: list[str]) -> None:
    status, out, _ = run("verify", "FT1-N-AAAAAAV", *place, stdin=b"d\r\nd\r\n")
    assert status == 0
    assert json.loads(out)["moves"] == 2


@pytest.mark.parametrize(
    ("log", "reason"),
    [("d r", "no_recycle"), ("d 12", "bad_notation"), ("\ufeffd", "bad_notation"), ("d \x00", "bad_notation")],
)
def test_verify_exits_1_for_a_log_that_is_not_valid(run: Run, log: str, reason: str) -> None:
    status, out, err = run("verify", "FT1-N-AAAAAAV", stdin=log.encode())
    assert (status, err) == (1, "")
    assert json.loads(out)["error"]["reason"] == reason


def test_verify_exits_2_for_what_is_not_utf_8_or_not_there(run: Run, tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes(b"d \xe9")
    for place in (str(tmp_path / "latin"), str(tmp_path / "missing"), str(tmp_path), "-"):
        status, out, err = run("verify", "FT1-N-AAAAAAV", place, stdin=b"d \xff")
        assert (status, out) == (2, "")
        assert err.count("\n") == 1
        assert ("Standard input" if place == "-" else place) in err


# solve


def fake(monkeypatch: pytest.MonkeyPatch, outcome: str, log: str | None) -> list[tuple[str, float]]:
    asked = []

    def solve(deal: Deal, *, seconds: float) -> SimpleNamespace:
        asked.append((str(deal.code), seconds))
        return SimpleNamespace(outcome=outcome, log=log, nodes=1234, seconds=0.5)

    monkeypatch.setattr(games.solver, "solve", solve)
    return asked


def test_solve_prints_the_log_and_a_summary_beside_it(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = fake(monkeypatch, "won", "d wa")
    status, out, err = run("solve", "KL1-D1N-AAAAAAG", "--seconds", "2.5")
    assert (status, out) == (0, "d wa\n")
    assert asked == [("KL1-D1N-AAAAAAG", 2.5)]
    assert "compiled" in err.splitlines()[0]
    assert "won" in err and "1,234" in err


@pytest.mark.parametrize("outcome", ["impossible", "unknown"])
def test_solve_exits_1_without_a_win(run: Run, monkeypatch: pytest.MonkeyPatch, outcome: str) -> None:
    fake(monkeypatch, outcome, None)
    status, out, err = run("solve", "KL1-D1N-AAAAAAG")
    assert (status, out) == (1, "")
    assert outcome in err


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "soon"])
def test_solve_takes_only_a_time(run: Run, monkeypatch: pytest.MonkeyPatch, seconds: str) -> None:
    asked = fake(monkeypatch, "won", "d")
    assert run("solve", "KL1-D1N-AAAAAAG", f"--seconds={seconds}")[0] == 2
    assert asked == []


def test_a_log_that_solve_prints_wins(run: Run) -> None:
    """Solvitaire #140, #144: printed solutions held illegal moves."""
    status, out, _ = run("solve", "FT1-N-AAAAAAV", "--seconds", "5")
    assert status == 0
    verdict = json.loads(run("verify", "FT1-N-AAAAAAV", stdin=out.encode())[1])
    assert verdict["won"] and verdict["valid"]
