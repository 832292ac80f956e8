"""Drops indexes that others begin with: each costs every game.

Django itself would check all foreign keys anew, under a lock that stops the server.
"""

import django.db.models.deletion
from django.db import migrations, models


def drop(table, column, index):
    return migrations.RunSQL(
        f"DROP INDEX CONCURRENTLY IF EXISTS {index}", f"CREATE INDEX CONCURRENTLY IF NOT EXISTS {index} ON {table} ({column})"
    )


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("games", "0009_redundant_indexes"),
        ("leaderboards", "0007_pending_recounts"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                drop("leaderboards_membership", "club_id", "leaderboards_membership_club_id_7a6600d3"),
                drop("leaderboards_standing", "challenge_id", "leaderboards_standing_challenge_id_d39aa703"),
                drop("leaderboards_standing", "submission_id", "leaderboards_standing_submission_id_e17f2223"),
            ],
            state_operations=[
                migrations.AlterField(
                    model_name="membership",
                    name="club",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to="leaderboards.club",
                    ),
                ),
                migrations.AlterField(
                    model_name="standing",
                    name="challenge",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="standings",
                        to="games.challenge",
                    ),
                ),
                migrations.AlterField(
                    model_name="standing",
                    name="submission",
                    field=models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="standings",
                        to="games.submission",
                    ),
                ),
            ],
        ),
    ]
