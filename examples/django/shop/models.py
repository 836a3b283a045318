import uuid

from django.db import models

from shop.fields import BytesUUIDField


# ANCHOR: models
class Customer(models.Model):
    id = BytesUUIDField(primary_key=True, default=uuid.uuid4, editable=False, db_column="id_key")
    name = models.CharField(max_length=100)


class Order(models.Model):
    customer = models.ForeignKey(
        Customer, on_delete=models.CASCADE, db_column="customer_id_key"
    )
    cents = models.BigIntegerField()
# ANCHOR_END: models
