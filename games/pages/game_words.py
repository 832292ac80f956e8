"""A game told in words, action by action, for whoever watches or reads it."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.engine import MODES, Action, Deal, IllegalAction, Kind, Table, parse_log
from games.engine.cards import PACK

from .words import card_words


@dataclass(frozen=True, slots=True)
class Line:
    """One action: as the log has it, in words, what it did to the score, and the score after it.

    The first line of a game is its deal: no action, no words.
    """

    action: str
    words: str
    points: int
    score: int


def card_names() -> dict[int, str]:
    """The cards in words: ``7 of spades``."""
    words = card_words()
    return {card: words[f"card.{card & 15}"].format(suit=words[f"suit.{card >> 4}"]) for card in PACK}


def tell(deal: Deal, log: str) -> list[Line]:
    """The lines of a game, as far as the rules let it be played."""
    table = MODES[deal.mode].game(deal)
    teller = _Teller(table)
    lines = [Line("", "", 0, table.score)]
    for action in parse_log(log):
        score, drawn, hidden = table.score, len(table.waste), sum(table.face_down)
        try:
            table.play(action)
        except IllegalAction:
            break
        words = teller.words(action, len(table.waste) - drawn, sum(table.face_down) < hidden)
        lines.append(Line(str(action), words, table.score - score, table.score))
    return lines


class _Teller:
    """Puts what was just played on a table into words."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._names = card_names()
        self._standing: list[str] = []
        # Read once: a log has up to 10,000 actions.
        self._sentences = {
            Kind.WASTE_TO_COLUMN: _("{card}: from the waste to column {target}"),
            Kind.WASTE_TO_FOUNDATION: _("{card}: from the waste to foundation {target}"),
            Kind.COLUMN_TO_COLUMN: _("{card}: from column {source} to column {target}"),
            Kind.COLUMN_TO_FOUNDATION: _("{card}: from column {source} to foundation {target}"),
            Kind.FOUNDATION_TO_COLUMN: _("{card}: taken back from foundation {source} to column {target}"),
        }
        self._turned_up = _("{what}; turned up: {card}")

    def words(self, action: Action, drawn: int, has_turned: bool) -> str:
        if action.kind is Kind.UNDO:
            return _("Undone: {what}").format(what=self._standing.pop())
        words = self._done(action, drawn)
        if has_turned:
            words = self._turned_up.format(what=words, card=self._names[self._table.columns[action.source][-1]])
        self._standing.append(words)
        return words

    def _done(self, action: Action, drawn: int) -> str:
        if action.kind is Kind.DRAW:
            return _("Drawn: {cards}").format(cards=", ".join(self._names[card] for card in self._table.waste[-drawn:]))
        if action.kind is Kind.REDEAL:
            return _("The waste is turned over")
        piles = {"source": action.text[0], "target": action.text[1], "card": self._names[self._moved(action)]}
        if action.count > 1:
            more = action.count - 1
            sentence = ngettext(
                "{card} and {count} card on it: from column {source} to column {target}",
                "{card} and {count} cards on it: from column {source} to column {target}",
                more,
            )
            return sentence.format(count=more, **piles)
        return self._sentences[action.kind].format(**piles)

    def _moved(self, action: Action) -> int:
        """The card that moved, of a run the first."""
        if action.kind in (Kind.WASTE_TO_FOUNDATION, Kind.COLUMN_TO_FOUNDATION):
            return self._table.wanted[action.target] - 1
        return self._table.columns[action.target][-action.count]


def score_text(score: int, mode: str) -> str:
    """A score in words: ``1,230``; Vegas in dollars: ``+$208``, ``$0``, ``-$52``."""
    if not MODES[mode].game.start_score:
        return number_format(score, force_grouping=True)
    return f"{'+' if score > 0 else '-' if score < 0 else ''}${number_format(abs(score), force_grouping=True)}"


def points_text(points: int, mode: str) -> str:
    """What an action did to the score: ``+10``, ``-100``, ``+$5``; empty for nothing."""
    if not points:
        return ""
    text = score_text(points, mode)
    return f"+{text}" if points > 0 and not text.startswith("+") else text


def clock_text(seconds: int) -> str:
    """A duration as clocks show it: ``4:05``, ``1:02:03``.

    >>> clock_text(245), clock_text(3723)
    ('4:05', '1:02:03')
    """
    hours, minutes = divmod(seconds // 60, 60)
    return f"{hours}:{minutes:02}:{seconds % 60:02}" if hours else f"{minutes}:{seconds % 60:02}"
