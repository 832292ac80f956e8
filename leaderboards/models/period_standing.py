"""Period standings: what a player has come to in a week, a month, or all time."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q

from games.models import Challenge
from leaderboards.period_ranking import DIGITS, PeriodKey
from leaderboards.periods import Period


class PeriodStanding(models.Model):
    """A player's sums over the dailies of a mode, each by the submission that stands on its `best` board.

    Changed by differences in the transaction that changes a standing, so it is always the sum of the `best` standings;
    `manage.py recount` recomputes it. ``score`` is in points; Vegas modes add 52 for each daily played, so that playing
    never costs. ``key`` is the whole order packed into one number (`leaderboards.period_ranking`).
    ``is_pushed`` says whether Redis has heard of the row as it is now, ``pushed_key`` under which key it was told last,
    ``superseded`` under which ones it may have been told since by somebody who died before that was noted.
    A row without a played daily is on no board: it waits until Redis has heard that.
    """

    pk = models.CompositePrimaryKey("player_id", "mode", "period", "starts_on")
    # Whoever has sums has submissions, whose attempts keep the player, or had them: such rows are never deleted.
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="period_standings",
        db_index=False,
        db_constraint=False,
    )
    mode = models.CharField(max_length=6, choices=Challenge.MODE_CHOICES)
    period = models.CharField(max_length=5, choices=Period.choices)
    starts_on = models.DateField()
    score = models.BigIntegerField()
    played = models.IntegerField()
    won = models.IntegerField()
    moves = models.BigIntegerField()
    key = models.GeneratedField(
        expression=PeriodKey(F("score"), F("won"), F("moves")),
        output_field=models.DecimalField(max_digits=DIGITS, decimal_places=0),
        db_persist=True,
    )
    is_pushed = models.BooleanField(db_default=False)
    pushed_key = models.DecimalField(max_digits=DIGITS, decimal_places=0, null=True, blank=True)
    superseded = ArrayField(models.DecimalField(max_digits=DIGITS, decimal_places=0), null=True, blank=True)

    class Meta:
        indexes: ClassVar = [
            models.Index(
                fields=["mode", "period", "starts_on", "key", "player"],
                condition=Q(played__gt=0),
                name="period_standing_order",
            ),
            models.Index(
                fields=["mode", "period", "starts_on", "player"],
                condition=Q(is_pushed=False),
                name="period_standing_unpushed",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.mode}, {self.period} of {self.starts_on}: player {self.player_id}"
