"""A second statement of the rules, to hold the engine against: plain and slow, and written from the specification.

It shares nothing with `games.engine`. Cards are texts, and a card that lies face down is in lower case (``7s``).
Positions are never changed; an undo goes back to the one before. Scores aren't kept: they are added up afresh from
what has happened in the line that stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

RANKS = "A23456789TJQK"
GRAMMAR = re.compile(r"[dru]|w[a-j1-8]|[a-j][a-j]([2-9]|[1-9][0-9])?|[a-j][1-8]|[1-8][a-j]")
WINDOW = 100


class Rules(NamedTuple):
    """What tells the modes apart. `points` names only what earns or costs something."""

    columns: int
    foundations: int
    draw: int
    redeals: bool
    start: int
    floor: bool
    points: Mapping[str, int]

    @property
    def is_klondike(self) -> bool:
        return self.columns == 7


_KLONDIKE = {"home": 10, "waste to column": 5, "turned up": 5, "redeal": -100}
RULES = {
    "ft-n": Rules(10, 8, 1, False, 0, True, {"home": 10, "waste to column": 5, "taken back": -15}),
    "kl-d1n": Rules(7, 4, 1, True, 0, True, _KLONDIKE),
    "kl-d3n": Rules(7, 4, 3, True, 0, True, _KLONDIKE),
    "kl-d1v": Rules(7, 4, 1, False, -52, False, {"home": 5}),
    "kl-d3v": Rules(7, 4, 3, False, -52, False, {"home": 5}),
}


@dataclass(frozen=True)
class Position:
    """All the cards. The last of a column, of the waste and of a foundation is on top; the stock's first is next."""

    columns: tuple[tuple[str, ...], ...]
    stock: tuple[str, ...]
    waste: tuple[str, ...]
    foundations: tuple[tuple[str, ...], ...]

    def cards(self) -> list[str]:
        piles = (*self.columns, self.stock, self.waste, *self.foundations)
        return sorted(card.upper() for pile in piles for card in pile)


class Event(NamedTuple):
    """Something that may count: what, and the card or the foundation and card."""

    what: str
    card: str = ""


class Step(NamedTuple):
    """An action of the line that stands, with the position before it."""

    before: Position
    events: tuple[Event, ...]


