from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('games', '0002_publishing'),
    ]

    operations = [
        migrations.AddConstraint(
            model_name='challenge',
            constraint=models.CheckConstraint(condition=models.Q(('date', None), ('winning_log__isnull', False), _connector='OR'), name='challenge_daily_is_proven'),
        ),
        migrations.AddConstraint(
            model_name='challenge',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('difficulty', None), ('search_seconds', None), ('solver_version', None), ('winning_log', None)), models.Q(('difficulty__isnull', False), ('par__isnull', False), ('search_seconds__isnull', False), ('solver_version__isnull', False), ('winning_log__isnull', False)), _connector='OR'), name='challenge_proof_is_whole'),
        ),
    ]
