from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboards', '0005_superseded'),
    ]

    operations = [
        migrations.AddField(
            model_name='closeddaily',
            name='is_current',
            field=models.BooleanField(default=False),
        ),
    ]
