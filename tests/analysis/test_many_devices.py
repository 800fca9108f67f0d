"""Tables take as many operations for many devices and streams as for few: they are counted here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import nbprof
from nbprof.analysis.devices.device_intervals import DeviceSets
from nbprof.analysis.devices.device_summary import device_summary
from nbprof.analysis.devices.device_time import device_time
from nbprof.analysis.devices.idle_gaps import idle_gaps
from nbprof.analysis.devices.idle_time import idle_time
from nbprof.analysis.memory.operators import memory_operators
from nbprof.analysis.memory.peak import memory_peak_holders
from nbprof.analysis.steps.step_parts_devices import device_summary_figures, device_time_figures
from nbprof.model import intervals
from nbprof.model.filters.filter import NO_FILTER, Filter

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbprof.model.trace.model import TraceModel


def model_of(devices: int, *, streams: int = 3, scale: int = 1) -> TraceModel:
    """Return a trace with the same work on each device, and allocations that last."""
    count = 6 * devices
    at = np.arange(count)
    start = at * 1000 * scale
    host = {
        "name": ["aten::mm", "cudaLaunchKernel"] * count,
        "kind": ["operator", "runtime"] * count,
        "thread": np.zeros(2 * count, np.int64),
        "start_ns": np.stack([start, start + 100 * scale], 1).ravel(),
        "duration_ns": np.tile([900 * scale, 100 * scale], count),
        "correlation": np.stack([np.full(count, -1), at + 1], 1).ravel(),
    }
    device = {
        "name": ["gemm"] * count,
        "device": at // 6,
        "stream": at % streams,
        "start_ns": start + 300 * scale,
        "duration_ns": np.full(count, 500 * scale),
        "correlation": at + 1,
    }
    memory = {
        "time_ns": start + 200 * scale,
        "address": at + 1,
        "bytes": np.full(count, 512),
        "device_type": np.ones(count, np.int32),
        "device": at // 6,
    }
    return nbprof.build_model(host=host, device=device, memory=memory)


TABLES: tuple[Callable[..., Any], ...] = (
    *(device_summary, device_time, idle_gaps, idle_time, memory_operators),
    *(lambda model, _: device_time_figures(model), lambda model, _: device_summary_figures(model)),
)


@pytest.mark.parametrize("table", TABLES)
def test_as_many_operations_for_few_devices_as_for_many(
    table: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    for name in ("union", "intersect", "split", "reach_of_groups"):
        original = getattr(intervals, name)

        def counted(*args: Any, name: str = name, original: Any = original) -> Any:
            calls.append(name)
            return original(*args)

        monkeypatch.setattr(intervals, name, counted)
    counts = []
    for devices in (2, 20):
        model = model_of(devices)
        assert model.steps.number.size  # found before operations are counted
        calls.clear()
        table(model, NO_FILTER)
        counts.append(sorted(calls))
    assert counts[0] == counts[1]


@pytest.mark.parametrize(
    "filter_", [NO_FILTER, Filter(time_us=(1.0, 30.0)), Filter(devices=(3, 1))]
)
def test_axes_that_hold_few_devices_give_the_same(
    filter_: Filter, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = [table(model_of(5), filter_) for table in (device_summary, device_time)]
    length = 30 * 1000  # of an axis for one device
    monkeypatch.setattr("nbprof.analysis.devices.device_intervals._FAR", 2 * length)
    monkeypatch.setattr("nbprof.analysis.devices.device_intervals._MOST_WINDOWS", 1)
    model = model_of(5)
    assert [table(model, filter_) for table in (device_summary, device_time)] == whole
    assert len(DeviceSets.of(model, filter_)) == (3 if filter_.devices is None else 1)


def test_gaps_of_times_near_the_largest() -> None:
    scale = 2**47  # five devices end to end would exceed what 64 bits hold
    small, large = (idle_gaps(model_of(5, scale=one)) for one in (1, scale))
    assert small.num_rows == large.num_rows > 0
    assert small["device"] == large["device"]
    assert small["stream"] == large["stream"]


def test_holders_of_each_device_add_up_to_its_peak() -> None:
    found = memory_peak_holders(model_of(40)).group_by("device").aggregate([("bytes", "sum")])
    assert found["bytes_sum"].to_pylist() == [6 * 512] * 40
