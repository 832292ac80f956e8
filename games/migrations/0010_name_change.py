import django.contrib.postgres.functions
from django.db import migrations, models

# For each statement that sets a column which a line of a board shows, or which says whose it is or whether it counts.
# It deletes what others have left as far as nobody else is doing that, and so waits for nobody.
_NOTE = """
CREATE FUNCTION games_note_name_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    made uuid;
BEGIN
    INSERT INTO games_namechange DEFAULT VALUES RETURNING id INTO made;
    DELETE FROM games_namechange
    WHERE id IN (SELECT id FROM games_namechange WHERE id <> made FOR UPDATE SKIP LOCKED);
    RETURN NULL;
END
$$;
CREATE TRIGGER note_name_change AFTER UPDATE OF name, is_guest, is_banned ON games_player
    FOR EACH STATEMENT EXECUTE FUNCTION games_note_name_change();
CREATE TRIGGER note_name_change AFTER UPDATE OF player_id, is_disqualified ON games_submission
    FOR EACH STATEMENT EXECUTE FUNCTION games_note_name_change();
INSERT INTO games_namechange DEFAULT VALUES;
"""
_FORGET = """
DROP TRIGGER note_name_change ON games_submission;
DROP TRIGGER note_name_change ON games_player;
DROP FUNCTION games_note_name_change();
"""


class Migration(migrations.Migration):
    dependencies = [("games", "0009_redundant_indexes")]

    operations = [
        migrations.CreateModel(
            name="NameChange",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=django.contrib.postgres.functions.RandomUUID(), primary_key=True, serialize=False
                    ),
                ),
            ],
        ),
        migrations.RunSQL(_NOTE, _FORGET),
    ]
