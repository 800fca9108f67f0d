"""Message sizes of communication calls, and the bytes that each link carries.

Bandwidths follow the conventions of nccl-tests (performance notes), as in AMD TraceLens: the
message is the output of a gather and the input of any other collective. Of it, a link carries
2(n-1)/n in an all-reduce of n ranks, and (n-1)/n when all ranks gather, scatter or exchange.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.grouping import dense
from nbprof.analysis.kernels.communication import recorded_calls

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

#: Bytes per element, by lower-case names of types in PyTorch's operators and collectives.
_SIZES: Final = {
    **dict.fromkeys(("double", "long", "long int", "int64", "float64", "c10::complex<float>"), 8),
    **dict.fromkeys(("float", "int", "int32", "float32", "complexfloat"), 4),
    **dict.fromkeys(("half", "bfloat16", "short", "short int", "float16"), 2),
    **dict.fromkeys(("c10::half", "c10::bfloat16", "int16"), 2),
    **dict.fromkeys(("byte", "char", "bool", "unsigned char", "signed char", "int8", "uint8"), 1),
    **dict.fromkeys(("c10::complex<double>", "complexdouble"), 16),
}
_FLOAT8: Final = re.compile(r"(c10::)?float8_\w+")
#: Point-to-point calls: sender and receiver are different ranks, so calls of two ranks do not
#: match.
_POINT_TO_POINT: Final = re.compile(r"send|recv|receive|isend|irecv", re.IGNORECASE)
_WORDS: Final = re.compile(r"[^a-z]+")


@dataclass(frozen=True)
class Volume:
    """Data volumes of calls; all arrays have shape (calls,).

    Attributes
    ----------
    given : ndarray of int64
        Bytes that the rank sends, each counted once: its input, 0 in a group of one rank, -1 if
        unknown.
    message : ndarray of int64
        Bytes of the message, -1 if unknown.
    bus_factor : ndarray of float64
        Bytes that each link carries per byte of the message, NaN if unknown.
    """

    given: Rows
    message: Rows
    bus_factor: Floats


def is_point_to_point(name: str) -> bool:
    """Return whether a call of this name only sends or only receives."""
    return _POINT_TO_POINT.search(name) is not None


def volumes(model: TraceModel, names: list[str], hosts: Rows, arguments: Rows) -> Volume:
    """Return the data volumes of calls.

    Parameters
    ----------
    model : TraceModel
        The trace.
    names : list of str
        Name of each call.
    hosts : ndarray of int64, shape (calls,)
        Host row of each call, -1 without one.
    arguments : ndarray of int64, shape (calls,)
        Row in `collectives` of each call, -1 without one.
    """
    labels = {name: number for number, name in enumerate(dict.fromkeys(names))}
    label = np.fromiter((labels[name] for name in names), np.int64, len(names))
    shapes, types = (_codes(model, column, hosts) for column in ("input_shapes", "input_types"))
    group, first = dense(label, shapes, types, arguments)
    table = model.tables["collectives"]
    rows = [_volume(model, names[at], hosts[at], table, arguments[at]) for at in first.tolist()]
    given, message, factor = (np.array([row[i] for row in rows]) for i in range(3))
    if not rows:
        return Volume(hosts[:0], hosts[:0], np.empty(0))
    return Volume(given[group], message[group], factor[group].astype(np.float64))


def _volume(
    model: TraceModel, name: str, host: np.int64, table: Any, argument: np.int64
) -> tuple[int, int, float]:
    kind = kind_of(name)
    ranks = int(model.metadata.get("world_size") or 0)
    given = taken = -1
    if argument >= 0:
        recorded = table.slice(int(argument), 1).to_pylist()[0]
        ranks = recorded["group_size"] if recorded["group_size"] > 0 else ranks
        size = _size(recorded["dtype"] or "")
        given = recorded["in_elements"] * size if size and recorded["in_elements"] >= 0 else -1
        taken = recorded["out_elements"] * size if size and recorded["out_elements"] >= 0 else -1
    if given < 0 and host >= 0 and recorded_calls(model)[host]:
        given = _input_bytes(model, int(host))
    message = given
    if kind == "allgather":
        message = taken if taken >= 0 else given * ranks if ranks > 0 and given >= 0 else -1
    return 0 if ranks == 1 else given, message, _factor(kind, ranks)


def kind_of(name: str) -> str:
    """Return the kind of a collective from a name such as ``nccl:_all_gather_base``."""
    plain = _WORDS.sub("", name.lower())
    kinds = ("allreduce", "allgather", "reducescatter", "alltoall", "barrier")
    return next((kind for kind in kinds if kind in plain), "")


def _factor(kind: str, ranks: int) -> float:
    if kind in ("allreduce", "allgather", "reducescatter", "alltoall"):
        if ranks < 1:
            return math.nan
        return (ranks - 1) / ranks * (2 if kind == "allreduce" else 1)
    return math.nan if kind == "barrier" else float(ranks != 1)


def _input_bytes(model: TraceModel, host: int) -> int:
    """Return the bytes of the inputs of a host row, -1 if they were not recorded."""
    texts = []
    for column in ("input_shapes", "input_types"):
        code = int(model.column("host", column)[host])
        texts.append(model.values("host", column)[code] if code >= 0 else "")
    try:
        shapes, types = map(json.loads, texts)
    except ValueError:
        return -1
    if not (isinstance(shapes, list) and isinstance(types, list)):
        return -1
    total, known = 0, False
    for shape, named in zip(shapes, types, strict=False):
        elements = _elements(shape)
        size = _size(named) if isinstance(named, str) else 0
        if elements and not size and shape:
            return -1
        if elements and size and shape:
            total, known = total + elements * size, True
    return total if known else -1


def _elements(shape: Any) -> int:
    """Return the number of elements in a shape or in a list of shapes."""
    if not isinstance(shape, list):
        return 0
    if all(isinstance(size, int) and not isinstance(size, bool) for size in shape):
        return math.prod(shape)
    return sum(map(_elements, shape))


def _size(dtype: str) -> int:
    """Return the bytes per element, 0 for an unknown type."""
    plain = dtype.lower()
    return _SIZES.get(plain, 1 if _FLOAT8.fullmatch(plain) else 0)


def _codes(model: TraceModel, column: str, hosts: Rows) -> Rows:
    codes = model.column("host", column)
    known = hosts >= 0
    found = np.full(len(hosts), -1, np.int64)
    found[known] = codes[hosts[known]]
    return found
