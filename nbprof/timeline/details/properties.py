"""Properties of a slice besides its times, as labels and texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nbprof.analysis.devices.device_rows import device_type
from nbprof.analysis.devices.kernel_occupancy import KernelOccupancy
from nbprof.analysis.kernels.matrix_devices import term
from nbprof.analysis.kernels.matrix_dtypes import DTYPES
from nbprof.analysis.kernels.matrix_units import USE_WORDS, dtype_of_rows, use_of_rows
from nbprof.model.names.roles import operator_rows
from nbprof.model.steps.steps import step_at
from nbprof.model.trace import kinds
from nbprof.model.units import device_label, format_bytes, format_count, format_number, format_time
from nbprof.timeline.details.properties_cuda import cuda_work_facts
from nbprof.timeline.details.properties_vendors import (
    collective_facts,
    named_inputs,
    npu_kernel_facts,
    type_facts,
)
from nbprof.timeline.details.related import device_rows_of, module_of
from nbprof.timeline.lanes.recorded_lanes import RecordedLanes, are_streams

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Fact = tuple[str, str]

_NS_PER_US: Final = 1000
_MODULE: Final = "nn.Module: "
#: Nouns for device work, by kind code.
_WORK: Final = {kinds.KERNEL: "kernel", kinds.MEMCPY: "copy", kinds.MEMSET: "memory set"}


def host_facts(model: TraceModel, row: int) -> list[Fact]:
    """Return the properties of a host slice in display order."""
    one = _record(model, "host", row)
    is_operator = bool(operator_rows(model)[row])
    thread = ("Thread", _thread(model, one["thread"]))
    facts = [*type_facts(model, row), thread, *_step(model, one["start_ns"])]
    if is_operator or one["kind"] == kinds.HOST_KINDS[kinds.RUNTIME]:
        facts += _device_work(model, row)
    return [
        *facts,
        *_module(model, row),
        *_inputs(model, row),
        *_collective(model, "host", row),
        *_numbers(
            one,
            ("sequence", "Sequence number", 0),
            ("forward_thread", "Forward thread", 1),
            ("correlation", "Correlation", 1),
            ("external_id", "External id", 1),
            ("python_id", "Python id", 0),
            ("python_parent", "Python parent id", 0),
            ("module_id", "Module id", 0),
        ),
    ]


def device_facts(model: TraceModel, row: int) -> list[Fact]:
    """Return the properties of a device slice in display order."""
    one = _record(model, "device", row)
    return [
        *_queued(model, row),
        _stream(model, one),
        *_origin(model, row),
        *_launch_configuration(model, row, one),
        *_use(model, row, one),
        *_collective(model, "device", row),
        *_numbers(
            one,
            ("graph_node", "Graph node", 0),
            ("correlation", "Correlation", 1),
            ("external_id", "External id", 1),
        ),
    ]


def _stream(model: TraceModel, one: dict[str, Any]) -> Fact:
    """Return the device and the stream, or other lane, of device work."""
    device = device_label(device_type(model), one["device"])
    lane = RecordedLanes.of(model).streams.get((one["device"], one["stream"]))
    if lane and not are_streams(one["stream"]):
        return "Lane", f"{device}, {lane.group}, {lane.name}"
    return "Stream", f"{device}, stream {one['stream']}" if one["stream"] >= 0 else device


def _queued(model: TraceModel, row: int) -> list[Fact]:
    """Return how long work waited after its launching call had returned."""
    launch = int(model.links.launch[row])
    if launch < 0:
        return []
    returned = (
        model.column("host", "start_ns")[launch] + model.column("host", "duration_ns")[launch]
    )
    waited = int(model.column("device", "start_ns")[row] - returned)
    return [("Queued for", _time(max(waited, 0)))]


def _origin(model: TraceModel, row: int) -> list[Fact]:
    """Return what device work belongs to on the host."""
    links = model.links
    launch, operator = int(links.launch[row]), int(links.operator[row])
    found: list[Fact] = []
    if launch >= 0:
        found += _step(model, int(model.column("host", "start_ns")[launch]))
    if operator < 0 and links.launched_by[row] >= 0:
        found.append(("Launched by", _host_name(model, int(links.launched_by[row]))))
    behind = operator if operator >= 0 else launch
    if behind >= 0:
        found += _module(model, behind)
        if not len(model.column("npu_kernels", "row")):  # NPU kernels have their own shapes
            found += _inputs(model, behind)[:1]
    return found


def _use(model: TraceModel, row: int, one: dict[str, Any]) -> list[Fact]:
    """Return the resources of the device that a kernel or copy used."""
    found: list[Fact] = []
    if one["kind"] == kinds.DEVICE_KINDS[kinds.KERNEL]:
        found += npu_kernel_facts(model, row) + collective_facts(model, row)
        found += _matrix_units(model, row)
    if one["bytes"] >= 0:
        found.append(("Size", format_bytes(one["bytes"])))
    if one["bandwidth_gbps"] >= 0:
        found.append(("Bandwidth", f"{format_number(one['bandwidth_gbps'], 2)} GB/s"))
    return found + cuda_work_facts(model, row)


def _matrix_units(model: TraceModel, row: int) -> list[Fact]:
    """Return whether a kernel used matrix units, if its device may have any."""
    called = term(model)
    if called is None:
        return []
    used = USE_WORDS[int(use_of_rows(model)[row])]
    dtype = int(dtype_of_rows(model)[row])
    return [(called, f"{used}, {DTYPES[dtype]}" if dtype >= 0 else used)]


def _inputs(model: TraceModel, row: int) -> list[Fact]:
    one = _record(model, "host", row)
    columns = (("input_shapes", "Input shapes"), ("input_types", "Input types"))
    texts = [(label, one[column]) for column, label in columns]
    return [(label, named_inputs(text)) for label, text in texts if text not in (None, "[]")]


def _numbers(one: dict[str, Any], *wanted: tuple[str, str, int]) -> list[Fact]:
    """Return id columns as (column, label, smallest valid id)."""
    return [(label, str(one[column])) for column, label, least in wanted if one[column] >= least]


def _launch_configuration(model: TraceModel, row: int, one: dict[str, Any]) -> list[Fact]:
    found: list[Fact] = []
    for column, label in (("grid", "Grid"), ("block", "Block")):
        if one[column] is not None:
            found.append((label, one[column]))
    if one["registers"] >= 0:
        found.append(("Registers", f"{format_number(one['registers'])} a thread"))
    if one["shared_memory_bytes"] >= 0:
        found.append(("Shared memory", f"{format_bytes(one['shared_memory_bytes'])} a block"))
    # a missing number is NaN, which compares as False
    for column, label, decimals in (
        ("blocks_per_sm", "Blocks per SM", 2),
        ("warps_per_sm", "Warps per SM", 2),
    ):
        if one[column] >= 0:
            found.append((label, format_number(one[column], decimals)))
    occupancy = KernelOccupancy.of(model)
    if occupancy.percent[row] >= 0:
        computed = ", computed" if row in occupancy.computed else ""
        found.append(("Occupancy", f"{format_number(occupancy.percent[row], 1)} %{computed}"))
    elif row in occupancy.unknown:
        found.append(("Occupancy", "unknown"))
    return found


def _device_work(model: TraceModel, row: int) -> list[Fact]:
    """Return the work launched by an operator or call, and its total time."""
    rows = device_rows_of(model, row)
    kind = model.column("device", "kind")[rows]
    counts = [
        format_count(int((kind == code).sum()), word)
        for code, word in _WORK.items()
        if (kind == code).any()
    ]
    if not counts:
        return []
    work = rows[np.isin(kind, list(_WORK))]
    time = int(model.column("device", "duration_ns")[work].sum())
    several = counts if len(counts) < 2 else [", ".join(counts[:-1]) + " and " + counts[-1]]
    return [("Device time", f"{_time(time)} in {several[0]}")]


def _step(model: TraceModel, time_ns: int) -> list[Fact]:
    steps = model.steps
    if not steps.recorded:
        return []
    index = int(step_at(steps.host_start_ns, steps.host_end_ns, np.array([time_ns]))[0])
    return [("Step", str(steps.number[index]))] if index >= 0 else []


def _module(model: TraceModel, row: int) -> list[Fact]:
    module = module_of(model, row)
    if module < 0:
        return []
    return [("Module", _host_name(model, module).removeprefix(_MODULE))]


def _thread(model: TraceModel, thread: int) -> str:
    lane = RecordedLanes.of(model).threads.get(thread)
    one = model.tables["threads"].slice(thread, 1).to_pylist()[0]
    tid, pid = str(one["tid"]), one["pid"]
    if pid == tid:
        return f"{tid}, main"
    if lane:
        return f"{tid}, {lane.group}"
    return f"{tid}, process {pid}" if pid else tid


def _collective(model: TraceModel, side: str, row: int) -> list[Fact]:
    """Return the arguments of a collective, if a slice is one."""
    table = model.tables["collectives"]
    at = np.flatnonzero(
        (model.column("collectives", "row") == row) & (model.column("collectives", "side") == side)
    )
    if not len(at):
        return []
    one = table.slice(int(at[0]), 1).to_pylist()[0]
    found: list[Fact] = []
    for column, label in (
        ("collective", "Collective"),
        ("dtype", "Data type"),
        ("in_elements", "Elements in"),
        ("out_elements", "Elements out"),
        ("group_size", "Group size"),
        ("process_group", "Process group"),
        ("ranks", "Ranks"),
    ):
        value = one[column]
        if isinstance(value, int):
            if value >= 0:
                found.append((label, format_number(value)))
        elif value:
            found.append((label, value))
    return found


def _record(model: TraceModel, table: str, row: int) -> dict[str, Any]:
    record: dict[str, Any] = model.tables[table].slice(row, 1).to_pylist()[0]
    return record


def _host_name(model: TraceModel, row: int) -> str:
    code = int(model.column("host", "name")[row])
    return model.values("host", "name")[code] if code >= 0 else ""


def _time(nanoseconds: int) -> str:
    return format_time(nanoseconds / _NS_PER_US)
