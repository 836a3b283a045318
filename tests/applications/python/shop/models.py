"""A shop with a field of each kind."""

import uuid

from django.contrib.auth.models import User
from django.db import models


class Label(models.Model):
    id = models.SmallAutoField(primary_key=True)
    name = models.CharField(max_length=30, unique=True)


class Customer(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.OneToOneField(User, models.SET_NULL, null=True)
    referred_by = models.ForeignKey("self", models.SET_NULL, null=True, related_name="referred")
    name = models.CharField(max_length=100, db_index=True)
    email = models.EmailField(unique=True, null=True)
    born = models.DateField(null=True)
    is_active = models.BooleanField(default=True)
    may_write = models.BooleanField(null=True)
    labels = models.ManyToManyField(Label, related_name="customers")


class Order(models.Model):
    class State(models.TextChoices):
        OPEN = "open"
        PAID = "paid"

    id = models.BigAutoField(primary_key=True)
    customer = models.ForeignKey(Customer, models.CASCADE)
    token = models.UUIDField(default=uuid.uuid4, unique=True)
    state = models.CharField(max_length=8, choices=State, default=State.OPEN)
    amount = models.DecimalField(max_digits=12, decimal_places=2)
    weight = models.FloatField(null=True)
    pieces = models.PositiveSmallIntegerField(default=1)
    largest = models.PositiveBigIntegerField(null=True)
    made = models.DateTimeField()
    wanted = models.TimeField(null=True)
    took = models.DurationField(null=True)
    data = models.JSONField(default=dict)
    more = models.JSONField(null=True)
    scan = models.BinaryField(null=True)
    address = models.GenericIPAddressField(null=True)
    note = models.TextField(blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["state", "-made"]),
            models.Index(fields=["made"], condition=models.Q(state="open"), name="shop_open"),
        ]
        constraints = [models.CheckConstraint(condition=models.Q(pieces__gt=0), name="some_pieces")]
