"""What several tests of the engine need: vectors, whole states, walks through a game."""

from __future__ import annotations

import json
import os
import pathlib
from collections import deque
from typing import Any

from hypothesis import strategies as st

from games.engine import Deal, IllegalAction, Table, parse_action
from games.engine.registry import MODES
from tests.engine.plain_rules import PlainGame, all_actions

VECTORS = pathlib.Path(__file__).parent.parent / "vectors"
SHARED_DATA = os.environ.get("QV_SHARED_DATA")
ALL_ACTIONS = all_actions()
#: All but the counts that no column can ever have; 99 stands for them.
SENSIBLE_ACTIONS = [text for text in ALL_ACTIONS if len(text) < 4 or int(text[2:]) in (10, 12, 13, 14, 99)]


def read_vectors(name: str) -> list[dict[str, Any]]:
    return list(json.loads((VECTORS / f"{name}.json").read_text("utf-8")))


def won_vectors(*modes: str) -> list[dict[str, Any]]:
    """The entries that are won, without undos, bad actions or taking back."""
    entries = read_vectors("replays") + read_vectors("codes")
    return [
        entry
        for entry in entries
        if entry["deal"]["mode"] in modes
        and (entry["verdict"]["won"] and entry["verdict"]["valid"])
        and not (entry["verdict"]["undos"] or entry["verdict"]["taken_back"])
    ]


def deal_of(entry: dict[str, Any]) -> Deal:
    deal = entry["deal"]
    return Deal.of(deal["mode"], columns=deal["columns"], stock=deal["stock"])


def deal_with(mode: str, columns: str = "", stock: str = "") -> Deal:
    """A deal of which only some cards matter, the others fill it up: ``deal_with("ft-n", "a: 3S 2S, c: KH", "AS")``.

    The cards named are the top ones of their columns, and the first of the stock.
    """
    game = MODES[mode].game
    rest = [*(rank + suit for suit in "SHDC" for rank in "KQJT98765432A")] * game.packs
    tops = {part.split(":")[0].strip(): part.split(":")[1].split() for part in columns.split(",") if part.strip()}
    for card in [*(card for top in tops.values() for card in top), *stock.split()]:
        rest.remove(card)
    piles = []
    for name, size in zip("abcdefghij", game.column_sizes, strict=False):
        top = tops.get(name, [])
        piles.append([*(rest.pop() for _ in range(size - len(top))), *top])
    return Deal.of(mode, columns=piles, stock=[*stock.split(), *rest])


def table_of(deal: Deal, log: str = "") -> Table:
    """A table with a log played on it, every action of which must be legal."""
    table = MODES[deal.mode].game(deal)
    for text in log.split():
        table.play(parse_action(text))
    return table


def plain_of(deal: Deal, log: str = "") -> PlainGame:
    cards = deal.to_dict()
    plain = PlainGame(deal.mode, cards["columns"], cards["stock"])
    for text in log.split():
        plain.play(text)
    return plain


def refusal(table: Table, text: str) -> str | None:
    """Play an action: None, or the reason why it is refused."""
    try:
        table.play(parse_action(text))
    except IllegalAction as error:
        return error.reason
    return None


def snapshot(table: Table) -> dict[str, Any]:
    """Everything that a table holds, private or not, as it is now."""
    return {name: _frozen(getattr(table, name)) for kind in type(table).__mro__ for name in _slots(kind)}


def _slots(kind: type) -> list[str]:
    return [name for name in getattr(kind, "__slots__", ()) if name != "_hosts"]


def _frozen(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_frozen, value)) if value and isinstance(value[0], list) else tuple(value)
    return tuple(value) if isinstance(value, deque) else value


def cards_of(table: Table) -> list[int]:
    """All the cards on a table, sorted."""
    homes = [card for card in table.wanted for card in range(card - (card & 15) + 1, card)]
    return sorted([*(card for column in table.columns for card in column), *table.stock, *table.waste, *homes])


def shown(table: Table) -> dict[str, Any]:
    """The figures of a table under the names of the verdict."""
    return {
        "won": table.is_won,
        "score": table.score,
        "ranked_score": table.ranked_score,
        "moves": table.moves,
        "draws": table.draws,
        "undos": table.undos,
        "recycles": table.recycles,
        "foundation_cards": table.foundation_cards,
        "waste_to_column": table.waste_to_column,
        "taken_back": table.taken_back,
    }


def legal_actions(plain: PlainGame) -> list[str]:
    """The legal actions but undo, the ones that move the most interesting cards first."""
    piles = plain.position.columns
    counts = max(len(pile) for pile in piles) if plain.rules.is_klondike else 1
    found = [
        text
        for text in SENSIBLE_ACTIONS
        if text != "u" and (len(text) < 3 or int(text[2:]) <= counts) and plain.refusal(text) is None
    ]
    return sorted(found, key=lambda text: (not text[0].isdigit(), not text[-1].isdigit(), text == "d", text))


_STARTS = [
    *((Deal.parse(code), "") for code in ("FT1-N-AAAAAAV", "KL1-D1N-AAAAAAG", "KL1-D3N-7777777", "KL1-D3V-QVQVQVQ")),
    *((deal_of(entry), entry["log"]) for entry in won_vectors("ft-n", "kl-d1n", "kl-d3n")),
]


@st.composite
def starts(draw: st.DrawFn) -> tuple[Deal, str]:
    """A deal, in any mode, and a legal log on it: a won game cut off anywhere, or nothing."""
    deal, log = draw(st.sampled_from(_STARTS))
    words = log.split()
    words = words[: draw(st.integers(0, max(len(words) - 1, 0)))]
    if deal.mode == "kl-d1n" and "r" not in words and draw(st.booleans()):
        deal = Deal("kl-d1v", deal.columns, deal.stock)
    if deal.mode == "kl-d3n" and "r" not in words and draw(st.booleans()):
        deal = Deal("kl-d3v", deal.columns, deal.stock)
    return deal, " ".join(words)


def steps(size: int) -> st.SearchStrategy[list[int]]:
    """Numbers that `choose` turns into actions."""
    return st.lists(st.integers(0, 1 << 12), min_size=1, max_size=size)


def choose(plain: PlainGame, number: int) -> str | None:
    """An action that the plain rules allow, one in eight an undo; None where nothing can be played."""
    legal = legal_actions(plain)
    if plain.window and not plain.is_won and (not legal or number % 8 == 0):
        return "u"
    return legal[number // 8 % len(legal)] if legal else None
