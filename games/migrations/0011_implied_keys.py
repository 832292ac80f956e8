"""Foreign keys that another one of the row implies: each was asked for, and its row locked, with every game."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    # Each table is had for its own statement only.
    atomic = False

    dependencies = [
        ('games', '0010_name_change'),
    ]

    operations = [
        migrations.AlterField(
            model_name='addresssighting',
            name='player',
            field=models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AlterField(
            model_name='reviewedlog',
            name='challenge',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='games.challenge'),
        ),
        migrations.AlterField(
            model_name='reviewedlog',
            name='player',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AlterField(
            model_name='submission',
            name='challenge',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to='games.challenge'),
        ),
        migrations.AlterField(
            model_name='submission',
            name='player',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to=settings.AUTH_USER_MODEL),
        ),
    ]
