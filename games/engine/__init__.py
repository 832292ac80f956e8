"""The rules of both games, exact and self-contained: standard library only, no clock, no files, no randomness.

>>> from games.engine import Deal, verify
>>> verify(Deal.parse("KL1-D1N-AAAAAAG"), "d d r").to_dict()["error"]["reason"]
'stock_not_empty'
"""

from .cards import card_name, card_text, parse_card
from .deals import Code, Deal
from .errors import (
    BadCode,
    BadDeal,
    BadLog,
    BadNotation,
    EngineError,
    IllegalAction,
    LogTooLarge,
    NotWon,
    TooManyActions,
)
from .movelog import Action, Kind, format_log, parse_action, parse_log
from .registry import MODES, Mode
from .replay import RULES_VERSION, play_all, verify, winning_moves
from .table import UNDO_LIMIT, Table
from .verdict import FIGURES, Verdict

__all__ = [
    "FIGURES",
    "MODES",
    "RULES_VERSION",
    "UNDO_LIMIT",
    "Action",
    "BadCode",
    "BadDeal",
    "BadLog",
    "BadNotation",
    "Code",
    "Deal",
    "EngineError",
    "IllegalAction",
    "Kind",
    "LogTooLarge",
    "Mode",
    "NotWon",
    "Table",
    "TooManyActions",
    "Verdict",
    "card_name",
    "card_text",
    "format_log",
    "parse_action",
    "parse_card",
    "parse_log",
    "play_all",
    "verify",
    "winning_moves",
]
