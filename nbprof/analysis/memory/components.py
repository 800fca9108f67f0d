"""Table `memory_components`, and the memory of each software component over time.

Ascend's recorder distinguishes two allocators, PyTorch's (PTA) and that of graphs (GE), and records
the total of the process (APP). PTA+GE is its running sum of both allocators. Modules of the driver
are sampled, and their maximum counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.grouping import us
from nbprof.analysis.memory.columns import device_columns
from nbprof.analysis.memory.record_operators import names_of_records
from nbprof.analysis.memory.records import kept_devices, memory_devices, records_name_operators
from nbprof.analysis.memory.step_functions import MemorySteps, sum_of
from nbprof.model.contract.columns import Columns, count, size, text, time
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.filters import selection
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.model.filters.patterns import match_names
from nbprof.model.lookup import rows_of_values

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.model.trace.model import TraceModel

MEMORY_COMPONENTS: Final[Columns] = (
    count("device", "Number of the device."),
    text("component", "Software component that holds the memory."),
    text(
        "source",
        "Source of the values: profiler, for allocators and the process; driver, for its modules.",
    ),
    size("peak_reserved_bytes", "Most memory that it had reserved on the device."),
    time("time_us", "When this peak was first reached, from the first event of the trace."),
)


Rows = npt.NDArray[np.int64]

#: The component for the sum of both allocators.
BOTH: Final = "PTA+GE"
#: The components in that sum.
_ALLOCATORS: Final = ("PTA", "GE")
#: Prefix of operator names in graphs.
_GRAPH: Final = "cann::"


@dataclass(frozen=True)
class Component:
    """The memory of a software component on a device.

    Attributes
    ----------
    device : int
        Index among the memory devices.
    name : str
        As recorded.
    steps : MemorySteps
        Its memory over time.
    is_module : bool
        Whether it is a driver module.
    """

    device: int
    name: str
    steps: MemorySteps
    is_module: bool = False


def components(model: TraceModel) -> tuple[Component, ...]:
    """Return the components of all devices, `BOTH` before its parts; computed once.

    If the sum of the allocators is not recorded, it is computed from both; if these are not
    recorded, from the totals in their block records.
    """
    return model.cached("memory components", lambda: _components(model))


def components_of_device(model: TraceModel, device: int) -> list[Component]:
    """Return the components of a memory device by its index, in the order of `components`."""

    def make() -> dict[int, list[Component]]:
        found: dict[int, list[Component]] = {}
        for one in components(model):
            found.setdefault(one.device, []).append(one)
        return found

    return model.cached("memory components of devices", make).get(device, [])


def all_allocators(model: TraceModel, device: int) -> MemorySteps | None:
    """Return the memory of all allocators of a device, None if no components are recorded."""
    for one in components_of_device(model, device):
        if one.name == BOTH and not one.is_module:
            return one.steps
    return None


def memory_components(model: TraceModel, filter_: Filter = NO_FILTER) -> pa.Table:
    """Return the peak memory that each software component reserved from the device.

    Allocators come first, then driver modules, each sorted by size, largest first.

    Parameters
    ----------
    model : TraceModel
        The trace.
    filter_ : Filter
        Range in which to find the peaks, and devices; the name applies to components.

    Returns
    -------
    pyarrow.Table
        Columns of `MEMORY_COMPONENTS`.
    """
    window = selection.window(model, filter_)
    devices = frozenset(kept_devices(model, filter_))
    shown = [one for one in components(model) if one.device in devices]
    if filter_.kinds is not None and "memory" not in filter_.kinds:
        shown = []
    if filter_.name is not None:
        fits = match_names([one.name for one in shown], filter_.name)
        shown = [one for one, fit in zip(shown, fits, strict=True) if fit]
    found: list[tuple[int, int, Component]] = []
    for one in shown:
        index, time = one.steps.points(window)
        reserved = one.steps.reserved[index]
        if len(index) and reserved.max() >= 0:
            at = int(np.argmax(reserved))
            found.append((int(reserved[at]), int(time[at]), one))
    found.sort(key=lambda row: (row[2].device, row[2].is_module, -row[0], row[2].name))
    numbers = device_columns(model, np.array([one.device for *_, one in found], np.int64))
    return make_table(
        MEMORY_COMPONENTS,
        {
            "device": numbers["device"],
            "component": [one.name for *_, one in found],
            "source": ["driver" if one.is_module else "profiler" for *_, one in found],
            "peak_reserved_bytes": [size for size, *_ in found],
            "time_us": us(np.array([time for _, time, _ in found], np.int64)),
        },
    )


def _components(model: TraceModel) -> tuple[Component, ...]:
    recorded: dict[int, list[Component]] = {}
    for one in _recorded_components(model):
        recorded.setdefault(one.device, []).append(one)
    made = []
    for index in range(len(memory_devices(model))):
        here = recorded.get(index, [])
        own = {one.name: one for one in here if not one.is_module}
        parts = [own[name] for name in _ALLOCATORS if name in own] or _from_block_totals(
            model, index
        )
        whole = [own[BOTH]] if BOTH in own else []
        if parts and not whole:
            whole = [Component(index, BOTH, sum_of([part.steps for part in parts]))]
        known = {id(one) for one in (*whole, *parts)}
        made += [*whole, *parts, *(one for one in here if id(one) not in known)]
    return tuple(made)


def _recorded_components(model: TraceModel) -> list[Component]:
    """Return the components in the recorder's own table."""
    table = "memory_components"
    if model.tables[table].num_rows == 0:
        return []
    names = model.values(table, "component")
    column = {
        name: model.column(table, name)
        for name in ("device_type", "device", "component", "is_module")
    }
    time = model.column(table, "time_ns")
    places = {(one.type_code, one.number): at for at, one in enumerate(memory_devices(model))}
    keys = np.stack([values.astype(np.int64) for values in column.values()])
    found = []
    distinct, of = np.unique(keys, axis=1, return_inverse=True)
    rows_of = rows_of_values(of.reshape(-1))
    for at, (kind, number, code, is_module) in enumerate(distinct.T.tolist()):
        rows = rows_of[at]
        rows = rows[np.argsort(time[rows], kind="stable")]
        allocated, reserved = (model.column(table, f)[rows] for f in ("allocated", "reserved"))
        steps = MemorySteps(time[rows], allocated, reserved)
        found.append(Component(places[kind, number], names[code], steps, bool(is_module)))
    return found


def _from_block_totals(model: TraceModel, device: int) -> list[Component]:
    """Return the allocators of a device from the totals in their block records."""
    if not records_name_operators(model):
        return []
    rows = memory_devices(model)[device].rows
    names = names_of_records(model)
    of_graphs = np.array([*(text.startswith(_GRAPH) for text in names.texts), False], bool)
    in_graph = of_graphs[names.code[rows]]
    found = []
    time, allocated, reserved = (
        model.column("memory", name) for name in ("time_ns", "total_allocated", "total_reserved")
    )
    for name, mine in zip(_ALLOCATORS, (rows[~in_graph], rows[in_graph]), strict=True):
        known_rows = mine[allocated[mine] >= 0]
        if len(known_rows):
            steps = MemorySteps(time[known_rows], allocated[known_rows], reserved[known_rows])
            found.append(Component(device, name, steps))
    return found


TABLE: Final = TableSpec(
    name="memory_components",
    summary="the peak memory of each software component",
    columns=MEMORY_COMPONENTS,
    make=memory_components,
    keys=("device", "component", "source"),
    sort=("peak_reserved_bytes",),
    nouns=("component", "components"),
    needs="memory",
    empty_texts={"memory": "The recorder does not say which part of the software holds memory."},
)
