"""The result tables about memory: what is allocated when, by whom, and who holds it at the peak."""

from __future__ import annotations

from typing import Final

from nbprof.model.contract.columns import Columns, count, size, text, time

_DEVICE: Final[Columns] = (
    text("device_type", "Kind of memory: cpu, gpu, …; of kinds without a name device and number."),
    count("device", "Number of the device; empty for the CPU."),
)

MEMORY_CURVE: Final[Columns] = (
    *_DEVICE,
    text("component", "Part of the software that holds the memory, where the trace tells them."),
    time("time_us", "Time from which on the figures hold, from the first event of the trace."),
    size(
        "allocated_bytes",
        "Memory in use by tensors. Where the trace does not say what was in use at its start, that"
        " is taken as the least that the records allow.",
    ),
    size("reserved_bytes", "Memory that the allocator has taken from the device."),
)

#: Of recorders that say with every record the peaks since the process started.
MEMORY_CURVE_PEAKS: Final[Columns] = (
    size("peak_allocated_bytes", "Most memory in use until then, since the process started."),
    size("peak_reserved_bytes", "Most memory that the allocator held until then."),
)

MEMORY_OPERATORS: Final[Columns] = (
    *_DEVICE,
    text("name", "Name of the operator."),
    count("calls", "Number of calls, whether they allocate on this device or not."),
    size(
        "size_increase_bytes",
        "Allocated less released while the operator ran, in operators that it called, too.",
    ),
    size(
        "self_size_increase_bytes",
        "Allocated less released by the operator itself, without operators that it called.",
    ),
    count("allocation_count", "Allocations in the operator and in those that it called."),
    count("self_allocation_count", "Allocations by the operator itself."),
    size("allocation_size_bytes", "Bytes of the allocations, releases not taken off."),
    size("self_allocation_size_bytes", "Bytes of the operator's own allocations."),
)

#: Of recorders that tell what is in use from what the allocator holds: the last key of a row.
MEMORY_KIND: Final = text(
    "memory_type", "allocated: memory in use; reserved: what the allocator took from the device."
)

#: Of such recorders, what was released.
MEMORY_RELEASES: Final[Columns] = (
    count("release_count", "Releases in the operator and in those that it called."),
    count("self_release_count", "Releases by the operator itself."),
    size("release_size_bytes", "Bytes of the releases, allocations not taken off."),
    size("self_release_size_bytes", "Bytes of the operator's own releases."),
)

MEMORY_EVENTS: Final[Columns] = (
    *_DEVICE,
    text(
        "operator",
        "Operator that allocated the block; of aten::empty and the like, behind what called it.",
    ),
    size("size_bytes", "Size of the block."),
    time("allocation_us", "When it was allocated; empty for what was there before the recording."),
    time("release_us", "When it was released; empty for what the recording does not see released."),
    time("duration_us", "Time from allocation to release."),
)

#: Of recorders that tell what is in use from what the allocator holds.
MEMORY_EVENT_DETAILS: Final[Columns] = (
    MEMORY_KIND,
    text("address", "Where the block is, hexadecimal."),
    text("release_operator", "What was running when it was released."),
)

MEMORY_PEAK: Final[Columns] = (
    *_DEVICE,
    size("peak_bytes", "Most memory in use at one time."),
    time("time_us", "When that was first reached."),
    size("capacity_bytes", "Memory of the device, where the trace tells."),
)

MEMORY_PEAK_HOLDERS: Final[Columns] = (
    *_DEVICE,
    text("operator", "Operator that allocated the blocks; empty where none was running."),
    text("module", "Innermost module round the operator, or round its forward operator."),
    text("call_stack", "Python frames round the allocation, joined by ;."),
    size("bytes", "Bytes of the blocks that are in use at the peak."),
    count(
        "blocks",
        "Number of the blocks. Empty in the row of what was in use before the recording.",
    ),
)

MEMORY_CATEGORIES: Final[Columns] = (
    count("device", "Number of the device, where the file tells."),
    time("time_us", "Time from which on the figure holds, from the first event of the trace."),
    text("category", "What the memory is for: parameter, gradient, activation, …"),
    size("bytes", "Memory in use for it, until its next row."),
)

MEMORY_COMPONENTS: Final[Columns] = (
    count("device", "Number of the device."),
    text("component", "Part of the software that holds the memory."),
    text("source", "profiler: of allocators and the process; driver: of its modules."),
    size("peak_reserved_bytes", "Most memory that it had taken from the device."),
    time("time_us", "When that was first reached, from the first event of the trace."),
)
