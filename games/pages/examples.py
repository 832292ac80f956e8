"""The worked examples: a won game of each game, with remarks on the rules that it shows.

A remark names no card and no number by itself: they are filled in from the engine's own replay (`remarks_of`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from games.engine import MODES, Action, Code, Deal, IllegalAction, Kind, Table, parse_action, parse_log, verify

from .game_words import card_names, points_text, score_text


@dataclass(frozen=True, slots=True)
class Remark:
    """What is to be said after ``step`` actions (0: before the first).

    ``refused`` is an action that the rules refuse there, for ``reason``. The text may have ``{card}``, the card that
    moved or was refused, ``{onto}``, what it lies on or was to lie on, ``{points}`` of the last action, ``{score}``,
    and ``{waste_cards}``, how many cards went from the waste to a column in the whole game.
    """

    step: int
    text: Promise
    refused: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Example:
    """A whole game with its remarks, by the step."""

    code: Code
    log: str
    remarks: Sequence[Remark]


def remarks_of(example: Example) -> dict[int, str]:
    """The remarks in the language of the reader, each with what the engine says at its step."""
    deal = Deal.parse(example.code)
    verdict = verify(deal, example.log)
    table = MODES[deal.mode].game(deal)
    found = {}
    wanted = {remark.step: remark for remark in example.remarks}
    for step, action in enumerate([None, *parse_log(example.log)]):
        before = table.score
        if action is not None:
            table.play(action)
        if remark := wanted.get(step):
            facts = _facts(table, action) if not remark.refused else _refused(table, parse_action(remark.refused))
            said = str(remark.text).format(
                score=score_text(table.score, deal.mode),
                points=points_text(table.score - before, deal.mode),
                waste_cards=verdict.waste_to_column,
                **facts,
            )
            found[step] = capfirst(said)
    return found


def _facts(table: Table, action: Action | None) -> dict[str, Any]:
    """The card that was just moved, and the one under it."""
    if action is None or action.kind not in (Kind.WASTE_TO_COLUMN, Kind.COLUMN_TO_COLUMN, Kind.FOUNDATION_TO_COLUMN):
        return {"card": _home(table, action), "onto": ""}
    column = table.columns[action.target]
    under = column[: -action.count]
    return _named(column[-action.count], under[-1] if under else None)


def _home(table: Table, action: Action | None) -> str:
    if action is None or action.kind not in (Kind.WASTE_TO_FOUNDATION, Kind.COLUMN_TO_FOUNDATION):
        return ""
    return card_names()[table.wanted[action.target] - 1]


def _refused(table: Table, action: Action) -> dict[str, Any]:
    """The card that was to move from a column to a column, and the one that it was to lie on.

    Raises `ValueError` where the rules don't refuse it.
    """
    try:
        table.play(action)
    except IllegalAction:
        column = table.columns[action.target]
        return _named(table.columns[action.source][-action.count], column[-1] if column else None)
    raise ValueError(f"{action} is not refused")


def _named(card: int, onto: int | None) -> dict[str, Any]:
    names = card_names()
    return {"card": names[card], "onto": "" if onto is None else names[onto]}


FORTY_THIEVES = Example(
    Code.parse("FT1-N-AJSQTY6"),
    "e1 e2 f4 ec d d d d w6 d d w5 d wa da d3 d wd d we ie 1i u i1 ge d d w2 d d w4 d w4 d w1 d wd d wd wd d d d w7 d"
    " d d d d d d wj d d w3 d d w6 d d d wi d d d wj d wf d w4 w4 gf wf w4 wg d wa d wj hj d wj d d w3 f3 f3 f3 f3 d w1"
    " b1 fb f1 cf cg fg d d d w5 d wi d w4 h4 h4 d we d wf d d wf hf d w7 b7 b7 b4 i4 i4 i4 i8 w8 d wd d wj d wh wh w7"
    " ai ac ic d w3 g3 g3 g3 g3 g2 wg wb j2 j2 j2 j2 j2 j2 j2 jg jb d w6 d6 d6 d6 d6 d6 d6 c6 c2 wd c2 c2 e1 e1 w1 w1"
    " d w6 a6 a6 a7 b1 b1 b1 wb wi we wh w7 c7 w7 wc w7 w8 w5 a5 a8 b8 c5 f7 f7 f3 i5 j8 w8 g8 g8 h8 h8 h8 d w5 e5 e5"
    " e5 e5 d5 d5 d w8 d w7",
    (
        Remark(
            0,
            _(
                "Ten columns of four cards, all face up, and 64 cards in the stock. In a column a card goes on one of"
                " the same suit that is one rank higher. So this is refused here: {card} on {onto}. The rank would"
                " fit, the suit does not."
            ),
            refused="bh",
            reason="wrong_suit",
        ),
        Remark(
            1,
            _(
                "The first card home: {card}. A foundation starts with the ace of its suit, and every card that"
                " comes home earns {points} points."
            ),
        ),
        Remark(4, _("{card} goes on {onto}. From column to column a card earns nothing: the score stays at {score}.")),
        Remark(
            14,
            _(
                "{card} comes from the waste and goes on {onto}: {points} points. It will earn its 10 points as"
                " well when it comes home. A card that takes this way scores more than one that goes straight"
                " from the waste to its foundation."
            ),
        ),
        Remark(
            15,
            _(
                "The jack now lies on {card}, in sequence and in one suit. Even so the two can't move together: in"
                " Forty Thieves one card moves at a time, and an action that takes both is refused."
            ),
            refused="aj2",
            reason="one_card_at_a_time",
        ),
        Remark(
            22,
            _(
                "A card may be taken back from its foundation to a column that takes it: here {card} on {onto}."
                " It changes the score by {points} points, to {score}."
            ),
        ),
        Remark(
            23,
            _(
                "Undo takes the last action back. Cards and score are as before, {score} points again. Only the"
                " counter of moves keeps what it has counted. The last 100 actions can be undone."
            ),
        ),
        Remark(
            94, _("With {card} gone home, a column is empty. Empty columns are the most useful thing in this game.")
        ),
        Remark(95, _("An empty column takes any card, not only a king. Here it is {card}.")),
        Remark(
            131,
            _(
                "An empty column takes a card from the waste as well, and that earns {points} points like any"
                " card from the waste to a column. Here it is {card}."
            ),
        ),
        Remark(
            216,
            _(
                "That was the last card of the stock. It is gone through once, and the waste is never turned"
                " over: what lies in the waste now has to be played from its top."
            ),
        ),
        Remark(
            217,
            _(
                "All 104 cards are home, so the game is won. There is no bonus: 104 cards make 1040 points, and"
                " {waste_cards} cards from the waste to a column 5 points each. The score is {score}."
            ),
        ),
    ),
)

KLONDIKE = Example(
    Code.parse("KL1-D1N-JXXMNTP"),
    "g4 g2 cf d d d d d w4 d4 d d wc wc d d d d d d w1 w2 wg cg3 wg w2 dg c2 wg wg 2g u wc ac d wa d d d d d d d d d d"
    " w3 w3 f3 w2 wc bc b1 r d d w1 f1 f3 fa fb df d w3 d3 gd9 e3 eb wb gb g1 d d d d d w1 f1 e1 fe f4 d4 d2 w2 e2 g2"
    " e1 e4 d4 d3 c1 g3 wa w2 w4 d4 c2 d3 d1 b4 b3 d3 b1 a4 a2 b2 a1 c4 c3 d4",
    (
        Remark(
            0,
            _(
                "Seven columns of one to seven cards, only the last of each face up, and 24 cards in the stock. In a"
                " column a card goes on one of the other colour that is one rank higher. So this is refused here:"
                " {card} on {onto}. The rank would fit, but both are black."
            ),
            refused="df",
            reason="wrong_colour",
        ),
        Remark(
            1,
            _(
                "{card} goes home, which earns 10 points. The card under it turns up by itself, which earns 5:"
                " {points} points in all."
            ),
        ),
        Remark(
            13,
            _(
                "{card} comes from the waste and goes on {onto}: {points} points. It will earn its 10 points as"
                " well when it comes home. A card that takes this way scores more than one that goes straight"
                " from the waste to its foundation."
            ),
        ),
        Remark(
            24,
            _(
                "A card moves with all the cards that lie on it. Only the first has to fit: {card} goes on"
                " {onto}, with two more cards. Nothing is earned for the move itself; the {points} points are"
                " for the card that turned up."
            ),
        ),
        Remark(
            28,
            _(
                "A column is empty now. It takes only a king, alone or with the cards on it. So this is refused:"
                " {card} to the empty column."
            ),
            refused="ac",
            reason="not_a_king",
        ),
        Remark(
            31,
            _(
                "A card may be taken back from its foundation: here {card} on {onto}. It costs nothing, and the"
                " score stays at {score}. But when such a card comes home again, that earns nothing for the"
                " boards: each card earns its way home once."
            ),
        ),
        Remark(
            32,
            _(
                "Undo takes the last action back. Cards and score are as before. Only the counter of moves keeps"
                " what it has counted. The last 100 actions can be undone."
            ),
        ),
        Remark(33, _("A king for the empty column: {card}, from the waste, {points} points.")),
        Remark(
            54,
            _(
                "The stock is empty, so the waste is turned over and becomes the stock again. With Normal scoring"
                " that costs 100 points: the score falls to {score}. It never falls below 0, so turning over"
                " early costs less. With Vegas scoring there is only one pass."
            ),
        ),
        Remark(66, _("A long run moves in one go: {card} and eight more cards go to the empty column.")),
        Remark(
            93,
            _(
                "Near the end there is time for a small thing: {card} could wait for its foundation in the waste,"
                " but on {onto} it earns {points} points first."
            ),
        ),
        Remark(
            110,
            _(
                "All 52 cards are home, so the game is won: 520 points for them, 105 for the 21 cards turned up,"
                " 5 for each of the {waste_cards} cards from the waste to a column, and 100 less for turning"
                " over the waste once. The score is {score}."
            ),
        ),
    ),
)

EXAMPLES = {"forty-thieves": FORTY_THIEVES, "klondike": KLONDIKE}
