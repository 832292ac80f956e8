"""Checks that a number is positive, which each game paid for: PostgreSQL reads and compiles them for every statement."""

from django.db import migrations, models


class Migration(migrations.Migration):
    # Each table is had for its own statement only.
    atomic = False

    dependencies = [
        ('games', '0011_implied_keys'),
    ]

    operations = [
        migrations.AlterField(
            model_name='attempt',
            name='number',
            field=models.IntegerField(),
        ),
        migrations.AlterField(
            model_name='submission',
            name='attempt_number',
            field=models.IntegerField(),
        ),
        migrations.AlterField(
            model_name='submission',
            name='rules_version',
            field=models.SmallIntegerField(blank=True, null=True),
        ),
        migrations.AlterField(
            model_name='submission',
            name='tries',
            field=models.SmallIntegerField(db_default=0),
        ),
    ]
