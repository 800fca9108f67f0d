"""Writes a trace, reads it back, and compares all tables."""

from __future__ import annotations

import math
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

import nbprof
from nbprof.analysis.devices.kernel_occupancy import KernelOccupancy
from nbprof.content import TraceContent
from nbprof.model.links.lost_launches import LostLaunches
from nbprof.model.names.private_frames import MACHINE
from nbprof.model.trace import kinds
from nbprof.tables.trace import compute_table
from nbprof.trace import Trace
from tests.support.tables import GROUPED, TRACE_TABLES

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel

#: What of tables is not that of a part, and why.
NOT_OF_A_PART = {
    "row": "rows are numbered through the file",
    "worker": "the worker is called as the file is",
    "module_id": "modules are numbered through the file",
    "parent_id": "the same",
}
#: Columns of one table that are not those of a part, and why.
NOT_OF_A_PART_OF = {
    # Which operators launch a kernel is said of all of its launches, whatever a filter keeps.
    "kernels": ("operators",),
    # Its calls count all memory until they end, as PyTorch does, and so what comes after the part.
    "key_averages": tuple(
        f"{side}_{which}memory_bytes" for side in ("host", "device") for which in ("", "self_")
    ),
}
#: Columns of costs. Without recorded values of inputs, as in early traces, the shape of a result is
#: that of its gradient in the backward pass, which may come after the part.
COSTS = ("flops", "recomputed_flops", "bytes", "tflops_per_s", "tb_per_s", "intensity", "bound",
         "type", "pct_of_peak", "mfu_pct", "hfu_pct", "covered_pct")  # fmt: skip
#: Tables that are about a whole recording, and why.
NO_TABLES_OF_A_PART = {
    "warnings": "those derived from the events are about all of them",
    "memory_curve": "where recorders do not say totals, all changes before are added up",
    "memory_peak": "the same",
    "memory_peak_holders": "who holds memory may have taken it long before the range",
    # Its backward calls have the stacks of their forward operators, which may come before.
    **{
        f"key_averages {{'group_by': 'name+stack{frames}'}}": "stacks come from outside the part"
        for frames in (1, 5)
    },
}
#: Rules that are silent where many kernels were not recorded.
BY_LOST_LAUNCHES = ("low_utilization", "idle", "synchronization", "optimizer_loop")
_number = count()


def trace_of(model: TraceModel, path: Path) -> Trace:
    """Return a trace of a model that was made by hand; `path` need not be there."""
    content = TraceContent.__new__(TraceContent)
    known = {"run": "run", "worker": "worker", "span": 1, "path": path, "parts": ()}
    file = type("File", (), known)()
    return Trace(file, content, lambda *_: model)


def written(trace: Trace, folder: Path, suffix: str = ".json", **options: Any) -> Trace:
    """Write a trace and read it back, strictly."""
    path = folder / f"{next(_number)}{suffix}"
    trace.to_chrome_trace(path, **options)
    found = nbprof.load(path, strict=True, progress=False).trace()
    found.read()
    path.unlink()
    return found


def tables(trace: Trace) -> dict[str, pa.Table]:
    """Return all tables of a trace, in all groupings."""
    found = {name: compute_table(trace, name) for name in TRACE_TABLES}
    return found | {f"{name} {how}": compute_table(trace, name, **how) for name, how in GROUPED}


def differences(ours: pa.Table, theirs: pa.Table, leave_out: tuple[str, ...] = ()) -> list[str]:
    """Return in words where two tables differ, apart from the last digits of averages."""
    if ours.schema.names != theirs.schema.names or ours.num_rows != theirs.num_rows:
        return [f"{ours.num_rows} rows of {ours.schema.names}, {theirs.num_rows} of others"]
    return [
        f"{name}[{row}]: {mine!r} and {other!r}"
        for name in ours.schema.names
        if name not in leave_out and not ours[name].equals(theirs[name])
        for row, (mine, other) in enumerate(
            zip(ours[name].to_pylist(), theirs[name].to_pylist(), strict=True)
        )
        if not _same(mine, other)
    ]


def _same(mine: Any, other: Any) -> bool:
    if isinstance(mine, float) and isinstance(other, float):
        both_nan = math.isnan(mine) and math.isnan(other)
        return both_nan or math.isclose(mine, other, rel_tol=1e-9, abs_tol=1e-9)
    return bool(mine == other)


