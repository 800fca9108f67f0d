"""Formats host and device slices as Chrome trace events."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.model.steps.steps import STEP_NAME
from nbprof.model.trace import kinds
from nbprof.sources.writing import text
from nbprof.sources.writing.arguments import KEYS, column_of, names_as_text
from nbprof.sources.writing.lanes import thread_places
from nbprof.sources.writing.text import Fragments

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import pyarrow as pa

    from nbprof.model.trace.model import TraceModel


_HOST_CATEGORIES: Final = {
    kinds.OPERATOR: "cpu_op",
    kinds.ANNOTATION: "user_annotation",
    kinds.STEP: "user_annotation",
    kinds.PYTHON: "python_function",
    kinds.MODULE: "python_function",
    kinds.PHASE: "operator_phase",
    kinds.LIBRARY: "library_call",
    kinds.OVERHEAD: "overhead",
}


_DEVICE_CATEGORIES: Final = {
    kinds.KERNEL: "kernel",
    kinds.MEMCPY: "gpu_memcpy",
    kinds.MEMSET: "gpu_memset",
    kinds.SYNC: "cuda_sync",
    kinds.DEVICE_ANNOTATION: "gpu_user_annotation",
    kinds.TASK: "device_task",
}

Rows = npt.NDArray[np.int64]


#: Device types whose runtime calls have CUDA's categories; for others, the category starts with the
#: type.
_CUDA: Final = frozenset({"None", "", "gpu", "cpu", "device"})


_HOST_NUMBERS: Final = ("external_id", "correlation", "sequence", "forward_thread", "python_id",
                        "python_parent", "module_id")  # fmt: skip


_DEVICE_NUMBERS: Final = ("correlation", "external_id", "registers", "shared_memory_bytes",
                          "blocks_per_sm", "warps_per_sm", "occupancy_pct", "bytes",
                          "bandwidth_gbps", "graph_node")  # fmt: skip


#: Columns of JSON text about the inputs of an operator.
_INPUTS: Final = ("input_shapes", "input_types", "input_values")

_COLLECTIVE_ARGUMENTS: Final = {
    "collective": "collective",
    "dtype": "dtype",
    "in_elements": "in_elements",
    "out_elements": "out_elements",
    "group_size": "group_size",
    "process_group": "group_name",
    "ranks": "ranks",
}


def host_lines(model: TraceModel, shift_ns: int) -> Callable[[Rows], pa.StringArray]:
    """Return what formats host rows: operators, annotations, steps, Python frames and calls."""
    names = model.recorded("host")
    # Readers recognise steps by this prefix.
    beginning = names_as_text([re.sub("^ProfileStep#", "ProfilerStep#", name) for name in names])
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
    missing = _Missing(model, "host", kinds.HOST_KINDS)
    of_call = np.array([_api(name) for name in names] + [0], np.int64) + len(kinds.HOST_KINDS)
    places = thread_places(model)
    raw = {name: _arrays(model, "host", name) for name in _INPUTS}
    stacks = Fragments(
        f",{text.encode(KEYS['call_stack'])}:{text.encode(stack)}"
        for stack in model.values("host", "call_stack")
    )
    collectives = _collectives(model, "host")

    def lines(rows: Rows) -> pa.StringArray:
        column = partial(column_of, model, "host", rows)
        kind = column("kind").astype(np.int64)
        category = np.where(kind == kinds.RUNTIME, of_call[column("name")], kind)
        category, said = missing.of(rows, category, kind)
        return text.join(
            ',\n{"ph":"X"',
            categories.of(category),
            beginning.of(column("name")),
            places.of(column("thread")),
            *_when(column, shift_ns),
            ',"args":{',
            _arguments(
                said,
                *(text.argument(KEYS[name], column(name)) for name in _HOST_NUMBERS),
                *(fragments.of(column(name)) for name, fragments in raw.items()),
                stacks.of(column("call_stack")),
                *(fragments.of(codes[rows]) for codes, fragments in collectives),
            ),
            "}}",
        )

    return lines


def device_lines(model: TraceModel, shift_ns: int) -> Callable[[Rows], pa.StringArray]:
    """Return what formats device rows: kernels, copies, memory sets and synchronisation."""
    beginning = names_as_text(model.recorded("device"))
    categories = Fragments(
        f',"cat":"{_DEVICE_CATEGORIES[kind]}"' for kind in sorted(_DEVICE_CATEGORIES)
    )
    missing = _Missing(model, "device", (kinds.DEVICE_PREFIX + one for one in kinds.DEVICE_KINDS))
    raw = {name: _arrays(model, "device", name) for name in ("grid", "block")}
    collectives = _collectives(model, "device")

    def lines(rows: Rows) -> pa.StringArray:
        column = partial(column_of, model, "device", rows)
        device, stream = text.numbers(column("device")), text.numbers(column("stream"))
        category, said = missing.of(rows, column("kind"), column("kind"))
        return text.join(
            ',\n{"ph":"X"',
            categories.of(category),
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
            said,
            *(text.argument(KEYS[name], column(name)) for name in _DEVICE_NUMBERS),
            *(fragments.of(column(name)) for name, fragments in raw.items()),
            *(fragments.of(codes[rows]) for codes, fragments in collectives),
            "}}",
        )

    return lines


class _Missing:
    """Leaves out the categories of slices that were recorded without one, and says their kinds."""

    def __init__(self, model: TraceModel, table: str, known: Iterable[str]) -> None:
        self._missing = model.column(f"{table}_categories", "is_missing")
        key = text.encode(KEYS["kind"])
        self._kinds = Fragments(f",{key}:{text.encode(kind)}" for kind in known)

    def of(
        self, rows: Rows, categories: npt.NDArray[Any], kind: npt.NDArray[Any]
    ) -> tuple[npt.NDArray[Any], text.Pieces]:
        """Return the codes of the categories that are written, and the arguments beside them."""
        if not len(self._missing):
            return categories, ""
        missing = self._missing[rows]
        return np.where(missing, -1, categories), self._kinds.of(np.where(missing, kind, -1))


def _when(column: Callable[[str], Rows], shift_ns: int) -> tuple[text.Pieces, ...]:
    start = text.microseconds(column("start_ns") + shift_ns)
    return ',"ts":', start, ',"dur":', text.microseconds(column("duration_ns"))


def _arguments(*pieces: text.Pieces) -> text.Pieces:
    """Join arguments, each preceded by a comma, and drop the first comma."""
    if all(isinstance(piece, str) for piece in pieces):
        return "".join(map(str, pieces))[1:]
    return text.without_first(text.join(*pieces))


def _arrays(model: TraceModel, table: str, name: str) -> Fragments:
    key = text.encode(KEYS[name])
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
    collectives = [row for row in model.tables["collectives"].to_pylist() if row["side"] == side]
    if not collectives:
        return []
    codes = np.full(model.tables[side].num_rows, -1, np.int64)
    codes[[row["row"] for row in collectives]] = np.arange(len(collectives))
    pieces = [
        "".join(
            f",{text.encode(KEYS[key])}:{text.encode(row[name])}"
            for name, key in _COLLECTIVE_ARGUMENTS.items()
            if row[name] is not None and row[name] != -1
        )
        for row in collectives
    ]
    return [(codes, Fragments(pieces))]
