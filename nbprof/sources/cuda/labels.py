"""Reads the texts of NVTX ranges: which are operators, which are steps, and what they say.

``torch.autograd.profiler.emit_nvtx`` writes ``aten::mm, seq = 12, op_id = 34, sizes = [[2, 3], [3,
4]], input_op_ids = [(33,0)]``, each part only if it is known. Versions before 1.8 write ``mm, seq =
12``. ``record_function`` under it writes the label of the user with an ``op_id`` only.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Final

from nbprof.model.trace import kinds
from nbprof.sources.cuda.markers import parse_marker

_TAIL: Final = re.compile(
    r"(?:, seq = (?P<seq>\d{1,18}))?(?:, op_id = (?P<op>\d+))?"
    r"(?:, sizes = (?P<sizes>\[[^=]*?\]))?(?:, input_op_ids = (?P<inputs>\[[^=]*\]))?$"
)
_FIRST: Final = re.compile(r", (?:seq|op_id|sizes|input_op_ids) = ")
#: Nodes of the backward pass: ``AddmmBackward0``, ``torch::autograd::AccumulateGrad``, …
_BACKWARD: Final = re.compile(
    r"[Bb]ackward\d*$|^autograd::engine::evaluate_function: |AccumulateGrad$"
)
#: Prefixes of operators without a sequence number.
_OPERATOR: Final = re.compile(r"^(?:aten|torch|autograd|c10d|prims|quantized)::")
_STEP: Final = re.compile(r"^ProfilerStep#\d+$")


@dataclass(frozen=True)
class Label:
    """What the text of a range says.

    Attributes
    ----------
    name : str
        The name to show.
    kind : int
        Code of `nbprof.model.trace.kinds.HOST_KINDS`.
    sequence : int
        Number of the autograd node; -1 without one.
    is_backward : bool
        Whether the range is a node of the backward pass.
    shapes, types : str or None
        Shapes and types of inputs, as JSON.
    stack : str or None
        Call stack, frames joined by ``;``, the innermost first.
    """

    name: str
    kind: int
    sequence: int = -1
    is_backward: bool = False
    shapes: str | None = None
    types: str | None = None
    stack: str | None = None


def parse_label(text: str, domain: str = "") -> Label:
    """Return what the text of a range says.

    Parameters
    ----------
    text : str
        The text.
    domain : str
        Name of the domain; empty for the default one. Only the default one has operators.

    Examples
    --------
    >>> label = parse_label("aten::mm, seq = 12, op_id = 34, sizes = [[2, 3], [3, 4]]")
    >>> label.name, label.sequence, label.shapes
    ('aten::mm', 12, '[[2, 3], [3, 4]]')
    >>> parse_label("ncclAllReduce", "NCCL").name
    'NCCL:ncclAllReduce'
    """
    if domain:
        return Label(f"{domain}:{text}", kinds.ANNOTATION)
    marker = parse_marker(text)
    if marker is not None:
        kind = kinds.OPERATOR if marker.is_call else kinds.ANNOTATION
        kind = kinds.PHASE if marker.stack is not None else kind
        return Label(
            marker.name, kind, shapes=marker.shapes, types=marker.types, stack=marker.stack
        )
    return _plain_label(text)


def _plain_label(text: str) -> Label:
    """Return what a text says that may be one of PyTorch."""
    if _STEP.match(text):
        return Label(text, kinds.STEP)
    first = _FIRST.search(text)
    found = _TAIL.match(text, first.start()) if first else None
    if found is None or first is None:
        if _OPERATOR.match(text):
            is_backward = _BACKWARD.search(text) is not None
            return Label(text, kinds.OPERATOR, is_backward=is_backward)
        return Label(text or "<unnamed>", kinds.ANNOTATION)
    name = text[: first.start()] or "<unnamed>"
    sequence = int(found["seq"]) if found["seq"] else -1
    is_backward = _BACKWARD.search(name) is not None
    if _STEP.match(name):
        return Label(name, kinds.STEP)
    if sequence < 0 and "::" not in name and not is_backward and not found["sizes"]:
        return Label(name, kinds.ANNOTATION)
    shapes = _shapes(found["sizes"])
    return Label(name, kinds.OPERATOR, sequence, is_backward, shapes)


def _shapes(text: str | None) -> str | None:
    """Return recorded sizes as JSON; None for texts that are not lists of numbers."""
    if not text:
        return None
    try:
        return json.dumps(json.loads(text))
    except ValueError:
        return None
