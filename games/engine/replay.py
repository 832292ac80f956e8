"""Replaying a log against a deal: the only source of a score."""

from __future__ import annotations

from .deals import Deal
from .errors import BadLog, IllegalAction, NotWon
from .movelog import Action, parse_log
from .registry import MODES
from .table import Table
from .verdict import Verdict

#: Raised whenever a rule, a score or a reason changes, so that older verdicts can be told and replayed.
RULES_VERSION = 1


def verify(deal: Deal, log: str) -> Verdict:
    """Replay a log and judge it (notation.md, Verdict). Never raises, whatever the log holds.

    A log that can't be read leaves every figure at that of the untouched deal; one that breaks a rule leaves them as
    they were just before the first illegal action.
    """
    table = MODES[deal.mode].game(deal)
    try:
        actions = parse_log(log)
    except BadLog as error:
        return Verdict.of(deal, table, error)
    return Verdict.of(deal, table, play_all(table, actions))


def winning_moves(deal: Deal, log: str) -> int:
    """The moves of a log that wins the deal.

    Raises `NotWon` where it doesn't. Whatever is claimed to win passes through here before anybody believes it.
    """
    verdict = verify(deal, log)
    if verdict.error is not None:
        raise NotWon(f"the log doesn't win {deal.code or 'the deal'}: {verdict.error.message}")
    if not verdict.won:
        raise NotWon(f"the log doesn't win {deal.code or 'the deal'}: {verdict.foundation_cards} cards are home")
    return verdict.moves


def play_all(table: Table, actions: list[Action]) -> IllegalAction | None:
    """Play actions until the end or the first illegal one, which is returned with its place in the log."""
    play = table.play
    action = None
    index = -1
    try:
        for index, action in enumerate(actions):  # noqa: B007
            play(action)
    except IllegalAction as error:
        error.index = index
        error.action = str(action)
        return error
    return None