def assert_same_model(ours: TraceModel, theirs: TraceModel) -> None:
    """Compare the tables that a trace is made of, row by row, and what is known of the whole."""
    for name in ours.tables:
        mine, other = ours.tables[name], theirs.tables[name]
        if name == "collectives":  # they come as they are met in the file
            mine, other = (t.sort_by([("side", "ascending"), ("row", "ascending")])
                           for t in (mine, other))  # fmt: skip
        problem(name, differences(mine, other))
    # How many events a file holds, and which of them have no table, is about the file.
    # What is written is shared, so it does not name the machine.
    known = ours.metadata.keys() - {"events", "dropped"} - MACHINE
    odd = {key: (ours.metadata[key], theirs.metadata.get(key)) for key in known}
    problem("metadata", [f"{key}: {pair}" for key, pair in odd.items() if pair[0] != pair[1]])
    # Examples of warnings quote the file, and what is written is shared.
    kinds = [[(one.kind, one.count) for one in model.warnings] for model in (ours, theirs)]
    problem("warnings", [] if kinds[0] == kinds[1] else [repr(theirs.warnings)])


def problem(name: str, found: list[str]) -> None:
    """Fail with the first differences of a table, if there are any."""
    if found:
        message = f"{name}: {len(found)} differences, first {found[:3]}"
        raise AssertionError(message)


#: Figures of `key_averages` that depend on calls of no operator, anywhere in the trace: PyTorch
#: nests them on the main thread, and counts work for those with the id of an operator.
BY_STRAY_CALLS = ("host_self_us", "host_self_pct", "host_total_pct", "device_self_us",
                  "device_self_pct", "device_total_us", "device_mean_us")  # fmt: skip
#: Columns that a written trace does not have: it is read as another worker, and is shared.
_NOT_WRITTEN = {"device_time": ("worker",), "warnings": ("example",)}


def assert_same_whole(ours: Trace, theirs: Trace) -> None:
    """Compare all tables of a trace and of what was written and read of the whole of it."""
    other = tables(theirs)
    for name, table in tables(ours).items():
        leave_out = _NOT_WRITTEN.get(name, ())
        problem(name, differences(table, other[name], leave_out))


def has_stray_calls(model: TraceModel) -> bool:
    """Return whether there are runtime calls of no operator, or work of the profiler."""
    kind, external = model.column("host", "kind"), model.column("host", "external_id")
    requests = (kind == kinds.OPERATOR) | (kind == kinds.ANNOTATION) | (kind == kinds.STEP)
    known = np.unique(external[requests & (external > 0)])
    stray = (kind == kinds.RUNTIME) & ~np.isin(external, known)
    return bool((stray | (kind == kinds.OVERHEAD)).any())


def assert_same_part(ours: Trace, theirs: Trace, *, has_odd_ids: bool = False) -> None:
    """Compare the tables of a trace with those of a part of it, both under the same filter.

    Parameters
    ----------
    ours, theirs : Trace
        The whole trace and the part.
    has_odd_ids : bool
        Whether ids repeat or name nothing, as no recorder writes them. Whether External ids are
        those of operators shows in the whole file, and `key_averages` depends on it.
    """
    overlapping = bool(ours.model.nesting.overlaps)
    has_values = bool((ours.model.column("host", "input_values") >= 0).any())
    other = tables(theirs)
    for name, table in tables(ours).items():
        if name in NO_TABLES_OF_A_PART or (has_odd_ids and name.startswith("key_averages")):
            continue
        leave_out = (*NOT_OF_A_PART, *NOT_OF_A_PART_OF.get(name.split()[0], ()))
        if not has_values:
            leave_out += COSTS
        if name == "slices" and overlapping:
            # What overlaps pushes others down, also those that go on into the range.
            leave_out += ("depth",)
        mine, others = table, other[name]
        if name.startswith("key_averages") and others["flops"].null_count:
            # A part without any shapes does not tell that they were recorded.
            leave_out += ("flops",)
        if name.startswith("key_averages") and has_stray_calls(ours.model):
            leave_out += BY_STRAY_CALLS
        if name == "device_summary" and not KernelOccupancy.of(theirs.model).recorded:
            # Whether the recorder writes occupancies shows in the whole file.
            leave_out += ("occupancy_unknown_pct",)
        if name == "recommendations":
            # Whether many kernels were lost shows in the whole file.
            many = LostLaunches.of(ours.model).many or LostLaunches.of(theirs.model).many
            mine, others = _of_parts(mine, many), _of_parts(others, many)
        problem(name, differences(mine, others, leave_out))


def _of_parts(recommendations: pa.Table, many_lost: bool) -> pa.Table:
    """Leave out what looks at a whole recording, whatever the filter.

    The peak of the memory, how many passes there were (not whether there were any), and which label
    repeats.
    """
    left_out = {"memory_limit", *(BY_LOST_LAUNCHES if many_lost else ())}
    rows = [row for row in recommendations.to_pylist() if row["rule"] not in left_out]
    for row in rows:
        if row["rule"] == "ddp_backend":
            row["message"] = ""
        if row["rule"] == "steps_not_marked":
            row["advice"] = ""
    return pa.Table.from_pylist(rows, recommendations.schema)
