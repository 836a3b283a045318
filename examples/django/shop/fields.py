import uuid

from django.db import models


class BytesUUIDField(models.UUIDField):
    """A UUID in sixteen bytes."""

    def get_internal_type(self):
        return "BytesUUIDField"

    def db_type(self, connection):
        return {"mysql": "binary(16)", "sqlite": "blob"}[connection.vendor]

    def rel_db_type(self, connection):
        return self.db_type(connection)

    def get_db_prep_value(self, value, connection, prepared=False):
        value = self.to_python(value)
        return None if value is None else value.bytes

    def from_db_value(self, value, expression, connection):
        return None if value is None else uuid.UUID(bytes=bytes(value))
