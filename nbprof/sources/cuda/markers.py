"""Reads the texts of PyProf: Python literals with the arguments of a function, or its call trace.

PyProf wraps a function of PyTorch in three ranges: its call trace (``{'traceMarker': [...]}``), the
module it belongs to (``{'mod': …, 'strRepr': …}``) and its arguments (``{'mod': …, 'op': …,
'args': [...]}``). The texts are parsed as literals and never evaluated.
"""

from __future__ import annotations

import ast
import json
from dataclasses import dataclass
from typing import Any, Final

#: Longer texts are not parsed: Python's parser takes memory many times their length.
_LONGEST: Final = 1 << 16

_TENSORS: Final = ("tensor", "ndarray")


@dataclass(frozen=True)
class Marker:
    """What a text of PyProf says.

    Attributes
    ----------
    name : str
        Module and function, such as ``torch.nn.functional.linear``; of a call trace its last frame.
    shapes, types : str or None
        Shapes and types of the arguments as JSON, as PyTorch's profiler writes them.
    stack : str or None
        Frames joined by ``;``, the innermost first.
    is_call : bool
        Whether the range is the call of a function.
    """

    name: str
    shapes: str | None = None
    types: str | None = None
    stack: str | None = None
    is_call: bool = False


def parse_marker(text: str) -> Marker | None:
    """Return what a text of PyProf says; None for other texts.

    Examples
    --------
    >>> parse_marker("{'traceMarker': ['train.py:9', 'net.py:3']}").stack
    'net.py:3;train.py:9'
    >>> parse_marker("{'not': 'closed'") is None
    True
    """
    if not (text.startswith("{") and text.endswith("}")) or len(text) > _LONGEST:
        return None
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return _of_dictionary(value) if isinstance(value, dict) else None


def _of_dictionary(value: dict[Any, Any]) -> Marker | None:
    if "traceMarker" in value:
        return _trace(value["traceMarker"])
    if {"mod", "op", "args"} <= value.keys():
        return _call(value)
    if {"mod", "strRepr"} <= value.keys():
        return Marker(f"{value['mod']}({value['strRepr']})")
    return None


def _trace(frames: Any) -> Marker | None:
    if not isinstance(frames, (list, tuple)):
        return None
    frames = [str(frame) for frame in frames]
    last = frames[-1] if frames else "call trace"
    return Marker(last.rsplit("/", 1)[-1], stack=";".join(reversed(frames)) or None)


def _call(value: dict[Any, Any]) -> Marker:
    arguments = value["args"] if isinstance(value["args"], (list, tuple)) else ()
    shapes: list[Any] = []
    types: list[str] = []
    for one in arguments:
        known = one if isinstance(one, dict) else {}
        kind = str(known.get("type", ""))
        is_tensor = kind in _TENSORS
        shape = known.get("shape", ())
        shapes.append(list(shape) if is_tensor and isinstance(shape, (list, tuple)) else [])
        types.append(str(known.get("dtype", "")) if is_tensor else _SCALARS.get(kind, ""))
    name = ".".join(str(value[key]) for key in ("mod", "op") if value[key] not in (None, ""))
    return Marker(
        name or "call",
        json.dumps(shapes, default=str),
        json.dumps(types),
        is_call=True,
    )


#: Types of arguments that are not tensors, in the words of PyTorch's profiler.
_SCALARS: Final = {"int": "Scalar", "float": "Scalar", "bool": "Scalar", "list": "ScalarList"}
