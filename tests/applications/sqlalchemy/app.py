"""A shop of SQLAlchemy and Alembic: `app.py migrate|fill|read|write`, on APPLICATION_URL."""

import datetime as dt
import enum
import json
import os
import pathlib
import sys
import tempfile
import uuid
from decimal import Decimal

import sqlalchemy as sa
from sqlalchemy.dialects import mysql
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship

scheme, rest = os.environ["APPLICATION_URL"].split("://")
drivers = {"postgres": "postgresql+psycopg", "mysql": "mysql+pymysql", "sqlite": "sqlite"}
# SQLAlchemy counts the slashes of a path on from the third.
engine = sa.create_engine(f"{drivers[scheme]}://{rest.replace('/', '//', 1) if scheme == 'sqlite' else rest}")
Moment = sa.DateTime(timezone=True).with_variant(mysql.DATETIME(fsp=6), "mysql", "mariadb")
Number = sa.BigInteger().with_variant(sa.Integer, "sqlite")


class State(enum.Enum):
    open = 1
    paid = 2


class Base(DeclarativeBase):
    pass


tagged = sa.Table(
    "tagged",
    Base.metadata,
    sa.Column("customer_id", sa.ForeignKey("customer.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("tag_id", sa.ForeignKey("tag.id", ondelete="CASCADE"), primary_key=True),
)


class Tag(Base):
    __tablename__ = "tag"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(sa.Unicode(30), unique=True)


class Customer(Base):
    __tablename__ = "customer"
    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=uuid.uuid4)
    referred_by_id: Mapped[uuid.UUID | None] = mapped_column(sa.ForeignKey("customer.id"))
    name: Mapped[str] = mapped_column(sa.String(100), index=True)
    born: Mapped[dt.date | None]
    is_active: Mapped[bool] = mapped_column(default=True, server_default=sa.true())
    may_write: Mapped[bool | None]
    tags: Mapped[list[Tag]] = relationship(secondary=tagged)
    orders: Mapped[list["Order"]] = relationship(cascade="all, delete-orphan")


class Order(Base):
    __tablename__ = "order"
    __table_args__ = {"sqlite_autoincrement": True}
    id: Mapped[int] = mapped_column(Number, primary_key=True)
    customer_id: Mapped[uuid.UUID] = mapped_column(sa.ForeignKey(Customer.id), index=True)
    state: Mapped[State] = mapped_column(default=State.open)
    amount: Mapped[Decimal] = mapped_column(sa.Numeric(12, 2))
    weight: Mapped[float | None] = mapped_column(sa.Double)
    pieces: Mapped[int] = mapped_column(sa.SmallInteger, server_default="1")
    largest: Mapped[int | None] = mapped_column(sa.BigInteger)
    made: Mapped[dt.datetime] = mapped_column(Moment)
    wanted: Mapped[dt.time | None]
    took: Mapped[dt.timedelta | None]
    data: Mapped[dict | None] = mapped_column(sa.JSON)
    scan: Mapped[bytes | None]
    note: Mapped[str] = mapped_column(sa.Text)


ENV = """
from alembic import context
import app

with app.engine.begin() as connection:
    context.configure(connection=connection, target_metadata=app.Base.metadata)
    context.run_migrations()
"""


def migrate():
    """With the migration that Alembic makes of the models."""
    from alembic import command, config

    with tempfile.TemporaryDirectory() as folder:
        settings = config.Config(pathlib.Path(folder, "alembic.ini"))
        command.init(settings, folder + "/alembic")
        pathlib.Path(folder, "alembic", "env.py").write_text(ENV)
        settings.set_main_option("script_location", folder + "/alembic")
        command.revision(settings, autogenerate=True)
        command.upgrade(settings, "head")


def fill():
    moments = [
        dt.datetime(2024, 2, 29, 23, 59, 59, 999999, dt.timezone.utc),
        dt.datetime(1970, 1, 1, 0, 0, 0, 1, dt.timezone.utc),
        dt.datetime(2199, 12, 31, 12, 0, tzinfo=dt.timezone.utc),
    ]
    documents = [{}, {"b": [1, None, True, {"ü": "\\\"\n"}], "a": 2**53}, None, [1.5], "text"]
    with Session(engine) as session:
        tags = [Tag(name=f"tag {n}") for n in range(5)]
        session.add_all(tags)
        customer = None
        for n in range(100):
            customer = Customer(
                referred_by_id=customer.id if n % 3 else None,
                name=["Ada", "Żółć", "李小龙", "O'Brien \\", "👩‍🚀", ""][n % 6],
                born=dt.date(1900 + n, 2, 28) if n % 5 else None,
                is_active=bool(n % 2),
                may_write=[None, True, False][n % 3],
                tags=tags[: n % 4],
            )
            session.add(customer)
            session.flush()
            for k in range(3):
                order = Order(
                    state=list(State)[k % 2],
                    amount=Decimal(["0.00", "-0.01", "9999999999.99", "12.50"][(n + k) % 4]),
                    weight=[None, 0.1, -1e300, 5e-324, 1 / 3][(n + k) % 5],
                    pieces=[1, 32767, -32768][k],
                    largest=[None, -(2**63), 2**63 - 1][k],
                    made=moments[(n + k) % 3],
                    wanted=[None, dt.time(0, 0), dt.time(23, 59, 59)][k],
                    took=[None, dt.timedelta(seconds=1), dt.timedelta(40, 3)][(n + k) % 3],
                    data=documents[(n + k) % 5],
                    scan=[None, b"", bytes(range(256))][k],
                    note=["", "line\r\nline\ttab", "x" * 60_000][k if n == 7 else 0],
                )
                customer.orders.append(order)
        session.flush()
        # So that the counter is beyond the last row.
        customer.orders.pop()
        session.commit()


def plain(value):
    if isinstance(value, dt.datetime):
        # A database without zones has UTC.
        value = value if value.tzinfo else value.replace(tzinfo=dt.timezone.utc)
        return value.astimezone(dt.timezone.utc).isoformat()
    return value.hex() if isinstance(value, bytes) else str(value)


def read():
    with Session(engine) as session:
        for mapper in Base.registry.mappers:
            for row in session.scalars(sa.select(mapper)):
                fields = {key: getattr(row, key) for key in mapper.columns.keys()}
                if isinstance(row, Customer):
                    fields["tags"] = sorted(tag.id for tag in row.tags)
                print(mapper.class_.__name__, json.dumps(fields, default=plain, sort_keys=True))


def write():
    with Session(engine) as session:
        last = session.scalar(sa.select(sa.func.max(Order.id)))
        tag = Tag(name="new")
        made = dt.datetime(2026, 11, 28, 12, tzinfo=dt.timezone.utc)
        took = dt.timedelta(days=1, seconds=5)
        order = Order(amount=Decimal("1.10"), made=made, took=took, data={"new": 1}, scan=b"\0", note="")
        new = Customer(name="new", tags=[tag], orders=[order])
        session.add(new)
        session.commit()
        assert tag.id == 6, f"tag {tag.id} follows 5"
        assert order.id == last + 2, f"order {order.id} follows {last}"
        session.expunge_all()
        found = session.scalar(sa.select(Order).where(Order.made == made, Order.state == State.open))
        values = (found.id, found.amount, found.pieces, found.took, found.data, found.scan)
        assert values == (order.id, Decimal("1.10"), 1, took, {"new": 1}, b"\0"), values
        found.state = State.paid
        session.commit()
        referred = sa.select(Customer).where(Customer.referred_by_id.is_not(None))
        orders = sa.select(sa.func.count()).select_from(Order)
        before = session.scalar(orders)
        leaves = referred.where(Customer.id.not_in(sa.select(Customer.referred_by_id).where(Customer.referred_by_id.is_not(None))))
        leaf = session.scalars(leaves.order_by(Customer.id)).first()
        gone = len(leaf.orders)
        session.delete(leaf)
        session.delete(session.get(Customer, new.id))
        session.commit()
        assert session.scalar(orders) == before - gone - 1


if __name__ == "__main__":
    {"migrate": migrate, "fill": fill, "read": read, "write": write}[sys.argv[1]]()
