"""The browser's rules (games/static/games) against the engine, step by step through random games."""

import json
import os
import pathlib
import random
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from games.engine import MODES, Code, Deal, IllegalAction, Table, card_text, parse_action
from games.engine.deals import DEALS_PER_GAME
from tests.engine.tables import ALL_ACTIONS, deal_of, won_vectors

PLAYER = pathlib.Path(__file__).parent.parent / "js" / "play.js"
NODE = shutil.which("node")
#: `QV_BROWSER_GAMES=10000 pytest -n 0 --timeout 0 tests/engine/test_browser_rules.py` compares more of them.
GAMES = int(os.environ.get("QV_BROWSER_GAMES", "2000"))
#: One game in ten follows a winning log, with detours that it takes back.
WINNING = 10
REASONS = """
    game_over nothing_to_undo stock_empty no_recycle stock_not_empty waste_empty no_such_pile same_pile
    one_card_at_a_time pile_empty not_enough_cards wrong_foundation wrong_rank not_a_king wrong_suit wrong_colour
"""

Step = list[Any]


class Walk:
    """One game being played by the engine, with the step that a board has to show after each action."""

    def __init__(self, deal: Deal, random_: random.Random) -> None:
        self.deal = deal
        self.random = random_
        self.table = MODES[deal.mode].game(deal)
        self.actions: list[str] = []
        self.steps: list[Step] = []
        piles = "abcdefghij"[: len(self.table.columns)]
        foundations = "12345678"[: len(self.table.wanted)]
        self.homeward = [source + foundation for source in ["w", *piles] for foundation in foundations]
        self.between = [source + target for source in ["w", *piles] for target in piles]
        runs = [pair + str(n) for pair in self.between if pair[0] != "w" for n in range(2, 8)]
        self.moves = self.between + (runs if self.table.moves_runs else [])
        self.back = [foundation + pile for foundation in foundations for pile in piles]

    def play(self, text: str) -> bool:
        """Play an action, legal or not, and note what came of it."""
        try:
            self.table.play(parse_action(text))
            reason = None
        except IllegalAction as error:
            reason = error.reason
        self.note(text, reason)
        return reason is None

    def note(self, text: str, reason: str | None) -> None:
        self.actions.append(text)
        self.steps.append([state_of(self.table), self.table.score, self.table.ranked_score, reason])

    def wander(self, length: int) -> None:
        """Play at random, but rather well, and now and then what is refused."""
        for _ in range(length):
            dice = self.random.random()
            if dice < 0.06:
                self.play(self.random.choice(self.random.choice([ALL_ACTIONS, self.homeward, self.moves])))
            elif dice < 0.12:
                self.play(self.random.choice(["u", "d", "r", *self.back]))
            elif dice < 0.14:
                for _ in range(self.random.choice([3, 20, 110])):
                    self.play("u")
            else:
                self.step()

    def step(self) -> None:
        """A card home where one goes, else another move, else the stock."""
        for texts, share in ((self.homeward, 0.8), (self.moves, 0.6)):
            if self.random.random() < share and self.play_any(self.random.sample(texts, len(texts))):
                return
        if not self.play("d"):
            self.play("r")

    def play_any(self, texts: list[str]) -> bool:
        """Play the first of the actions that is legal, silently passing over the others."""
        for text in texts:
            try:
                self.table.play(parse_action(text))
            except IllegalAction:
                continue
            self.note(text, None)
            return True
        return False

    def win(self, log: str) -> None:
        """Follow a winning log, with detours of legal actions that are taken back, and play on after the win."""
        for text in log.split():
            if self.random.random() < 0.08:
                self.detour()
            assert self.play(text)
        for text in self.random.sample([*ALL_ACTIONS, "u", "d"], 3):
            self.play(text)

    def detour(self) -> None:
        """Some actions that win nothing, legal or not, and back."""
        legal = sum(self.play(text) for text in self.random.choices([*"drdrdrdrdr", *self.between, *self.back], k=8))
        for _ in range(legal):
            assert self.play("u")


def state_of(table: Table) -> str:
    """Everything that a board shows, as `tests/js/play.js` writes it."""
    figures = (table.moves, table.undos, table.draws, table.recycles, table.waste_to_column, table.taken_back)
    homes = [range(card - (card & 15) + 1, card) for card in table.wanted]
    return " ".join(
        [
            *(f"{down}{shown(column)}" for down, column in zip(table.face_down, table.columns, strict=True)),
            shown(table.waste),
            shown(table.stock),
            *map(shown, homes),
            ",".join(map(str, figures)),
            str(0 if table.is_won else len(table._history)),
            "true" if table.is_won else "false",
        ]
    )


def shown(cards: Any) -> str:
    return "".join(map(card_text, cards))


def walks() -> Iterator[Walk]:
    random_ = random.Random(7)
    won = won_vectors(*MODES)
    for number in range(GAMES):
        if number % WINNING == 0:
            entry = won[number // WINNING % len(won)]
            walk = Walk(deal_of(entry), random_)
            walk.win(entry["log"])
        else:
            mode = list(MODES)[number % len(MODES)]
            walk = Walk(Deal.parse(Code(mode, random_.randrange(DEALS_PER_GAME))), random_)
            walk.wander(random_.choice([15, 40, 150]))
        yield walk


@pytest.mark.skipif(not NODE, reason="no node here")
def test_the_browser_plays_random_games_as_the_engine_does() -> None:
    assert NODE
    seen: Counter[str] = Counter()
    with subprocess.Popen([NODE, str(PLAYER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as player:
        assert player.stdin and player.stdout
        for walk in walks():
            # A deal of a code goes by its code alone, so that the shuffles are compared as well.
            deal = {"code": str(walk.deal.code)} if walk.deal.code else walk.deal.to_dict()
            player.stdin.write(json.dumps({"deal": deal, "actions": walk.actions}).encode() + b"\n")
            player.stdin.flush()
            steps = json.loads(player.stdout.readline())
            for number, (expected, found) in enumerate(zip(walk.steps, steps, strict=True)):
                assert found == expected, f"{walk.deal}: {' '.join(walk.actions[: number + 1])}"
            seen.update(step[3] for step in steps if step[3])
            seen.update(["games", walk.deal.mode], won=walk.table.is_won, deep=walk.table.undos > 100)
            seen.update(steps=len(steps), apart=walk.table.score != walk.table.ranked_score)
            seen.update(redeals=walk.table.recycles, taken_back=walk.table.taken_back, undos=walk.table.undos)
        player.stdin.close()
    assert seen["games"] == GAMES
    assert seen["won"] * 20 >= GAMES
    assert min(seen[mode] for mode in MODES) > GAMES / 10
    assert {reason: seen[reason] for reason in REASONS.split() if seen[reason] < 20} == {}
    assert min(seen["redeals"], seen["taken_back"], seen["undos"], seen["deep"], seen["apart"]) >= 20
    print(dict(seen))
