"""What applications in Python have in common: rows with values at the edges, and how rows are shown."""

import datetime as dt
import json
from decimal import Decimal

UTC = dt.timezone.utc
MOMENTS = [
    dt.datetime(2024, 2, 29, 23, 59, 59, 999999, UTC),
    dt.datetime(2026, 3, 28, 20, 45, tzinfo=UTC),
    dt.datetime(1970, 1, 1, 0, 0, 0, 1, UTC),
    dt.datetime(2199, 12, 31, 12, 0, tzinfo=UTC),
]
DOCUMENTS = [{}, {"b": [1, None, True, {"ü": "\\\"\n"}], "a": 2**53}, [], "text", 1.5, False]


def customer(n):
    return {
        "name": ["Ada", "Żółć", "李小龙", "O'Brien \\", "👩‍🚀 ", ""][n % 6],
        "born": dt.date(1900 + n, 2, 28) if n % 5 else None,
        "is_active": bool(n % 2),
        "may_write": [None, True, False][n % 3],
    }


def order(n, k):
    return {
        "state": ["open", "paid"][k % 2],
        "amount": Decimal(["0.00", "-0.01", "9999999999.99", "12.50"][(n + k) % 4]),
        "weight": [None, 0.1, -1e300, 5e-324, 1 / 3][(n + k) % 5],
        "pieces": [1, 32767][k % 2],
        "largest": [None, 0, 2**63 - 1][k],
        "made": MOMENTS[(n + k) % 4],
        "wanted": [None, dt.time(0, 0), dt.time(23, 59, 59)][k],
        "data": DOCUMENTS[(n + k) % 6],
        "scan": [None, b"", bytes(range(256))][k],
        "note": ["", "line\r\nline\ttab", "x" * 60_000][k if n == 7 else 0],
    }


def plain(value):
    if isinstance(value, dt.datetime):
        # A database without zones has UTC.
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).astimezone(UTC).isoformat()
    if isinstance(value, (bytes, memoryview)):
        return bytes(value).hex()
    return value.model_dump(mode="json") if hasattr(value, "model_dump") else str(value)


def show(name, fields):
    print(name, json.dumps(fields, default=plain, sort_keys=True))
