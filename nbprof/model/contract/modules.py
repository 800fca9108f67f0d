"""The result tables about modules and call stacks."""

from __future__ import annotations

from typing import Final

from nbprof.model.contract.columns import Columns, count, size, text, time

MODULES: Final[Columns] = (
    count("module_id", "Number of the row, the same under every filter."),
    count("parent_id", "Row of the module round this one; of a module at the top, none."),
    text(
        "name",
        "Class of the module and its number. One that several others call has a row under each,"
        " with the figures of all its calls.",
    ),
    count("occurrences", "Number of calls."),
    count("operators", "Operators that the module calls itself, not through other modules."),
    time("host_total_us", "Host time of the calls, with all that they call."),
    time(
        "host_self_us",
        "Host time without the modules, operators and runtime calls inside: that of Python itself.",
    ),
    time("device_total_us", "Time of the device work launched inside the calls."),
    time(
        "device_self_us",
        "Time of the device work launched by the module itself, without modules inside.",
    ),
    time(
        "backward_host_us",
        "Host time of the operators of the backward pass whose forward operators ran in the calls.",
    ),
    time("backward_device_us", "Time of the device work that these operators launched."),
)

FLAME: Final[Columns] = (
    count("id", "Number of the frame; one round it has a smaller number."),
    count("parent_id", "Frame round this one; of a frame at the bottom, none."),
    count("depth", "Number of frames below it in the stack."),
    text("name", "What ran: a module, an operator, a Python function."),
    text("kind", "module, operator or python; what no frame is round: what it is itself."),
    count("calls", "How often it ran."),
    time("offset_us", "Where the frame begins, from the start of the graph."),
    time("total_us", "Time of the frame with all frames above it, which is its width."),
    time("self_us", "Time of the frame without frames above it."),
    size("offset_bytes", "Where the frame begins, from the start of the graph."),
    size("total_bytes", "Bytes that were allocated in the frame and those above it: its width."),
    size("self_bytes", "Bytes that were allocated in the frame itself."),
)

#: What the width of a frame can be, and the unit that its columns end in.
FLAME_UNITS: Final = {"host": "_us", "device": "_us", "bytes": "_bytes"}


def flame_columns(by: str) -> Columns:
    """Return the columns of `flame` for what the width of a frame is.

    Parameters
    ----------
    by : {"host", "device", "bytes"}
        A key of `FLAME_UNITS`.
    """
    other = "_bytes" if FLAME_UNITS[by] == "_us" else "_us"
    return tuple(column for column in FLAME if not column.name.endswith(other))
