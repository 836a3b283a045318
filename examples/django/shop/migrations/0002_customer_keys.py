import uuid

import django.db.models.deletion
from django.db import migrations, models

import shop.fields

CHANGES = [
    migrations.AlterField(
        model_name="customer",
        name="id",
        field=shop.fields.BytesUUIDField(
            db_column="id_key",
            default=uuid.uuid4,
            editable=False,
            primary_key=True,
            serialize=False,
        ),
    ),
    migrations.AlterField(
        model_name="order",
        name="customer",
        field=models.ForeignKey(
            db_column="customer_id_key",
            on_delete=django.db.models.deletion.CASCADE,
            to="shop.customer",
        ),
    ),
]


# ANCHOR: migration
class AfterRelayout(migrations.SeparateDatabaseAndState):
    """Changes the state. It changes the database only if that is new and has no rows."""

    reversible = False

    def database_forwards(self, app_label, schema_editor, from_state, to_state):
        connection = schema_editor.connection
        with connection.cursor() as cursor:
            columns = connection.introspection.get_table_description(cursor, "shop_customer")
            if any(column.name == "id_key" for column in columns):
                return
            cursor.execute("SELECT 1 FROM shop_customer LIMIT 1")
            if cursor.fetchone():
                raise RuntimeError("shop_customer has rows: run `rowkey relayout` first")
        super().database_forwards(app_label, schema_editor, from_state, to_state)


class Migration(migrations.Migration):
    dependencies = [("shop", "0001_initial")]
    operations = [AfterRelayout(database_operations=CHANGES, state_operations=CHANGES)]
# ANCHOR_END: migration
