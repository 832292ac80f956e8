"""What the pages show of a game: its lines, its curve, and what the viewer's modules need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.utils import translation

from games.engine import Code, Deal
from games.models import Submission
from games.services import secrecy, watching

from . import curve
from .game_words import Line, points_text, score_text, tell
from .layouts import columns_of
from .views import court_pictures
from .words import watching_words


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A `Line` as the list shows it, the numbers as texts; ``remark`` is what is to be said about it."""

    words: str
    points: str
    score: str
    is_loss: bool
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Watched:
    """A game on a page. ``times`` has a number of milliseconds for each action, or none."""

    code: Code
    log: str
    times: Sequence[int]
    scores: Sequence[int]
    lines: Sequence[ShownLine]
    curve: curve.Curve

    @property
    def actions(self) -> int:
        """How many actions the game has."""
        return len(self.lines) - 1

    @property
    def last_score(self) -> str:
        """The score at the end."""
        return self.lines[-1].score

    @property
    def piles(self) -> list[tuple[str, list[str]]]:
        """The deal's columns for those who have no scripts."""
        return columns_of(self._deal)

    @property
    def data(self) -> dict[str, Any]:
        """The game for the viewer's modules."""
        return {"deal": self._deal, "log": self.log, "times": list(self.times)}

    @property
    def _deal(self) -> dict[str, Any]:
        return secrecy.deal_json(self.code.mode, self.code.number)


def watch(code: Code, log: str, *, times: Sequence[int] = (), remarks: Mapping[int, str] | None = None) -> Watched:
    """A game, as far as it can be played. ``remarks`` are texts by the number of actions before them."""
    told = tell(Deal.parse(code), log)
    actions = [line.action for line in told[1:]]
    scores = [line.score for line in told]
    return Watched(
        code,
        " ".join(actions),
        times[: len(actions)],
        scores,
        _shown(told, code.mode, remarks or {}),
        curve.draw(scores),
    )


def watch_submission(submission: Submission) -> Watched:
    """A submitted game; of a rejected one what could be played."""
    return watch(submission.challenge.code, watching.legal_log(submission), times=submission.log.times)


def _shown(told: list[Line], mode: str, remarks: Mapping[int, str]) -> list[ShownLine]:
    score = cache(lambda number: score_text(number, mode))
    points = cache(lambda number: points_text(number, mode))
    return [
        ShownLine(line.words, points(line.points), score(line.score), line.points < 0, remarks.get(step, ""))
        for step, line in enumerate(told)
    ]


def viewer_data(*games: Watched) -> dict[str, Any]:
    """What a page hands to the viewer's modules."""
    return {
        "locale": translation.get_language() or "en",
        "words": watching_words(),
        "pictures": court_pictures(),
        "games": [game.data for game in games],
    }
