"""Drops indexes that others begin with, and knox's for `LIKE`, which nobody asks for: each costs every game.

Django itself would check all foreign keys anew, under a lock that stops the server.
"""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def drop(table, column, index):
    return migrations.RunSQL(
        f"DROP INDEX CONCURRENTLY IF EXISTS {index}", f"CREATE INDEX CONCURRENTLY IF NOT EXISTS {index} ON {table} ({column})"
    )


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("games", "0008_disputes"),
        ("knox", "0009_extend_authtoken_field"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                drop("games_attempt", "challenge_id", "games_attempt_challenge_id_8c39ae2a"),
                drop("games_submission", "attempt_id", "games_submission_attempt_id_407ec9a6"),
                drop("games_submission", "challenge_id", "games_submission_challenge_id_997450ae"),
                drop("games_submission", "player_id", "games_submission_player_id_16dd5529"),
                drop("games_moderationact", "player_id", "games_moderationact_player_id_c4668cc1"),
                drop("games_reviewflag", "submission_id", "games_reviewflag_submission_id_64c1ead7"),
                drop("knox_authtoken", "digest varchar_pattern_ops", "knox_authtoken_digest_188c7e77_like"),
                drop("knox_authtoken", "token_key varchar_pattern_ops", "knox_authtoken_token_key_8f4f7d47_like"),
            ],
            state_operations=[
                migrations.AlterField(
                    model_name="attempt",
                    name="challenge",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="attempts",
                        to="games.challenge",
                    ),
                ),
                migrations.AlterField(
                    model_name="submission",
                    name="attempt",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="submissions",
                        to="games.attempt",
                    ),
                ),
                migrations.AlterField(
                    model_name="submission",
                    name="challenge",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="submissions",
                        to="games.challenge",
                    ),
                ),
                migrations.AlterField(
                    model_name="submission",
                    name="player",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="submissions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AlterField(
                    model_name="moderationact",
                    name="player",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="acts",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AlterField(
                    model_name="reviewflag",
                    name="submission",
                    field=models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="flags",
                        to="games.submission",
                    ),
                ),
            ],
        ),
    ]
