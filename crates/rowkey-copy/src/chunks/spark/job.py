"""Copies tables from @SOURCE@ to @TARGET@. Written by `rowkey chunks --emit spark`.

    spark-submit --jars postgresql.jar,mariadb-java-client.jar job.py [--create]

With --create, the tables are made, and their indexes and references after the rows. Without, they have to
exist and to be empty. Afterwards, `rowkey verify` compares all rows.

The addresses come from the environment: ROWKEY_SOURCE_JDBC and ROWKEY_TARGET_JDBC, such as
jdbc:postgresql://host/shop and jdbc:mysql://host/shop (for MariaDB too), with _USER and _PASSWORD behind
these names for the accounts.

Spark writes at least once: a task that is repeated writes its rows again. So it writes into a table without
keys, from which one transaction then takes each row once, if as many came out as the source has.
"""

import os
import sys

from pyspark import SparkConf
from pyspark.sql import SparkSession
from pyspark.sql.functions import expr

SOURCE = "@SOURCE@"
TARGET = "@TARGET@"

TABLES = "@TABLES@"

# Without a size, the driver of PostgreSQL reads a whole range into memory.
ROWS_READ = "10000"
ROWS_WRITTEN = "5000"


class Database:
    """One of the two databases."""

    def __init__(self, product, variable):
        self.is_postgres = product == "PostgreSQL"
        self.url = os.environ.get(variable)
        prefix = "jdbc:postgresql:" if self.is_postgres else "jdbc:mysql:"
        # With `jdbc:mariadb:`, Spark 3 quotes names in a way that makes them data.
        if self.url is None or not self.url.startswith(prefix):
            sys.exit(f"error: the variable {variable} is to be an address of {product} with {prefix}")
        if self.is_postgres:
            self.properties = {
                "driver": "org.postgresql.Driver",
                # Text becomes a value of the column's type.
                "stringtype": "unspecified",
                "reWriteBatchedInserts": "true",
            }
        else:
            self.properties = {
                "driver": os.environ.get("ROWKEY_MYSQL_DRIVER", "org.mariadb.jdbc.Driver"),
                "rewriteBatchedStatements": "true",
                "tinyInt1isBit": "false",
                "sessionVariables": "time_zone='+00:00',net_write_timeout=3600,"
                "sql_mode='STRICT_ALL_TABLES,NO_AUTO_VALUE_ON_ZERO,NO_ENGINE_SUBSTITUTION'",
            }
        for name, suffix in [("user", "_USER"), ("password", "_PASSWORD")]:
            value = os.environ.get(variable + suffix)
            if value is not None:
                self.properties[name] = value

    def connect(self, spark):
        """A connection of the driver's own."""
        jvm = spark._jvm
        drivers = jvm.org.apache.spark.sql.execution.datasources.jdbc.DriverRegistry
        drivers.register(self.properties["driver"])
        properties = jvm.java.util.Properties()
        for name, value in self.properties.items():
            properties.setProperty(name, value)
        return jvm.java.sql.DriverManager.getConnection(self.url, properties)


def execute(connection, sql):
    statement = connection.createStatement()
    try:
        statement.execute(sql)
    finally:
        statement.close()


def first(connection, sql):
    """The first value of a query."""
    statement = connection.createStatement()
    try:
        rows = statement.executeQuery(sql)
        rows.next()
        return rows.getString(1)
    finally:
        statement.close()


def count(connection, sql):
    return int(first(connection, sql))


