"""A shop of SQLAlchemy and Alembic."""

import datetime as dt
import os
import pathlib
import sys
import tempfile
import uuid
from decimal import Decimal

import rows
import sqlalchemy as sa
from sqlalchemy.dialects import mysql
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship

scheme, rest = os.environ["APPLICATION_URL"].split("://")
drivers = {"postgres": "postgresql+psycopg", "mysql": "mysql+pymysql", "sqlite": "sqlite"}
# SQLAlchemy counts the slashes of a path on from the third.
rest = rest.replace("/", "//", 1) if scheme == "sqlite" else rest
engine = sa.create_engine(f"{drivers[scheme]}://{rest}")
Moment = sa.DateTime(timezone=True).with_variant(mysql.DATETIME(fsp=6), "mysql", "mariadb")
Number = sa.BigInteger().with_variant(sa.Integer, "sqlite")


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
    state: Mapped[str] = mapped_column(sa.Enum("open", "paid", name="state"), default="open")
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
import sqlalchemy_app as app

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
    with Session(engine) as session:
        tags = [Tag(name=f"tag {n}") for n in range(5)]
        session.add_all(tags)
        customer = None
        for n in range(100):
            customer = Customer(
                referred_by_id=customer.id if n % 3 else None,
                **rows.customer(n),
                tags=tags[: n % 4],
            )
            session.add(customer)
            session.flush()
            for k in range(3):
                took = [None, dt.timedelta(seconds=1), dt.timedelta(40, 3)][(n + k) % 3]
                customer.orders.append(Order(took=took, **rows.order(n, k)))
        session.flush()
        # So that the counter is beyond the last row.
        customer.orders.pop()
        session.commit()


def read():
    with Session(engine) as session:
        for mapper in Base.registry.mappers:
            for row in session.scalars(sa.select(mapper)):
                fields = {key: getattr(row, key) for key in mapper.columns.keys()}
                if isinstance(row, Customer):
                    fields["tags"] = sorted(tag.id for tag in row.tags)
                rows.show(mapper.class_.__name__, fields)


def write():
    # Values of written rows are kept, to be compared with what is read.
    with Session(engine, expire_on_commit=False) as session:
        last = session.scalar(sa.select(sa.func.max(Order.id)))
        tag = Tag(name="new")
        made = dt.datetime(2026, 11, 28, 12, tzinfo=dt.timezone.utc)
        took = dt.timedelta(days=1, seconds=5)
        values = {"amount": Decimal("1.10"), "took": took, "data": {"new": 1}, "scan": b"\0"}
        order = Order(made=made, note="", **values)
        new = Customer(name="new", tags=[tag], orders=[order])
        session.add(new)
        session.commit()
        assert tag.id == 6, f"tag {tag.id} follows 5"
        assert order.id == last + 2, f"order {order.id} follows {last}"
        session.expunge_all()
        found = session.scalar(sa.select(Order).where(Order.made == made, Order.state == "open"))
        assert (found.id, found.pieces) == (order.id, 1)
        assert {key: getattr(found, key) for key in values} == values
        found.state = "paid"
        session.commit()
        orders = sa.select(sa.func.count()).select_from(Order)
        before = session.scalar(orders)
        referring = sa.select(Customer.referred_by_id).where(Customer.referred_by_id.is_not(None))
        leaf = session.scalars(sa.select(Customer).where(Customer.id.not_in(referring))).first()
        gone = len(leaf.orders)
        session.delete(leaf)
        session.delete(session.get(Customer, new.id))
        session.commit()
        assert session.scalar(orders) == before - gone - 1


if __name__ == "__main__":
    {"migrate": migrate, "fill": fill, "read": read, "write": write}[sys.argv[1]]()
