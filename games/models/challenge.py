"""Challenges: deals put up for competition."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now
from simple_history.models import HistoricalRecords

from games.engine import MODES, Code, Deal, winning_moves

#: What only `Challenge.save` writes: it replays the winning log first.
_PROVEN = frozenset({"mode", "family", "number", "winning_log", "par"})


class ChallengeQuerySet(models.QuerySet["Challenge"]):
    """Which challenges there are, seen at a moment."""

    def visible(self, now: datetime.datetime) -> ChallengeQuerySet:
        """Those that players may know of: published, opened, and not cancelled."""
        return self.filter(opens_at__lte=now, published_at__isnull=False, cancelled_at=None)

    def secret(self, now: datetime.datetime) -> ChallengeQuerySet:
        """Those whose deal nobody may see outside an attempt: open, in their grace period, or still to come.

        Cancelled ones too: they may be brought back.
        """
        return self.filter(closes_at__gt=now - settings.QV_GRACE)

    def with_layout(self, code: Code) -> ChallengeQuerySet:
        """Those with the cards of that code. All Klondike modes deal the same cards for the same number."""
        return self.filter(family=MODES[code.mode].family, number=code.number)

    def update(self, **values: Any) -> int:
        """Change rows at once; deals and proofs can't be changed like that."""
        _refuse_proofs(values)
        return super().update(**values)

    def bulk_update(self, objs: Iterable[Challenge], fields: Iterable[str], batch_size: int | None = None) -> int:
        """As Django's, but for deals and proofs."""
        names = list(fields)
        _refuse_proofs(names)
        return super().bulk_update(objs, names, batch_size)

    def bulk_create(self, objs: Iterable[Challenge], *arguments: Any, **options: Any) -> list[Challenge]:
        """As Django's, with each winning log replayed first."""
        challenges = list(objs)
        for challenge in challenges:
            challenge.check_proof()
        return super().bulk_create(challenges, *arguments, **options)


def _refuse_proofs(names: Iterable[str]) -> None:
    if refused := _PROVEN.intersection(names):
        raise ValueError(
            f"{', '.join(sorted(refused))}: a deal and its proof are changed by saving the challenge alone"
        )


class Challenge(models.Model):
    """A deal with a window ``[opens_at, closes_at)``. A daily has a UTC date, an event has none.

    It is over when the grace period has passed as well: spoilers, medals and final ranks wait for that. A daily can't
    be there without a log that wins it; an event can, and waits unpublished until it is proven or an admin lets it go.
    """

    class Difficulty(models.TextChoices):
        """How long the solver had to look for its first win (`games.solver.difficulty`)."""

        EASY = "easy"
        MEDIUM = "medium"
        HARD = "hard"

    MODE_CHOICES: ClassVar = [(key, mode.prefix) for key, mode in MODES.items()]

    mode = models.CharField(max_length=6, choices=MODE_CHOICES)
    # The layout is (family, number): the same number is the same cards in all modes of a family.
    family = models.CharField(max_length=3)
    number = models.BigIntegerField()
    date = models.DateField(null=True, blank=True)
    title = models.CharField(max_length=80, blank=True)
    opens_at = models.DateTimeField()
    closes_at = models.DateTimeField()
    published_at = models.DateTimeField(null=True, blank=True)
    cancelled_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(db_default=Now())
    is_featured = models.BooleanField(default=False, db_default=False)
    shows_par = models.BooleanField("shows par while open", default=True, db_default=True)

    # The proof: a log that wins, as the engine has replayed it before it was stored, and what finding it took.
    winning_log = models.TextField(null=True, blank=True)
    search_seconds = models.FloatField(null=True, blank=True)
    solver_version = models.PositiveSmallIntegerField(null=True, blank=True)
    difficulty = models.CharField(max_length=6, choices=Difficulty.choices, null=True, blank=True)
    # The fewest moves of any known win, the winning log's or a player's.
    par = models.PositiveIntegerField(null=True, blank=True)

    objects = ChallengeQuerySet.as_manager()
    history = HistoricalRecords(excluded_fields=["winning_log", "family", "created_at"])

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["mode", "date"], name="challenge_one_daily_a_mode_and_date"),
            models.UniqueConstraint(fields=["family", "number"], name="challenge_layout_used_once"),
            models.CheckConstraint(condition=Q(opens_at__lt=F("closes_at")), name="challenge_opens_before_it_closes"),
            models.CheckConstraint(
                condition=Q(date=None) | Q(winning_log__isnull=False), name="challenge_daily_is_proven"
            ),
            models.CheckConstraint(
                condition=Q(winning_log=None, search_seconds=None, solver_version=None, difficulty=None)
                | Q(
                    winning_log__isnull=False,
                    par__isnull=False,
                    search_seconds__isnull=False,
                    solver_version__isnull=False,
                    difficulty__isnull=False,
                ),
                name="challenge_proof_is_whole",
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["closes_at"]), models.Index(fields=["date"])]

    def __str__(self) -> str:
        return f"{self.mode} {self.date or self.title}"

    def save(self, *arguments: Any, **options: Any) -> None:
        """Store the row. Raises `games.engine.NotWon` where the winning log doesn't win the deal."""
        self.check_proof()
        super().save(*arguments, **options)

    def check_proof(self) -> None:
        """Replay the winning log, if there is one; par is at most its moves. Raises `games.engine.NotWon`."""
        self.family = MODES[self.mode].family
        if self.winning_log is not None:
            moves = winning_moves(Deal.parse(self.code), self.winning_log)
            self.par = moves if self.par is None else min(self.par, moves)

    @property
    def code(self) -> Code:
        """The deal's code."""
        return Code(self.mode, self.number)

    @property
    def is_proven(self) -> bool:
        """Whether a log is stored that wins."""
        return self.winning_log is not None

    def is_open(self, now: datetime.datetime) -> bool:
        """Whether an attempt may start."""
        return self.published_at is not None and self.cancelled_at is None and self.opens_at <= now < self.closes_at

    def is_over(self, now: datetime.datetime) -> bool:
        """Whether the window and the grace period have passed."""
        return now >= self.closes_at + settings.QV_GRACE
