"""Memory tables of many devices: each device has the rows it would have alone."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pytest

from nbprof.analysis.memory.components import components
from nbprof.analysis.memory.operators import memory_operators
from nbprof.analysis.memory.peak import memory_peak_holders
from nbprof.analysis.memory.totals import Totals, memory_totals
from nbprof.model.filters.filter import Filter
from nbprof.model.lookup import rows_of_values
from nbprof.model.trace.model import TraceModel
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


def totals_apart(memory: list[dict[str, Any]]) -> list[Totals]:
    """Return the totals of each device in a trace with its records only."""
    found = []
    for device in sorted({row["device"] for row in memory}):
        own = [row for row in memory if row["device"] == device]
        found += memory_totals(make_model(HOST, memory=own))
    return found


@pytest.mark.parametrize("seed", range(12))
def test_totals_of_devices_do_not_mix(seed: int) -> None:
    """Whatever a recorder says of totals: all, some, none, or 0 for some allocators."""
    random = np.random.default_rng(seed)
    memory = []
    for at in range(80):
        change = int(random.integers(-3, 4)) * 512
        said = (2048 + 512 * at, -1, 0, int(random.integers(0, 4)) * 700)[random.integers(0, 4)]
        record = {"time_ns": 10 * at - 5, "thread": 0, "device_type": 1, "bytes": change}
        device = int(random.integers(0, 6))
        record |= {"device": device, "address": 10 * device + int(random.integers(1, 5))}
        totals = (-1 if device == 1 else 0 if device == 2 else said, int(random.integers(-1, 9)))
        memory.append({**record, "total_allocated": totals[0], "total_reserved": totals[1]})
    together, apart = memory_totals(make_model(HOST, memory=memory)), totals_apart(memory)
    for one, alone in zip(together, apart, strict=True):
        for name in (field.name for field in fields(Totals) if field.name != "record"):
            assert np.array_equal(getattr(one, name), getattr(alone, name)), name
    rows = [at for one in together for at in one.record.tolist() if at >= 0]
    assert sorted(rows) == list(range(len(memory)))
    assert any(one.uncounted.any() for one in together)
    assert any(one.jumps for one in together)


def test_totals_read_columns_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """More devices do not make them read more often."""
    read: list[str] = []
    column = TraceModel.column

    def counting(model: TraceModel, table: str, name: str) -> np.ndarray:
        read.append(name)
        return column(model, table, name)

    counts = []
    for devices in (2, 9):
        model = make_model(HOST, memory=[row for row in MEMORY if row["device"] < devices])
        components(model)  # looks at each device
        with monkeypatch.context() as patched:
            patched.setattr(TraceModel, "column", counting)
            read.clear()
            memory_totals(model)
            counts.append(len(read))
    assert counts[0] == counts[1]


@pytest.mark.parametrize("values", [[], [3], [2, 1, 2, -1, 1, 1]])
def test_rows_of_values(values: list[int]) -> None:
    """In order of values, and of rows."""
    found = rows_of_values(np.array(values, np.int32))
    assert list(found) == sorted(set(values))
    for value, rows in found.items():
        assert rows.tolist() == [i for i, one in enumerate(values) if one == value]
