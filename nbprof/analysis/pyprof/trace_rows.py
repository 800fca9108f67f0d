"""PyProf's report of traces without PyProf's ranges: by operators, shapes and costs."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.kernels.matrix_operators import could_multiply
from nbprof.analysis.pyprof.calls import Tensor
from nbprof.analysis.pyprof.figures import listed
from nbprof.analysis.pyprof.records import is_library, short_name
from nbprof.analysis.pyprof.report import COLUMNS, NONE, UNKNOWN
from nbprof.model.contract.table import make_table
from nbprof.model.links.module_tree import ModuleTree, sources_of_device
from nbprof.model.lookup import values_at

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]

_WANTED: Final = (
    *("name", "operator", "launched_by", "direction", "sequence", "thread", "device", "stream"),
    *("grid", "block", "input_shapes", "input_types", "matrix_unit_used", "call_stack"),
    *("flops", "bytes"),
)
_DIRECTIONS: Final = {"forward": "fprop", "backward": "bprop", "optimizer": "optim"}
_FRAME: Final = re.compile(r"(.+)\((\d+)\): ")


def report_of_trace(model: TraceModel, rows: Rows, launches: pa.Table) -> pa.Table:
    """Return the report of kernels by their operators.

    Parameters
    ----------
    model : TraceModel
        The trace.
    rows : ndarray of int64, shape (kernels,)
        Device rows.
    launches : pyarrow.Table
        The same kernels in `kernel_launches`, with call stacks.

    Returns
    -------
    pyarrow.Table
        Columns of `nbprof.analysis.pyprof.report.COLUMNS`. FLOPs and bytes are the kernel's share
        of those of its operator.
    """
    known = [name for name in _WANTED if name in launches.column_names]
    layers = _layers(model, rows)
    durations = model.column("device", "duration_ns")[rows].tolist()
    made: list[dict[str, Any]] = []
    before: tuple[str, ...] | None = None
    ordinal = 0
    for number, (one, layer, duration) in enumerate(
        zip(launches.select(known).to_pylist(), layers, durations, strict=True), 1
    ):
        row = _row(dict.fromkeys(_WANTED) | one)
        key = (row["seq"], row["mod"], row["op"], row["dir"])
        again = row["seq"] != NONE and key == before
        before, ordinal = key, ordinal + 1 if again else 0
        made.append({**row, "idx": number, "layer": layer, "sil": duration, "sub": ordinal})
    return make_table(COLUMNS, {c.name: [row[c.name] for row in made] for c in COLUMNS})


def _row(one: dict[str, Any]) -> dict[str, Any]:
    operator = one["operator"] or one["launched_by"] or ""
    space, _, name = operator.rpartition("::")
    status = "ok"
    if one["operator"] is None:
        status = "no operator"
    elif one["flops"] is None and one["bytes"] is None:
        status = f"no formula or no shapes for {operator}"
    return {
        "seq": NONE if one["sequence"] is None else str(one["sequence"]),
        "altseq": NONE,
        "tid": one["thread"],
        "trace": _trace(one["call_stack"]),
        "dir": _DIRECTIONS.get(one["direction"], NONE),
        "mod": space or UNKNOWN,
        "op": name,
        "kernel": short_name(one["name"] or "").replace(" ", "_"),
        "params": _params(one["input_shapes"], one["input_types"]),
        "tc": _matrix_unit(one["matrix_unit_used"], one["operator"]),
        "device": one["device"],
        "stream": one["stream"],
        "grid": size_text(one["grid"]),
        "block": size_text(one["block"]),
        "flops": None if one["flops"] is None else round(one["flops"]),
        "bytes": None if one["bytes"] is None else round(one["bytes"]),
        "status": status,
    }


def _layers(model: TraceModel, rows: Rows) -> list[str]:
    """Return the modules around the launch of each kernel, the outermost first."""
    tree = ModuleTree.of(model)
    paths = tree.paths(tree.labels(), ":")
    module = values_at(tree.module, sources_of_device(model)[rows])
    return [paths[one] if one >= 0 else NONE for one in module.tolist()]


@lru_cache(maxsize=4096)
def _trace(stack: str | None) -> str:
    """Return frames as ``file:line``, the outermost first."""
    frames = (_FRAME.match(frame) for frame in reversed((stack or "").split(";")))
    places = (f"{frame[1]}:{frame[2]}" for frame in frames if frame)
    return ",".join(place for place in places if not is_library(place)) or NONE


@lru_cache(maxsize=4096)
def _params(shapes: str | None, types: str | None) -> str:
    """Return the tensors among the inputs."""
    try:
        pairs = list(zip(json.loads(shapes or "[]"), json.loads(types or "[]"), strict=True))
    except ValueError:
        return f"{UNKNOWN}={UNKNOWN},"
    tensors = [
        Tensor(tuple(shape), _dtype(dtype))
        for shape, dtype in pairs
        if shape and all(isinstance(size, int) for size in shape)
    ]
    return listed(tensors) or f"{UNKNOWN}={UNKNOWN},"


def _dtype(recorded: object) -> str:
    """Return a type as PyProf names it: ``c10::BFloat16`` is ``bfloat16``."""
    name = str(recorded).rpartition("::")[2].lower()
    return {"long int": "int64", "unsigned char": "uint8", "signed char": "int8"}.get(name, name)


@lru_cache(maxsize=4096)
def size_text(text: str | None) -> str:
    """Return ``[1, 2, 3]`` as ``1,2,3``."""
    return re.sub(r"[\[\] ]", "", text or "") or NONE


def _matrix_unit(used: bool | None, operator: str | None) -> str:
    if used is None:
        return UNKNOWN
    if used:
        return "1"
    return "0" if operator is not None and could_multiply(operator) else NONE
