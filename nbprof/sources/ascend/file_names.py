"""The names of the files in an Ascend directory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.sources.ascend.profiler_info import INFO, INFO_KIND, METADATA
from nbprof.sources.packed.names import unpacked_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nbprof.sources.files.opening import AnyPath

#: Name of the format.
FORMAT: Final = "Ascend"

#: The directory that the files of a worker and span are in.
OUTPUT: Final = "ASCEND_PROFILER_OUTPUT"

TRACE_VIEW: Final = "trace_view.json"
KERNELS: Final = "kernel_details.csv"
OPERATORS: Final = "operator_details.csv"
OPERATOR_MEMORY: Final = "operator_memory.csv"
MEMORY_RECORD: Final = "memory_record.csv"
MODULE_MEMORY: Final = "npu_module_mem.csv"
STEP_TIMES: Final = "step_trace_time.csv"
COMMUNICATION: Final = "communication.json"

#: At least one of these must exist.
CONTENT: Final = (
    TRACE_VIEW,
    KERNELS,
    OPERATORS,
    OPERATOR_MEMORY,
    MEMORY_RECORD,
    MODULE_MEMORY,
    STEP_TIMES,
    COMMUNICATION,
)


def kind_of(name: str) -> str | None:
    """Return the kind of a file, from `CONTENT`, by its name, compressed or not; else None."""
    plain = unpacked_name(name)
    return plain if plain in CONTENT else None


def by_kind(paths: Iterable[AnyPath]) -> dict[str, AnyPath]:
    """Return files by kind; a file with another name is a trace that was exported separately."""
    found: dict[str, AnyPath] = {}
    for path in paths:
        if INFO.fullmatch(path.name):
            kind = INFO_KIND
        elif path.name == METADATA:
            kind = METADATA
        else:
            kind = kind_of(path.name) or TRACE_VIEW
        found.setdefault(kind, path)
    return found
