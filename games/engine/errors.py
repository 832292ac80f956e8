"""Everything that the engine raises, in one tree.

    EngineError (ValueError)
    +-- BadCode          a deal code that names no deal
    +-- BadDeal          cards that are no deal of the mode
    +-- BadLog           a log that can't be read; nothing of it is played
    |   +-- LogTooLarge      more than 64 KiB
    |   +-- TooManyActions   more than 10,000 actions
    |   +-- BadNotation      an action that the notation doesn't name
    +-- IllegalAction    an action that the rules refuse
    +-- NotWon           a log that was to win and doesn't

Each carries ``reason`` (a word for machines), the message (a sentence for people), and, where one action is to
blame, its ``index`` in the log (from 0) and the ``action`` as it was written.
"""

from __future__ import annotations


class EngineError(ValueError):
    """What all errors of the engine have in common."""

    def __init__(self, reason: str, message: str, *, index: int | None = None, action: str | None = None) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.index = index
        self.action = action

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.reason!r}, {self.message!r}, index={self.index!r}, action={self.action!r})"

    def to_dict(self) -> dict[str, str | int | None]:
        """The error as a verdict shows it (notation.md, Verdict)."""
        return {"index": self.index, "action": self.action, "reason": self.reason, "message": self.message}


class BadCode(EngineError):
    """A deal code that names no deal; the message says which part is wrong.

    ``problem`` is ``letters``, ``prefix``, ``length`` or ``digit``, ``found`` what stands there instead.
    """

    def __init__(self, message: str, problem: str, found: str = "") -> None:
        super().__init__("bad_code", message)
        self.problem = problem
        self.found = found


class BadDeal(EngineError):
    """Cards that can't be a deal of the mode: a missing or doubled card, a column of the wrong length."""

    def __init__(self, message: str) -> None:
        super().__init__("bad_deal", message)


class BadLog(EngineError):
    """A move log that can't be read."""


class LogTooLarge(BadLog):
    """A log of more bytes than `movelog.MAX_BYTES`."""


class TooManyActions(BadLog):
    """A log of more actions than `movelog.MAX_ACTIONS`."""


class BadNotation(BadLog):
    """An action that the notation doesn't name."""


class IllegalAction(EngineError):
    """An action that the rules refuse. The table is as it was before."""


class NotWon(EngineError):
    """A log that was to win its deal and doesn't."""

    def __init__(self, message: str) -> None:
        super().__init__("not_won", message)
