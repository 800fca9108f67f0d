"""Names of events as `key_averages` shows them: without overloads, and all steps under one name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

#: Name of memory records that no event encloses.
MEMORY: Final = "[memory]"

#: Operators without a row: PyTorch leaves them out because they only look at a tensor, or belong to
#: the recording of labels.
LEFT_OUT: Final = frozenset(
    {
        MEMORY,
        "[OutOfMemory]",
        "profiler::_record_function_enter",
        "profiler::_record_function_enter_new",
        "profiler::_record_function_exit",
        "aten::is_leaf",
        "aten::output_nr",
        "aten::_version",
    }
)

_STEP: Final = "ProfilerStep#"
_ALL_STEPS: Final = "ProfilerStep*"

#: An operator with its overload, as recorded with `capture_overload_names`.
_OVERLOAD: Final = re.compile(r"(\w+::\w+)\.(\w+)")

#: Nodes of the backward pass.
_NODE: Final = re.compile(r"(?!autograd::engine).*(?:Backward\d*|::AccumulateGrad)")


@dataclass(frozen=True)
class EventNames:
    """The distinct names of the rows of a trace, with a number for each.

    Attributes
    ----------
    texts, recorded : list of str
        The names as they are shown, and as they were recorded and PyTorch prints them: some names
        of C++ are mangled there.
    host, device : ndarray of int64
        Number of the name of each code of the host and device tables.
    without_overload : ndarray of int64
        Number of the name of each host code, without the overload of an operator.
    overload : list of str
        Overload of each host code, empty without one.
    memory : int
        Number of `MEMORY`.
    """

    texts: list[str]
    recorded: list[str]
    host: Rows
    device: Rows
    without_overload: Rows
    overload: list[str]
    memory: int


def event_names(model: TraceModel) -> EventNames:
    """Return the names of the events of a trace; computed once."""
    return model.cached("key average names", lambda: _names(model))


def _names(model: TraceModel) -> EventNames:
    numbers: dict[str, int] = {}

    recorded: list[str] = []

    def number(names: Sequence[str], as_recorded: Sequence[str]) -> Rows:
        codes = []
        for name, old in zip(names, as_recorded, strict=True):
            is_step = name.startswith(_STEP)
            codes.append(numbers.setdefault(_ALL_STEPS if is_step else name, len(numbers)))
            if len(recorded) < len(numbers):
                recorded.append(_ALL_STEPS if is_step else old)
        return np.array(codes, np.int64)

    host = model.values("host", "name")
    found = [_OVERLOAD.fullmatch(name) for name in host]
    plain = [match[1] if match else name for name, match in zip(host, found, strict=True)]
    overload = [match[2] if match else "" for match in found]
    of_host = number(host, model.recorded("host"))
    of_device = number(model.values("device", "name"), model.recorded("device"))
    without, memory = number(plain, plain), int(number([MEMORY], [MEMORY])[0])
    return EventNames(list(numbers), recorded, of_host, of_device, without, overload, memory)


def codes_where(names: Sequence[str], test: Callable[[str], object]) -> Mask:
    """Return which names pass a test, with one more at the end, for rows without a name."""
    return np.array([*(bool(test(name)) for name in names), False], bool)


def is_left_out(name: str) -> bool:
    """Whether host rows with this name have no row in the table."""
    return name in LEFT_OUT


def is_backward_node(name: str) -> bool:
    """Whether an operator of this name is a node of the backward pass, not the engine around it."""
    return _NODE.fullmatch(name) is not None
