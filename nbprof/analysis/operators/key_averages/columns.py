"""Columns and groupings of the table `key_averages`."""

from __future__ import annotations

from typing import Final

from nbprof.model.contract.columns import Columns, count, flag, pct, size, text, time

#: Columns of `key_averages`. The keys after ``name`` appear only if they are grouped by.
KEY_AVERAGES: Final[Columns] = (
    text(
        "name",
        "Name of the operator, label, Python function, runtime call or device event; all steps are "
        "one row.",
    ),
    text("overload_name", "Overload of the operator, if recorded."),
    text("input_shapes", "Shapes of the inputs, as JSON; a list of tensors is []."),
    text("call_stack", "Innermost Python frames around the event, joined by ;."),
    text("device_type", "Where the event ran: cpu, or the type of the device."),
    flag("user_annotation", "Whether it is a label, or the range of a label on a device."),
    flag("asynchronous", "Whether it begins and ends on different threads, so has no self time."),
    time("host_self_us", "Time without the events directly inside it."),
    pct("host_self_pct", "Share of the self time of all rows."),
    time("host_total_us", "Time from start to end, of all calls."),
    pct(
        "host_total_pct",
        "Total time as a share of the self time of all rows; 0 for asynchronous events.",
    ),
    time("host_mean_us", "Mean time of a call from start to end."),
    time(
        "device_self_us",
        "Time of the device work that the event itself launched; for device events, their time.",
    ),
    pct("device_self_pct", "Share of the self time of all device events."),
    time("device_total_us", "Device time, including that of the events inside it."),
    time("device_mean_us", "Mean device time of a call, including that of the events inside it."),
    size(
        "host_memory_bytes",
        "Host memory allocated less released while it ran, on any thread.",
    ),
    size("host_self_memory_bytes", "Host memory without that of the events directly inside it."),
    size(
        "device_memory_bytes",
        "Device memory allocated less released while it ran, on any thread.",
    ),
    size(
        "device_self_memory_bytes",
        "Device memory without that of the events directly inside it.",
    ),
    count("calls", "Number of calls. A call whose only child has the same name counts once."),
    count("node_id", "Number of the node of a remote call, which trace files do not contain."),
    count(
        "flops",
        "Floating-point operations by PyTorch's formulas: conv2d, mm, addmm, bmm, baddbmm, add and "
        "mul only, otherwise 0.",
    ),
)

#: Groupings; rows are selected by name.
GROUPS: Final = dict.fromkeys(("name", "name+shape", "name+stack1", "name+stack5"), ("name",))

#: Number of frames that each grouping by stack compares.
STACK_DEPTHS: Final = {"name+stack1": 1, "name+stack5": 5}
