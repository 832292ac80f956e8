"""The sign by which whoever keeps names knows that they still hold."""

from __future__ import annotations

from django.contrib.postgres.functions import RandomUUID
from django.db import models


class NameChange(models.Model):
    """A change of what boards show of players, or of whose a submission is: of which all but the last are deleted.

    Triggers of the database add rows, in the transaction of the change, so that nobody who changes a name can forget
    it. The rows that a transaction sees are the sign (`games.services.players.NAMES_SIGN`): another set of them after
    each commit. Nobody waits for anybody there, as all would for one row that is overwritten.
    """

    id = models.UUIDField(primary_key=True, db_default=RandomUUID())

    def __str__(self) -> str:
        return str(self.id)