def begin_reading(source, connection):
    """Keeps the source as it is now, and says how other sessions see the same."""
    if not source.is_postgres:
        print("note: programs must not write to the source meanwhile: its sessions do not share a view")
        execute(connection, "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        execute(connection, "START TRANSACTION WITH CONSISTENT SNAPSHOT")
        return {}
    connection.setAutoCommit(False)
    execute(connection, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
    snapshot = first(connection, "SELECT pg_export_snapshot()")
    statement = (
        "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY; "
        f"SET TRANSACTION SNAPSHOT '{snapshot}'; SET TIME ZONE 'UTC'; SET datestyle = 'ISO, MDY'; "
        "SET intervalstyle = 'postgres'; SET extra_float_digits = 1"
    )
    return {"sessionInitStatement": statement}


def stage(spark, table, source, target, session):
    """Writes the rows into the table without keys, some of them perhaps more than once."""
    rows = spark.read.jdbc(
        source.url,
        f"({table['select']}) AS rowkey_source",
        predicates=table["ranges"],
        properties={**source.properties, **session, "fetchsize": ROWS_READ},
    )
    columns = [expr(c["convert"] or f"`{c['value']}`").alias(c["name"]) for c in table["columns"]]
    rows.select(*columns).write.jdbc(
        target.url,
        table["staging"],
        mode="append",
        properties={**target.properties, "batchsize": ROWS_WRITTEN},
    )


def merge(table, connection, rows):
    """Takes each row once; all of them or none."""
    connection.setAutoCommit(False)
    try:
        execute(connection, table["merge"])
        found = count(connection, f"SELECT COUNT(*) FROM {table['target']}")
        if found != rows:
            raise RuntimeError(
                f"{table['table']}: {found} of {rows} rows would be in the target, so that none is: programs "
                "have written to the source, or a unique key of the target takes rows for the same"
            )
        connection.commit()
    except BaseException:
        connection.rollback()
        raise
    finally:
        connection.setAutoCommit(True)


def copy(spark, table, source, target, view, session, connection):
    rows = count(view, table["count"])
    found = count(connection, f"SELECT COUNT(*) FROM {table['target']}")
    if found == rows:
        print(f"{table['table']}: {rows} rows are there already")
        return
    if found:
        raise RuntimeError(f"{table['table']}: the target has {found} rows: empty the table first")
    execute(connection, f"DROP TABLE IF EXISTS {table['staging']}")
    execute(connection, table["make_staging"])
    stage(spark, table, source, target, session)
    staged = count(connection, f"SELECT COUNT(*) FROM {table['staging']}")
    merge(table, connection, rows)
    execute(connection, f"DROP TABLE {table['staging']}")
    print(f"{table['table']}: {rows} rows, of which {staged - rows} were written twice")


def session():
    """A session that computes in UTC, says what is wrong, and does nothing twice on purpose."""
    conf = SparkConf()
    utc = "-Duser.timezone=UTC"
    options = conf.get("spark.executor.extraJavaOptions", "")
    spark = (
        SparkSession.builder.appName("rowkey")
        .config("spark.executor.extraJavaOptions", f"{options} {utc}".strip())
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.ansi.enabled", "true")
        .config("spark.speculation", "false")
        .getOrCreate()
    )
    zones = spark._jvm.java.util.TimeZone
    zones.setDefault(zones.getTimeZone("UTC"))
    return spark


def main():
    create = sys.argv[1:] == ["--create"]
    if sys.argv[1:] and not create:
        sys.exit("error: the only argument is --create")
    source = Database(SOURCE, "ROWKEY_SOURCE_JDBC")
    target = Database(TARGET, "ROWKEY_TARGET_JDBC")
    spark = session()
    view, connection = source.connect(spark), target.connect(spark)
    options = begin_reading(source, view)
    if create:
        for table in TABLES:
            execute(connection, table["create"])
            for note in table["notes"]:
                print(f"note: {note}")
    for table in TABLES:
        copy(spark, table, source, target, view, options, connection)
    if create:
        for kind in ["indexes", "references"]:
            for table in TABLES:
                for one in table[kind]:
                    if not count(connection, one["found"]):
                        execute(connection, one["add"])
    for table in TABLES:
        for statement in table["counter"]:
            execute(connection, statement)
    view.close()
    connection.close()
    spark.stop()
    print("now compare all rows: rowkey verify")


main()
