"""Checks that a number is positive, which each game paid for: PostgreSQL reads and compiles them for every statement."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('games', '0011_implied_keys'),
    ]

    operations = [
        # Who waits for these locks holds up everybody behind: `prepare` gives up soon, and tries again.
        migrations.RunSQL("SET LOCAL lock_timeout = '2s'", migrations.RunSQL.noop),
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
