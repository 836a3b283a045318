"""Prefect's own tables, through its client and its ORM."""

import asyncio
import datetime as dt
import os
import sys

drivers = {"postgres": "postgresql+asyncpg", "sqlite": "sqlite+aiosqlite"}
scheme, rest = os.environ["APPLICATION_URL"].split("://")
if scheme == "sqlite":
    # SQLAlchemy counts the slashes of a path on from the third.
    rest = rest.replace("/", "//", 1)
os.environ["PREFECT_SERVER_DATABASE_CONNECTION_URL"] = f"{drivers[scheme]}://{rest}"
os.environ["PREFECT_SERVER_ANALYTICS_ENABLED"] = "false"
os.environ["PREFECT_LOGGING_TO_API_ENABLED"] = "false"

import rows
import sqlalchemy as sa
from prefect import flow, task
from prefect.client.orchestration import PrefectClient
from prefect.client.schemas.actions import (
    DeploymentScheduleCreate,
    LogCreate,
    VariableCreate,
    WorkPoolCreate,
)
from prefect.client.schemas.objects import StateType
from prefect.client.schemas.schedules import CronSchedule, IntervalSchedule
from prefect.server.api.server import create_app
from prefect.server.database import provide_database_interface
from prefect.states import Completed, Failed, Running, Scheduled


@flow(name="Bestellung – 订单")
def order(number: int = 1, note: str = "ü"):
    pass


@task
def pack():
    pass


def client():
    return PrefectClient(create_app(ephemeral=True))


async def migrate():
    await provide_database_interface().create_db()


async def fill():
    moment = dt.datetime(2026, 3, 29, 2, 30, 0, 1, dt.timezone(dt.timedelta(hours=5, minutes=45)))
    async with client() as api:
        flow_id = await api.create_flow(order)
        await api.create_work_pool(WorkPoolCreate(name="pool", type="process"))
        schedules = [
            CronSchedule(cron="0 3 * * *", timezone="Europe/Berlin"),
            IntervalSchedule(interval=dt.timedelta(hours=1), anchor_date=moment),
        ]
        schedules = [DeploymentScheduleCreate(schedule=schedule) for schedule in schedules]
        deployment = await api.create_deployment(
            flow_id, "nightly", schedules=schedules, work_pool_name="pool", tags=["a", "ß"],
            parameters={"number": 2}, paused=True,
        )
        await api.create_concurrency_limit(tag="database", concurrency_limit=2)
        for n in range(5):
            variable = VariableCreate(name=f"v{n}", value={"ä": [n, None]}, tags=["x"])
            await api.create_variable(variable)
        for n in range(40):
            run = await api.create_flow_run(
                order, name=f"run {n}", parameters={"number": n, "note": "\\\"\n👩‍🚀"},
                tags=["ü"] * (n % 2), state=Scheduled(scheduled_time=moment),
            )
            await api.set_flow_run_state(run.id, Running(), force=True)
            task = await api.create_task_run(pack, run.id, dynamic_key=str(n), state=Running())
            await api.set_task_run_state(task.id, Completed(message="µ"), force=True)
            end = Completed() if n % 3 else Failed(message="O'Brien \\ failed")
            await api.set_flow_run_state(run.id, end, force=True)
            message = {"level": 20, "message": f"{n} …", "timestamp": moment}
            await api.create_logs([LogCreate(name="log", flow_run_id=run.id, **message)])
        for n in range(5):
            await api.create_flow_run_from_deployment(deployment, name=f"deployed {n}")


async def read():
    database = provide_database_interface()
    async with database.session_context() as session:
        for mapper in database.Base.registry.mappers:
            for row in (await session.execute(sa.select(mapper))).scalars():
                fields = {key: getattr(row, key) for key in mapper.columns.keys()}
                rows.show(mapper.class_.__name__, fields)


async def write():
    async with client() as api:
        found = await api.read_flow_by_name(order.name)
        runs = await api.read_flow_runs(limit=200)
        deployment = await api.read_deployment_by_name(f"{order.name}/nightly")
        parameters = {"number": 7}
        run = await api.create_flow_run_from_deployment(deployment.id, parameters=parameters)
        assert run.flow_id == found.id
        await api.set_flow_run_state(run.id, Completed(), force=True)
        again = await api.read_flow_run(run.id)
        assert (again.state_type, again.parameters["number"]) == (StateType.COMPLETED, 7)
        await api.delete_flow_run(runs[0].id)
        assert len(await api.read_flow_runs(limit=200)) == len(runs)
        await api.delete_deployment(deployment.id)


asyncio.run({"migrate": migrate, "fill": fill, "read": read, "write": write}[sys.argv[1]]())