class PlainGame:
    """One game by the plain rules. `refusal` says why an action can't be played, `play` plays it."""

    def __init__(self, mode: str, columns: Sequence[Sequence[str]], stock: Sequence[str]) -> None:
        self.rules = RULES[mode]
        if self.rules.is_klondike:
            columns = [[*(card.lower() for card in column[:-1]), column[-1]] for column in columns]
        self.position = Position(tuple(map(tuple, columns)), tuple(stock), (), ((),) * self.rules.foundations)
        self.dealt = self.position
        self.line: list[Step] = []
        self.moves = self.undos = self.window = 0

    @property
    def is_won(self) -> bool:
        return all(len(pile) == 13 for pile in self.position.foundations)

    def events(self) -> Iterator[Event]:
        for step in self.line:
            yield from step.events

    def score(self, *, once: bool = False) -> int:
        """The points of the line that stands; `once`: a card earns only the first time that it gets home."""
        points = self.rules.start
        seen = set()
        for event in self.events():
            gain = self.rules.points.get(event.what, 0)
            if event.what == "home":
                if once and event in seen:
                    gain = 0
                seen.add(event)
            points += gain
            if gain < 0 and self.rules.floor:
                points = max(points, 0)
        return points

    def figures(self) -> dict[str, Any]:
        """What a verdict tells about the game, without its code and error."""
        happened = [event.what for event in self.events()]
        return {
            "won": self.is_won,
            "score": self.score(),
            "ranked_score": self.score(once=self.rules.is_klondike),
            "moves": self.moves,
            "draws": happened.count("draw"),
            "undos": self.undos,
            "recycles": happened.count("redeal"),
            "foundation_cards": sum(map(len, self.position.foundations)),
            "waste_to_column": happened.count("waste to column"),
            "taken_back": happened.count("taken back"),
        }

    # What may be played.

    def refusal(self, action: str) -> str | None:
        """The one reason why the action is illegal, or None."""
        here, rules = self.position, self.rules
        if self.is_won:
            return "game_over"
        if action == "u":
            return None if self.window else "nothing_to_undo"
        if action == "d":
            return None if here.stock else "stock_empty"
        if action == "r":
            checks = [(not rules.redeals, "no_recycle"), (bool(here.stock), "stock_not_empty")]
            checks += [(not here.waste, "waste_empty")]
            return next((reason for wrong, reason in checks if wrong), None)
        source, target, count = action[0], action[1], int(action[2:] or 1)
        if not (self._is_there(source) and self._is_there(target)):
            return "no_such_pile"
        if source == target:
            return "same_pile"
        if count > 1 and not rules.is_klondike:
            return "one_card_at_a_time"
        face_up = [card for card in self._pile(source) if card.isupper()]
        if not face_up:
            return "pile_empty"
        if len(face_up) < count:
            return "not_enough_cards"
        if target.isdigit():
            return self._home_refusal(face_up[-count], self._pile(target), target)
        return self._column_refusal(face_up[-count], self._pile(target))

    def _is_there(self, pile: str) -> bool:
        return pile == "w" or pile in "abcdefghij"[: self.rules.columns] or pile in "12345678"[: self.rules.foundations]

    def _pile(self, name: str) -> tuple[str, ...]:
        if name == "w":
            return self.position.waste
        if name.isdigit():
            return self.position.foundations[int(name) - 1]
        return self.position.columns[ord(name) - ord("a")]

    def _home_refusal(self, card: str, pile: tuple[str, ...], name: str) -> str | None:
        if card[1] != "SHDC"[(int(name) - 1) % 4]:
            return "wrong_foundation"
        return None if RANKS.index(card[0]) == len(pile) else "wrong_rank"

    def _column_refusal(self, card: str, pile: tuple[str, ...]) -> str | None:
        if not pile:
            return "not_a_king" if self.rules.is_klondike and card[0] != "K" else None
        below = pile[-1]
        if RANKS.index(below[0]) - RANKS.index(card[0]) != 1:
            return "wrong_rank"
        if self.rules.is_klondike:
            return None if (card[1] in "HD") != (below[1] in "HD") else "wrong_colour"
        return None if card[1] == below[1] else "wrong_suit"

    # Playing it.

    def play(self, action: str) -> None:
        """Play a legal action."""
        assert self.refusal(action) is None, action
        if action == "u":
            self.undos += 1
            self.window -= 1
            self.position = self.line.pop().before
            return
        events: list[Event] = []
        after = self._after(action, events)
        self.line.append(Step(self.position, tuple(events)))
        self.position = after
        self.moves += 1
        self.window = min(self.window + 1, WINDOW)

    def _after(self, action: str, events: list[Event]) -> Position:
        here = self.position
        if action == "d":
            events.append(Event("draw"))
            n = self.rules.draw
            return replace(here, stock=here.stock[n:], waste=here.waste + here.stock[:n])
        if action == "r":
            events.append(Event("redeal"))
            return replace(here, stock=here.waste, waste=())
        source, target, count = action[0], action[1], int(action[2:] or 1)
        moving, left = self._pile(source)[-count:], self._pile(source)[:-count]
        if target.isdigit():
            events.append(Event("home", target + moving[0]))
        elif source == "w":
            events.append(Event("waste to column"))
        elif source.isdigit():
            events.append(Event("taken back"))
        if left and left[-1].islower():
            events.append(Event("turned up", left[-1]))
            left = (*left[:-1], left[-1].upper())
        return self._with(self._with(here, source, left), target, self._pile(target) + moving)

    @staticmethod
    def _with(position: Position, name: str, pile: tuple[str, ...]) -> Position:
        if name == "w":
            return replace(position, waste=pile)
        if name.isdigit():
            i = int(name) - 1
            return replace(position, foundations=(*position.foundations[:i], pile, *position.foundations[i + 1 :]))
        i = ord(name) - ord("a")
        return replace(position, columns=(*position.columns[:i], pile, *position.columns[i + 1 :]))


def all_actions() -> list[str]:
    """Every action that the notation names, spelled out."""
    columns, foundations = "abcdefghij", "12345678"
    counts = ["", *map(str, range(2, 100))]
    return [
        *"dru",
        *("w" + pile for pile in columns + foundations),
        *(f"{source}{target}{count}" for source in columns for target in columns for count in counts),
        *(column + foundation for column in columns for foundation in foundations),
        *(foundation + column for column in columns for foundation in foundations),
    ]


def plain_verdict(mode: str, columns: Sequence[Sequence[str]], stock: Sequence[str], log: str) -> dict[str, Any]:
    """The verdict on a log, without ``code`` and the error's message."""
    game = PlainGame(mode, columns, stock)
    words = [word for word in re.split("[ \t\r\n]", log) if word]
    size = len(log.encode("utf-8", "surrogatepass"))
    error: dict[str, Any] | None = None
    if size > 65536:
        error = {"index": None, "action": None, "reason": "log_too_large"}
    elif len(words) > 10000:
        error = {"index": None, "action": None, "reason": "too_many_actions"}
    else:
        bad = [i for i, word in enumerate(words) if not GRAMMAR.fullmatch(word)]
        if bad:
            error = {"index": bad[0], "action": words[bad[0]], "reason": "bad_notation"}
    for index, word in enumerate(words if error is None else ()):
        reason = game.refusal(word)
        if reason is not None:
            error = {"index": index, "action": word, "reason": reason}
            break
        game.play(word)
    return {"valid": error is None, "error": error, **game.figures()}
