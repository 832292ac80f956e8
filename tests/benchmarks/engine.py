"""How fast the engine replays, beside a bare loop over the same won games of Forty Thieves.

    python -m tests.benchmarks.engine

The bare loop splits the log, moves the cards, looks whether each fits and counts the score, without undo, counters,
reasons or Klondike. One game of it is the unit in which other costs can be told, so that figures travel between
machines. The browser's engine replays the same logs in Node, where there is one. Times are CPU times. A busy machine
slows all loops, so the ratios are taken in rounds, one run of each right after the other; the median of the rounds is
what counts.
"""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from games.engine import Deal, verify

VECTORS = Path(__file__).parent.parent / "vectors"
TIMES = 41
#: The games are played so often in one run, some ten milliseconds long.
ROUNDS = 5

Game = tuple[Deal, str]


def won_games() -> list[Game]:
    """The won games of Forty Thieves in the vectors, without undos and taking back."""
    entries = [entry for name in ("codes", "replays") for entry in json.loads((VECTORS / f"{name}.json").read_text())]
    games = []
    for entry in entries:
        deal, verdict = entry["deal"], entry["verdict"]
        plain = verdict["won"] and verdict["valid"] and not verdict["undos"] and not verdict["taken_back"]
        if plain and deal["mode"] == "ft-n":
            games.append((Deal.of("ft-n", columns=deal["columns"], stock=deal["stock"]), entry["log"]))
    return games


def bare(deal: Deal, log: str) -> int:
    """The score of a won game, by nothing but moving its cards."""
    columns, stock, waste = [list(column) for column in deal.columns], list(deal.stock[::-1]), []
    homes = [0] * 8
    score = 0
    for action in log.split():
        if action == "d":
            waste.append(stock.pop())
            continue
        source, target = action
        card = waste.pop() if source == "w" else columns[ord(source) - 97].pop()
        if target < "a":
            home = ord(target) - 49
            homes[home] += 1
            if (home % 4) * 16 + homes[home] != card:
                raise ValueError(action)
            score += 10
        else:
            onto = columns[ord(target) - 97]
            if onto and onto[-1] - card != 1:
                raise ValueError(action)
            onto.append(card)
            if source == "w":
                score += 5
    return score


def seconds(play: Callable[[Deal, str], object], games: list[Game], rounds: int = ROUNDS) -> float:
    """CPU seconds for all the games, once."""
    start = time.process_time()
    for _ in range(rounds):
        for deal, log in games:
            play(deal, log)
    return (time.process_time() - start) / rounds


class Node:
    """The browser's engine in a process of its own, which replays all the games when it is asked."""

    def __init__(self, program: str, games: list[Game]) -> None:
        self._process = subprocess.Popen(
            [program, str(Path(__file__).parent / "engine.mjs")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        shown = [{"deal": deal.to_dict(), "log": log, "score": verify(deal, log).score} for deal, log in games]
        self._ask(json.dumps({"rounds": ROUNDS, "games": shown}))

    def seconds(self) -> float:
        """CPU seconds for all the games, once."""
        return float(self._ask("go"))

    def _ask(self, line: str) -> str:
        assert self._process.stdin and self._process.stdout
        print(line, file=self._process.stdin, flush=True)
        if not (answer := self._process.stdout.readline()):
            raise SystemExit("The browser's engine broke, or doesn't agree.")
        return answer

    def end(self) -> None:
        """Let it go."""
        self._process.kill()


def check(games: list[Game]) -> None:
    """Both must come to the same score, or the figures mean nothing."""
    for deal, log in games:
        verdict = verify(deal, log)
        if not verdict.won or verdict.score != bare(deal, log):
            raise SystemExit("The bare loop and the engine don't agree.")


def main() -> None:
    """Measure and print."""
    games = won_games()
    check(games)
    actions = sum(len(log.split()) for _, log in games)
    program = shutil.which("node")
    node = Node(program, games) if program else None
    rounds = [(seconds(bare, games), seconds(verify, games), node.seconds() if node else 0.0) for _ in range(TIMES)]
    bare_time, verify_time, node_time = (statistics.median(times) for times in zip(*rounds, strict=True))
    unit = min(times[0] for times in rounds) / len(games) * 1e6
    print(f"{len(games)} won games of Forty Thieves, {actions / len(games):.0f} actions each, {TIMES} rounds")
    print(f"bare loop     {actions / bare_time:>12,.0f} actions/s")
    print(f"verify        {actions / verify_time:>12,.0f} actions/s, parsing and verdict included")
    _compare("of the bare loop", [bare_time / verify_time for bare_time, verify_time, _ in rounds])
    if node:
        node.end()
        print(f"JavaScript    {actions / node_time:>12,.0f} actions/s, the same in Node")
        _compare("of the one in JavaScript", [node_time / verify_time for _, verify_time, node_time in rounds])
    print(f"unit          {unit:>12.1f} microseconds, a won game by the bare loop (best run)")


def _compare(what: str, ratios: list[float]) -> None:
    print(f"ratio         {statistics.median(ratios):>12.3f} {what} ({min(ratios):.3f} to {max(ratios):.3f})")


if __name__ == "__main__":
    main()
