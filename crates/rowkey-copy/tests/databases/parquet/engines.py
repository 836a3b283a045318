"""Reads Parquet files with pyarrow and DuckDB, for engines.rs."""

import datetime
import decimal
import json
import sys
import uuid

import duckdb
import pyarrow.parquet


def text(value):
    """A value as the tests write it, and text in hexadecimal."""
    match value:
        case None:
            return None
        case bool():
            return str(int(value))
        case decimal.Decimal():
            return format(value, "f")
        case uuid.UUID():
            return str(value)
        case str():
            return value.encode().hex()
        case bytes():
            return value.hex()
        case datetime.datetime():
            return value.isoformat(" ", "microseconds")[:26]
        case datetime.time():
            return value.isoformat("microseconds")
        case _:
            return str(value)


def values(path):
    """The types and values of all columns."""
    table = pyarrow.parquet.read_table(path)
    print(json.dumps({
        "types": {field.name: str(field.type) for field in table.schema},
        "values": {
            name: [text(value) for value in table.column(name).to_pylist()]
            for name in table.column_names
        },
    }))


def join(here, there):
    """How many customers are in both files."""
    query = "SELECT count(*) FROM read_parquet(?) JOIN read_parquet(?) USING (id, customer_number)"
    print(duckdb.execute(query, [here, there]).fetchone()[0])


def rewrite(path, other):
    """A copy that DuckDB has written, without what another program has noted in the file."""
    duckdb.read_parquet(path).write_parquet(other)


match sys.argv[1:]:
    case ["values", path]:
        values(path)
    case ["join", here, there]:
        join(here, there)
    case ["rewrite", path, other]:
        rewrite(path, other)
    case other:
        sys.exit(f"unknown arguments: {other}")
