"""What replaying a log gives (notation.md, Verdict)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .deals import Deal
from .errors import EngineError
from .table import Table

#: What a verdict counts, by the names of its fields and of their columns, in the order in which it shows them.
FIGURES = (
    "won",
    "score",
    "ranked_score",
    "moves",
    "draws",
    "undos",
    "recycles",
    "foundation_cards",
    "waste_to_column",
    "taken_back",
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement on a log. Scores are points (Vegas: dollars); the counts describe the line that stands.

    ``moves`` counts every action but undos, those later undone too; ``undos`` counts undos.
    """

    code: str | None
    error: EngineError | None
    won: bool
    score: int
    ranked_score: int
    moves: int
    draws: int
    undos: int
    recycles: int
    foundation_cards: int
    waste_to_column: int
    taken_back: int

    @classmethod
    def of(cls, deal: Deal, table: Table, error: EngineError | None) -> Verdict:
        """The verdict on a table as it stands."""
        return cls(
            code=None if deal.code is None else str(deal.code),
            error=error,
            won=table.is_won,
            score=table.score,
            ranked_score=table.ranked_score,
            moves=table.moves,
            draws=table.draws,
            undos=table.undos,
            recycles=table.recycles,
            foundation_cards=table.foundation_cards,
            waste_to_column=table.waste_to_column,
            taken_back=table.taken_back,
        )

    @property
    def valid(self) -> bool:
        """Whether the whole log could be played."""
        return self.error is None

    def to_dict(self) -> dict[str, Any]:
        """The verdict in JSON form."""
        return {
            "code": self.code,
            "valid": self.valid,
            "error": None if self.error is None else self.error.to_dict(),
            **{name: getattr(self, name) for name in FIGURES},
        }
