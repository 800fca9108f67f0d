"""Partial tables of steps: their sum over chosen steps equals the filtered table."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings

import nbprof
from nbprof.analysis.devices.device_summary import device_summary
from nbprof.analysis.devices.device_time import device_time
from nbprof.analysis.kernels.kernels import kernels
from nbprof.analysis.memory.operators import memory_operators
from nbprof.analysis.operators.operators import operators
from nbprof.analysis.steps.step_parts_devices import device_summary_figures, device_time_figures
from nbprof.analysis.steps.step_parts_memory import memory_operator_parts
from nbprof.analysis.steps.step_parts_tables import StepParts, kernel_parts, operator_parts
from nbprof.model.filters.filter import Filter
from tests.analysis.generated import traces
from tests.conftest import ROOT
from tests.support.examples import examples
from tests.support.recordings.runs import RUNS

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.model.trace.model import TraceModel

Row = dict[str, Any]


def regrouped(table: pa.Table, parts: StepParts, first: int, last: int) -> list[Row]:
    """Add up the parts of some steps, slowly and by the words of `StepParts`."""
    cells = [part for part in parts.table.to_pylist() if first <= part["step"] <= last]
    by_row: dict[int, list[Row]] = {}
    for cell in cells:
        by_row.setdefault(cell["row"], []).append(cell)

    def figure(row: int, name: str) -> float:
        values = [cell[name] for cell in by_row[row]]
        if name.startswith("max_"):
            return max(values)
        return min(values) if name in ("first", "device", "min_ns") else sum(values)

    shown = [
        row
        for row in by_row
        if not parts.shown or any(figure(row, name) != 0 for name in parts.shown)
    ]
    shown.sort(
        key=lambda row: [
            figure(row, name) * (1 if way == "asc" else -1) for name, way in parts.order
        ]
    )

    def cooked(row: int, recipe: list[Any]) -> Any:
        kind, name, *more = recipe
        value = figure(row, name)
        if kind in ("us", "min_us", "max_us"):
            return value / 1000
        if kind == "mean_us":
            return value / figure(row, more[0]) / 1000
        if kind == "any":
            return value > 0
        if kind in ("share", "ratio"):
            of, scale = more if kind == "ratio" else (more[1] if more[1:] else name, more[0])
            over = [row] if kind == "ratio" else shown
            whole = sum(figure(other, of) for other in over)
            return scale * (value / whole) if whole else None
        return value

    rows = table.to_pylist()
    return [
        rows[row] | {name: cooked(row, recipe) for name, recipe in parts.columns.items()}
        for row in shown
    ]


def same(found: list[Row], wanted: list[Row]) -> None:
    """Compare rows: text and whole numbers are equal, floats to the last digits."""
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        assert list(one) == list(other)
        for name, value in other.items():
            if isinstance(value, float) and one[name] is not None:
                assert math.isclose(one[name], value, rel_tol=1e-9, abs_tol=1e-9), name
            else:
                assert one[name] == value, name


def check_all(model: TraceModel, base: Filter, first: int, last: int) -> None:
    chosen = base.replace(steps=(first, last))
    for group_by in ("name", "name+shape", "name+stack"):
        whole = operators(model, base, group_by=group_by)
        parts = operator_parts(model, whole, group_by, base)
        wanted = operators(model, chosen, group_by=group_by)
        same(regrouped(whole, parts, first, last), wanted.to_pylist())
    for group_by in ("name", "name+stack", "properties", "launch"):
        whole = kernels(model, base, group_by=group_by)
        parts = kernel_parts(model, whole, group_by, base)
        wanted = kernels(model, chosen, group_by=group_by)
        same(regrouped(whole, parts, first, last), wanted.to_pylist())
    whole = memory_operators(model, base)
    wanted = memory_operators(model, chosen)
    parts = memory_operator_parts(model, whole, "", base)
    same(regrouped(whole, parts, first, last), wanted.to_pylist())


@settings(max_examples=examples(15))
@given(model=traces())
def test_steps_add_up_on_generated_traces(model: TraceModel) -> None:
    numbers = model.steps.number.tolist()
    check_all(model, Filter(), numbers[0], numbers[len(numbers) // 2])
    check_all(model, Filter(threads=(1,)), numbers[-1], numbers[-1])


@pytest.mark.parametrize("run", ["gpu_resnet_synthetic", "torch_cpu_convnet"])
def test_steps_add_up_on_the_samples(run: str) -> None:
    model = nbprof.load(RUNS / run).trace().model
    numbers = model.steps.number.tolist()
    for first, last in ((numbers[0], numbers[-1]), (numbers[1], numbers[1]), (10**6, 10**6)):
        check_all(model, Filter(), first, last)
    check_all(model, Filter(streams=(7,), kinds=("operator", "kernel")), numbers[0], numbers[1])


def windows(model: TraceModel, parts: pa.Table, first: int, last: int) -> list[dict[str, float]]:
    """Add up the parts of `device_summary` from the first to the last complete step."""
    rows = parts.to_pylist()
    if not rows:
        return []
    chosen = [row for row in rows if first <= row["step"] <= last]
    complete = [row for row in chosen if row["complete"]] or chosen
    low, high = (f(row["index"] for row in complete) for f in (min, max))
    found = []
    for device in sorted({row["row"] for row in rows}):
        inside = [r for r in rows if r["row"] == device and low <= r["index"] <= high]
        gaps = [r for r in inside if r["index"] < high]
        sums = {
            name: sum(r[name] for r in inside) + sum(r[f"gap_{name}"] for r in gaps)
            for name in (
                "length",
                "kernels",
                "work",
                "blocks",
                "occupancy",
                "occupancy_weight",
                "occupancy_unknown",
            )
        }
        own = [r for r in chosen if r["row"] == device]
        sums |= {
            name: sum(r[name] for r in own) for name in ("tensor", "tensor_unknown", "kernel_time")
        }
        found.append(sums)
    return found


def check_devices(model: TraceModel, first: int, last: int) -> None:
    chosen = Filter(steps=(first, last))
    wanted = device_summary(model, chosen).to_pylist()
    found = windows(model, device_summary_figures(model), first, last)
    for one, other in zip(found, wanted, strict=True):
        close(100 * one["kernels"], one["length"], other["utilization_pct"])
        close(100 * (one["length"] - one["work"]), one["length"], other["idle_pct"])
        if other["sm_efficiency_pct"] is not None:
            close(100 * one["blocks"], one["length"], other["sm_efficiency_pct"])
        close(one["occupancy"], one["occupancy_weight"], other["occupancy_pct"])
        time = one["occupancy_weight"] + one["occupancy_unknown"]
        close(100 * one["occupancy_unknown"], time, other["occupancy_unknown_pct"])
        close(100 * one["tensor"], one["kernel_time"], other["matrix_unit_pct"])
        unknown = other["matrix_unit_unknown_pct"]
        close(100 * one["tensor_unknown"], one["kernel_time"], unknown)
    times = device_time_figures(model).to_pylist()
    for device, other in enumerate(device_time(model, chosen).to_pylist()):
        own = [r for r in times if r["row"] == device and first <= r["step"] <= last]
        for name in ("total", "computation", "communication", "memcpy", "exposed_memcpy"):
            assert sum(r[name] for r in own) / 1000 == pytest.approx(other[f"{name}_us"])


def close(part: float, whole: float, wanted: float | None) -> None:
    if wanted is None:
        assert not whole
    else:
        assert part / whole == pytest.approx(wanted, rel=1e-9, abs=1e-9)


@settings(max_examples=examples(15))
@given(model=traces())
def test_devices_add_up_on_generated_traces(model: TraceModel) -> None:
    numbers = model.steps.number.tolist()
    check_devices(model, numbers[0], numbers[len(numbers) // 2])
    check_devices(model, numbers[-1], numbers[-1])


def test_devices_add_up_on_the_sample() -> None:
    model = nbprof.load(ROOT / "tests/samples/gpu_resnet_synthetic").trace().model
    numbers = model.steps.number.tolist()
    for first in range(len(numbers)):
        for last in range(first, len(numbers)):
            check_devices(model, numbers[first], numbers[last])
