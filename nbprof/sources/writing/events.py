"""Formats the rows of a model as Chrome trace events in Kineto's form."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.model.steps.steps import STEP_NAME
from nbprof.model.trace import kinds
from nbprof.sources.chrome.events import Args
from nbprof.sources.writing import text
from nbprof.sources.writing.lanes import about_places, thread_places
from nbprof.sources.writing.text import Fragments

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa

    from nbprof.model.trace.model import TraceModel
    from nbprof.sources.writing.part import Part

Rows = npt.NDArray[np.int64]

#: Rows formatted at a time.
CHUNK: Final = 1 << 14

#: Names of arguments in files, by their column names.
_KEYS: Final = dict(zip(Args.__struct_fields__, Args.__struct_encode_fields__, strict=True))

_HOST_CATEGORIES: Final = {
    kinds.OPERATOR: "cpu_op",
    kinds.ANNOTATION: "user_annotation",
    kinds.STEP: "user_annotation",
    kinds.PYTHON: "python_function",
    kinds.MODULE: "python_function",
    kinds.PHASE: "operator_phase",
}
_DEVICE_CATEGORIES: Final = {
    kinds.KERNEL: "kernel",
    kinds.MEMCPY: "gpu_memcpy",
    kinds.MEMSET: "gpu_memset",
    kinds.SYNC: "cuda_sync",
    kinds.DEVICE_ANNOTATION: "gpu_user_annotation",
    kinds.TASK: "device_task",
}
#: Device types whose runtime calls have CUDA's categories; for others, the category starts with the
#: type.
_CUDA: Final = frozenset({"None", "", "gpu", "cpu", "device"})

#: Categories of arrows in files, by their category in the table of flows.
_FLOWS: Final = {"fwdbwd": "fwdbwd", "operator": "async_npu", "queue": "async_task_queue"}

_HOST_NUMBERS: Final = ("external_id", "correlation", "sequence", "forward_thread", "python_id",
                        "python_parent", "module_id")  # fmt: skip
_DEVICE_NUMBERS: Final = ("correlation", "external_id", "registers", "shared_memory_bytes",
                          "blocks_per_sm", "warps_per_sm", "occupancy_pct", "bytes",
                          "bandwidth_gbps", "graph_node")  # fmt: skip
#: Columns of the memory table, and the names of their arguments.
_MEMORY_NUMBERS: Final = {
    "address": "address",
    "device_type": "device_type",
    "device": "device_id",
    "total_allocated": "total_allocated",
    "total_reserved": "total_reserved",
}
_COLLECTIVE_ARGUMENTS: Final = {
    "collective": "collective",
    "dtype": "dtype",
    "in_elements": "in_elements",
    "out_elements": "out_elements",
    "group_size": "group_size",
    "process_group": "group_name",
    "ranks": "ranks",
}


def events(model: TraceModel, part: Part, shift_ns: int) -> Iterator[memoryview | bytes]:
    """Yield the text of events, each preceded by a comma and a newline.

    Parameters
    ----------
    model : TraceModel
        The trace.
    part : Part
        The rows to write.
    shift_ns : int
        Added to all times.
    """
    yield about_places(model, part).encode()
    for lines, rows in (
        (_host(model, shift_ns), part.host),
        (_device(model, shift_ns), part.device),
        (_memory(model, shift_ns), part.memory),
        (_flows(model, shift_ns), part.flows),
        (_counters(model, shift_ns), part.counters),
    ):
        for first in range(0, len(rows), CHUNK):
            yield text.to_bytes(lines(rows[first : first + CHUNK]))


Lines = "Callable[[Rows], pa.StringArray]"


def _host(model: TraceModel, shift_ns: int) -> Callable[[Rows], pa.StringArray]:
    names = model.recorded("host")
    # Readers recognise steps by this prefix.
    beginning = _named([re.sub("^ProfileStep#", "ProfilerStep#", name) for name in names])
    host_categories = dict(_HOST_CATEGORIES)
    if STEP_NAME in model.metadata:  # steps that their names do not identify
        host_categories[kinds.STEP] = "step"
    categories = Fragments(
        f',"cat":{text.encode(one)}'
        for one in (
            *(host_categories.get(kind, "") for kind in range(len(kinds.HOST_KINDS))),
            *_calls(model),
        )
    )
    of_call = np.array([_api(name) for name in names] + [0], np.int64) + len(kinds.HOST_KINDS)
    places = thread_places(model)
    raw = {name: _arrays(model, "host", name) for name in ("input_shapes", "input_types")}
    stacks = Fragments(
        f",{text.encode(_KEYS['call_stack'])}:{text.encode(stack)}"
        for stack in model.values("host", "call_stack")
    )
    collectives = _collectives(model, "host")

    def lines(rows: Rows) -> pa.StringArray:
        column = partial(_column, model, "host", rows)
        kind = column("kind").astype(np.int64)
        category = np.where(kind == kinds.RUNTIME, of_call[column("name")], kind)
        return text.join(
            ',\n{"ph":"X"',
            categories.of(category),
            beginning.of(column("name")),
            places.of(column("thread")),
            *_when(column, shift_ns),
            ',"args":{',
            _arguments(
                *(text.argument(_KEYS[name], column(name)) for name in _HOST_NUMBERS),
                *(fragments.of(column(name)) for name, fragments in raw.items()),
                stacks.of(column("call_stack")),
                *(fragments.of(codes[rows]) for codes, fragments in collectives),
            ),
            "}}",
        )

    return lines


def _device(model: TraceModel, shift_ns: int) -> Callable[[Rows], pa.StringArray]:
    beginning = _named(model.recorded("device"))
    categories = Fragments(
        f',"cat":"{_DEVICE_CATEGORIES[kind]}"' for kind in sorted(_DEVICE_CATEGORIES)
    )
    raw = {name: _arrays(model, "device", name) for name in ("grid", "block")}
    collectives = _collectives(model, "device")

    def lines(rows: Rows) -> pa.StringArray:
        column = partial(_column, model, "device", rows)
        device, stream = text.numbers(column("device")), text.numbers(column("stream"))
        return text.join(
            ',\n{"ph":"X"',
            categories.of(column("kind")),
            beginning.of(column("name")),
            ',"pid":',
            device,
            ',"tid":',
            stream,
            *_when(column, shift_ns),
            ',"args":{"device":',
            device,
            ',"stream":',
            stream,
            *(text.argument(_KEYS[name], column(name)) for name in _DEVICE_NUMBERS),
            *(fragments.of(column(name)) for name, fragments in raw.items()),
            *(fragments.of(codes[rows]) for codes, fragments in collectives),
            "}}",
        )

    return lines


def _memory(model: TraceModel, shift_ns: int) -> Callable[[Rows], pa.StringArray]:
    places = thread_places(model)

    def lines(rows: Rows) -> pa.StringArray:
        column = partial(_column, model, "memory", rows)
        return text.join(
            ',\n{"ph":"i","s":"t","cat":"cpu_instant_event","name":"[memory]"',
            places.of(column("thread")),
            ',"ts":',
            text.microseconds(column("time_ns") + shift_ns),
            f',"args":{{"{_KEYS["change"]}":',
            text.numbers(column("bytes")),
            *(text.argument(_KEYS[key], column(name)) for name, key in _MEMORY_NUMBERS.items()),
            "}}",
        )

    return lines


def _flows(model: TraceModel, shift_ns: int) -> Callable[[Rows], pa.StringArray]:
    category = Fragments(
        ',"cat":"{0}","name":"{0}"'.format(_FLOWS.get(one, "ac2g"))
        for one in model.values("flows", "category")
    )
    phase = Fragments(
        ',\n{"ph":"f","bp":"e"' if one == "f" else ',\n{"ph":"s"'
        for one in model.values("flows", "phase")
    )

    def lines(rows: Rows) -> pa.StringArray:
        column = partial(_column, model, "flows", rows)
        return text.join(
            phase.of(column("phase")),
            category.of(column("category")),
            ',"id":',
            text.numbers(column("id")),
            ',"pid":',
            text.numbers(column("pid")),
            ',"tid":',
            text.numbers(column("tid")),
            ',"ts":',
            text.microseconds(column("time_ns") + shift_ns),
            "}",
        )

    return lines


def _counters(model: TraceModel, shift_ns: int) -> Callable[[Rows], pa.StringArray]:
    beginning = _named(model.recorded("counters"))
    series = Fragments(f"{text.encode(one)}:" for one in model.values("counters", "series"))

    def lines(rows: Rows) -> pa.StringArray:
        column = partial(_column, model, "counters", rows)
        return text.join(
            ',\n{"ph":"C"',
            beginning.of(column("name")),
            ',"pid":',
            text.numbers(column("pid")),
            ',"ts":',
            text.microseconds(column("time_ns") + shift_ns),
            ',"args":{',
            series.of(column("series")),
            text.floats(column("value")),
            "}}",
        )

    return lines


def _column(model: TraceModel, table: str, rows: Rows, name: str) -> npt.NDArray[Any]:
    values: npt.NDArray[Any] = model.column(table, name)[rows]
    return values


def _when(column: Callable[[str], Rows], shift_ns: int) -> tuple[text.Pieces, ...]:
    start = text.microseconds(column("start_ns") + shift_ns)
    return ',"ts":', start, ',"dur":', text.microseconds(column("duration_ns"))


def _arguments(*pieces: text.Pieces) -> text.Pieces:
    """Join arguments, each preceded by a comma, and drop the first comma."""
    if all(isinstance(piece, str) for piece in pieces):
        return "".join(map(str, pieces))[1:]
    return text.without_first(text.join(*pieces))


def _named(names: list[str]) -> Fragments:
    return Fragments(f',"name":{text.encode(name)}' for name in names)


def _arrays(model: TraceModel, table: str, name: str) -> Fragments:
    key = text.encode(_KEYS[name])
    return Fragments(f",{key}:{text.raw_array(one)}" for one in model.values(table, name))


def _calls(model: TraceModel) -> tuple[str, str, str]:
    """Return the categories of calls, indexed by the codes of `_api`."""
    recorded = str(model.metadata.get("device_type"))
    runtime = "cuda" if recorded in _CUDA else recorded
    return f"{runtime}_runtime", "cuda_driver", "hip_runtime"


def _api(name: str) -> int:
    """Return the API that each call belongs to, since its recorded category is not stored."""
    if re.match("cu[A-Z]", name):
        return 1
    return 2 if name.startswith("hip") else 0


def _collectives(model: TraceModel, side: str) -> list[tuple[npt.NDArray[np.int64], Fragments]]:
    """Return the arguments of the collectives of one side: a code for every row, and the pieces."""
    found = [row for row in model.tables["collectives"].to_pylist() if row["side"] == side]
    if not found:
        return []
    codes = np.full(model.tables[side].num_rows, -1, np.int64)
    codes[[row["row"] for row in found]] = np.arange(len(found))
    pieces = [
        "".join(
            f",{text.encode(_KEYS[key])}:{text.encode(row[name])}"
            for name, key in _COLLECTIVE_ARGUMENTS.items()
            if row[name] is not None and row[name] != -1
        )
        for row in found
    ]
    return [(codes, Fragments(pieces))]
