"""Foreign keys that another one of the row implies: each was asked for, and its row locked, with every game."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    # Each table is had for its own statement only.
    atomic = False

    dependencies = [
        ('games', '0011_implied_keys'),
        ('leaderboards', '0008_redundant_indexes'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(
            model_name='periodstanding',
            name='player',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='period_standings', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AlterField(
            model_name='standing',
            name='challenge',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='standings', to='games.challenge'),
        ),
        migrations.AlterField(
            model_name='standing',
            name='player',
            field=models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.PROTECT, related_name='standings', to=settings.AUTH_USER_MODEL),
        ),
    ]
