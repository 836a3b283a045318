"""A shop of Django with its admin."""

import datetime as dt
import os
import sys
import tempfile
from decimal import Decimal
from urllib.parse import urlsplit

import django
import rows
from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import transaction

url = urlsplit(os.environ["APPLICATION_URL"])
if url.scheme == "mysql":
    import pymysql

    # Django asks for the version of mysqlclient.
    pymysql.version_info = (2, 2, 7, "final", 0)
    pymysql.install_as_MySQLdb()
engine = {"sqlite": "sqlite3", "mysql": "mysql", "postgres": "postgresql"}[url.scheme]
server = {"HOST": url.hostname, "PORT": url.port, "USER": url.username, "PASSWORD": url.password}
name = url.path if engine == "sqlite3" else url.path[1:]
settings.configure(
    DATABASES={"default": {"ENGINE": f"django.db.backends.{engine}", "NAME": name, **server}},
    INSTALLED_APPS=[
        "django.contrib.admin",
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "django.contrib.messages",
        "django.contrib.sessions",
        "shop",
    ],
    MIGRATION_MODULES={"shop": "shop_migrations"},
    SECRET_KEY="only for this",
    SILENCED_SYSTEM_CHECKS=["admin", "models.W036", "models.W037"],
    USE_TZ=True,
)
django.setup()


def migrate():
    """With the migrations that Django makes of the models."""
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "shop_migrations"))
        open(os.path.join(folder, "shop_migrations", "__init__.py"), "w").close()
        sys.path.insert(0, folder)
        call_command("makemigrations", "shop", verbosity=0)
        call_command("migrate", verbosity=0)


@transaction.atomic
def fill():
    from django.contrib.admin.models import ADDITION, LogEntry
    from django.contrib.auth.models import Group, Permission, User
    from django.contrib.contenttypes.models import ContentType
    from django.contrib.sessions.backends.db import SessionStore
    from shop.models import Customer, Label, Order

    users = [User.objects.create_user(f"user{n}", password=None) for n in range(20)]
    group = Group.objects.create(name="Lager")
    group.permissions.set(Permission.objects.filter(codename__startswith="add_"))
    users[0].groups.add(group)
    users[1].user_permissions.set(Permission.objects.filter(content_type__app_label="shop"))
    session = SessionStore()
    session["cart"] = ["ä", 1]
    session.save()
    labels = [Label.objects.create(name=f"label {n}") for n in range(5)]
    customer = None
    for n in range(100):
        customer = Customer.objects.create(
            user=users[n] if n < 20 else None,
            referred_by=customer if n % 3 else None,
            email=f"c{n}@example.com" if n % 4 else None,
            **rows.customer(n),
        )
        customer.labels.set(labels[: n % 4])
        for k in range(3):
            Order.objects.create(
                customer=customer,
                took=[None, dt.timedelta(microseconds=-1), dt.timedelta(40, 3, 5)][(n + k) % 3],
                more=rows.DOCUMENTS[k] if n % 2 else None,
                address=[None, "192.0.2.1", "2001:db8::1"][k],
                **rows.order(n, k),
            )
    # So that the counters are beyond the last rows.
    Order.objects.order_by("-pk").first().delete()
    Label.objects.create(name="gone").delete()
    content_type = ContentType.objects.get_for_model(Customer)
    LogEntry.objects.create(
        user=users[0], content_type=content_type, object_id=str(customer.pk),
        object_repr="a", action_flag=ADDITION, change_message='[{"added": {}}]',
    )


def read():
    for model in apps.get_models():
        for row in model.objects.order_by("pk"):
            fields = {field.name: getattr(row, field.attname) for field in model._meta.fields}
            for field in model._meta.many_to_many:
                fields[field.name] = sorted(str(o.pk) for o in getattr(row, field.name).all())
            rows.show(model.__name__, fields)


def write():
    from django.contrib.auth.models import Permission, User
    from django.db.models import Max
    from shop.models import Customer, Label, Order

    last = lambda model: model.objects.aggregate(Max("pk"))["pk__max"]
    users, labels, orders = map(last, (User, Label, Order))
    user = User.objects.create_user("new", password=None)
    user.user_permissions.add(Permission.objects.get(codename="add_order"))
    label = Label.objects.create(name="new")
    customer = Customer.objects.create(name="new", referred_by=Customer.objects.first(), user=user)
    customer.labels.add(label)
    made = dt.datetime(2026, 11, 28, 12, tzinfo=dt.timezone.utc)
    took = dt.timedelta(days=-1, microseconds=5)
    order = Order.objects.create(
        customer=customer, amount="1.10", made=made, took=took, data={"new": [1]}, scan=b"\0"
    )
    assert user.pk == users + 1, f"user {user.pk} follows {users}"
    assert label.pk == labels + 2, f"label {label.pk} follows {labels}"
    assert order.pk == orders + 2, f"order {order.pk} follows {orders}"
    found = Order.objects.get(data__new=[1], made=made, token=order.token)
    assert (found.took, found.amount, bytes(found.scan)) == (took, Decimal("1.10"), b"\0")
    assert Customer.objects.filter(labels=label, user__username="new").get() == customer
    Order.objects.filter(pk=order.pk).update(state="paid", more={"a": None})
    assert Order.objects.get(more__has_key="a", customer=customer).state == "paid"
    first = Customer.objects.exclude(order=None).order_by("pk").first()
    of_first = first.order_set.count()
    orders = Order.objects.count()
    customer.delete()
    key = first.pk
    first.delete()
    assert Order.objects.count() == orders - 1 - of_first
    assert not Customer.objects.filter(referred_by_id=key).exists()


{"migrate": migrate, "fill": fill, "read": read, "write": write}[sys.argv[1]]()
