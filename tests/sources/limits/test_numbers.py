"""Numbers that are too large are left out and counted where they enter, and no table raises."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pytest

import nbprof
from nbprof.model.errors import TraceFormatError
from nbprof.sources.limits.numbers import LARGEST
from nbprof.tables import TABLES
from tests.cli.conftest import trace_json
from tests.support.traces import read_trace, warning_counts, write

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel
    from nbprof.trace import Trace

TOO_LARGE: Final = "numbers that are too large"
FAR: Final = "time stamps far from all others"
EXTREME: Final = (2**63 - 1, -(2**63), 2**64, 10**18, -(10**18), 10**30, 1e308, 10**400, 4.4e15)


def memory(at: int, change: int, total: int = 0) -> dict[str, Any]:
    args = {"Bytes": change, "Addr": at, "Device Type": 1, "Device Id": 0, "Total Allocated": total}
    return {"ph": "i", "name": "[memory]", "pid": 1, "tid": 1, "ts": at, "args": args}


def events() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = trace_json()["traceEvents"]
    return found


def times(model: TraceModel) -> list[Any]:
    columns = ("name", "start_ns", "duration_ns")
    return [model.tables[name].select(columns).to_pylist() for name in ("host", "device")]


def compute_all(trace: Trace) -> None:
    for spec in TABLES.specs():
        if spec.scope != "profile":
            for group in spec.groupings or ("",):
                trace.table(spec.name, **({"group_by": group} if group else {}))


@pytest.mark.parametrize("factor", [1000, 10**6])
def test_a_time_stamp_1000_times_too_large_is_left_out(tmp_path: Path, factor: int) -> None:
    base = 5_252_688_087_000 * 1000 // factor
    stray = {**events()[1], "ts": base * factor, "name": "stray"}
    near = [{**one, "ts": one["ts"] + base} for one in events()]
    path = write(tmp_path / "w.pt.trace.json", [stray, *near])
    alone = read_trace(write(tmp_path / "alone" / "w.pt.trace.json", near))
    trace = nbprof.load(path, cache=False).trace()
    compute_all(trace)
    lost = warning_counts(trace.model)
    assert lost.get(FAR, 0) + lost.get("missing time stamp", 0) == 1
    assert "stray" not in trace.operators()["name"].to_pylist()
    assert times(trace.model) == times(alone)
    assert trace.metadata["end_ns"] == alone.metadata["end_ns"]


def test_an_early_stray_does_not_move_the_others(tmp_path: Path) -> None:
    """Time zero is that of the first event that stays, so that nothing is two years late."""
    near = [{**one, "ts": one["ts"] + 10**15} for one in events()]
    stray = {**events()[1], "ts": 5, "name": "stray"}
    found = read_trace(write(tmp_path / "w.json", [*near, stray]))
    alone = read_trace(write(tmp_path / "alone.json", near))
    assert warning_counts(found) == {FAR: 1}
    assert times(found) == times(alone)
    assert found.metadata["epoch_ns"] == alone.metadata["epoch_ns"]
    with pytest.raises(TraceFormatError, match="stray"):
        read_trace(tmp_path / "w.json", strict=True)


def test_records_of_memory_without_a_usable_size_are_left_out(tmp_path: Path) -> None:
    records = [memory(1000, 512, 512), memory(1500, 2**63 - 1, 1024), memory(2000, -512, 2**62)]
    path = write(tmp_path / "w.pt.trace.json", [*events(), *records])
    trace = nbprof.load(path, cache=False).trace()
    compute_all(trace)
    assert trace.model.column("memory", "bytes").tolist() == [512, -512]
    assert trace.model.column("memory", "total_allocated").tolist() == [512, -1]
    assert warning_counts(trace.model)[TOO_LARGE] == 2


def test_a_sum_that_overflows_loses_its_largest_terms(tmp_path: Path) -> None:
    """Each of them fits, all together do not."""
    many = [memory(1000 + at, LARGEST - at) for at in range(600)]
    model = read_trace(write(tmp_path / "w.json", [*events(), *many]))
    kept = model.column("memory", "bytes")
    assert 0 < len(kept) < 600
    assert sum(kept.tolist()) <= 2**62 < sum(kept.tolist()) + LARGEST
    assert warning_counts(model)[TOO_LARGE] == 600 - len(kept)


def test_collectives_still_name_their_rows(tmp_path: Path) -> None:
    """Rows are left out before them, so their numbers change."""
    near = [{**one, "ts": one["ts"] + 10**15} for one in events()]
    stray = {**events()[1], "ts": 5, "name": "stray"}
    args = {"Collective name": "allreduce", "dtype": "Float", "In msg nelems": 4}
    call = {**near[1], "name": "nccl:all_reduce", "ts": 10**15 + 3950, "dur": 2, "args": args}
    model = read_trace(write(tmp_path / "w.json", [stray, *near, call]))
    (row,) = model.tables["collectives"].to_pylist()
    assert model.tables["host"]["name"][row["row"]].as_py() == "nccl:all_reduce"


def test_collectives_go_with_the_rows_that_they_describe(tmp_path: Path) -> None:
    """No collective is left when those of the device are looked for, and no text to compare."""
    late = {"ts": 10**15 + 3950, "dur": 2}
    args = {"Collective name": "allreduce", "dtype": "Float", "In msg nelems": 4}
    call = {**events()[1], **late, "name": "nccl:all_reduce", "args": args}
    kernel = next(one for one in events() if one.get("cat") == "kernel")
    model = read_trace(write(tmp_path / "w.json", [*events(), call, {**kernel, **late}]))
    assert warning_counts(model)[FAR] == 2
    assert model.tables["collectives"].num_rows == 0


def test_a_healthy_model_is_not_copied(tmp_path: Path) -> None:
    model = read_trace(write(tmp_path / "w.json", [*events(), memory(1500, 512)]))
    assert not model.warnings
    assert model.column("memory", "bytes").tolist() == [512]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict | list):
        for key, one in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(one, (*path, key))
    elif isinstance(value, int):
        yield path


@pytest.mark.parametrize("number", EXTREME)
def test_any_number_may_be_anywhere(tmp_path: Path, number: float) -> None:
    """In every field of the file, once: each table is there, and so is the page."""
    content = trace_json()
    content["traceEvents"] += [memory(1100, 512, 512), memory(1200, -512)]
    chosen = random.Random(7).sample(sorted(places(content), key=str), 24)
    for turn, place in enumerate(np.array_split(np.arange(len(chosen)), 6)):
        changed = trace_json()
        changed["traceEvents"] += [memory(1100, 512, 512), memory(1200, -512)]
        for at in place:
            *way, last = chosen[at]
            target: Any = changed
            for key in way:
                target = target[key]
            target[last] = number
        path = write(
            tmp_path / f"w{turn}.pt.trace.json",
            changed.pop("traceEvents"),
            **{key: value for key, value in changed.items() if key != "schemaVersion"},
        )
        compute_all(nbprof.load(path, cache=False).trace())
