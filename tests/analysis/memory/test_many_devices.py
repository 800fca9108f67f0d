"""Memory tables of many devices: each device has the rows it would have alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nbprof.analysis.memory.operators import memory_operators
from nbprof.analysis.memory.peak import memory_peak_holders
from nbprof.model.filters.filter import Filter
from nbprof.model.lookup import rows_of_values
from tests.support.models import make_model

HOST = [
    {"name": f"op{i % 7}", "start": 100 * i + depth, "end": 100 * i + 90 - depth}
    for i in range(60)
    for depth in range(3)
]
MEMORY = [
    {
        "time_ns": 100 * i + 20,
        "thread": 0,
        "address": 1 + i // 2,
        "bytes": 64 * (1 + i % 5) * (-1 if i % 2 and i % 3 else 1),
        "device_type": 1,
        "device": i // 2 % 9,
        "total_allocated": -1,
        "total_reserved": -1,
    }
    for i in range(60)
]


@pytest.mark.parametrize("table", [memory_operators, memory_peak_holders])
@pytest.mark.parametrize("filter_", [Filter(), Filter(name="op1"), Filter(time_us=(1, 3))])
def test_devices_do_not_mix(table: Any, filter_: Filter) -> None:
    """The rows of a device are those of a trace with its records only."""
    together = table(make_model(HOST, memory=MEMORY), filter_).to_pylist()
    apart = []
    for device in range(9):
        own = [row for row in MEMORY if row["device"] == device]
        apart += table(make_model(HOST, memory=own), filter_).to_pylist()
    assert together == apart
    assert len({row["device"] for row in together}) > 2 or filter_.time_us


@pytest.mark.parametrize("values", [[], [3], [2, 1, 2, -1, 1, 1]])
def test_rows_of_values(values: list[int]) -> None:
    """In order of values, and of rows."""
    found = rows_of_values(np.array(values, np.int32))
    assert list(found) == sorted(set(values))
    for value, rows in found.items():
        assert rows.tolist() == [i for i, one in enumerate(values) if one == value]
