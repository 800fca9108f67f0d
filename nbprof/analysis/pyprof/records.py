"""`Record`: a kernel with what the ranges around its launch say, by the rules of PyProf."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from nbprof.analysis.pyprof.calls import Call, call_in, parse_literal

if TYPE_CHECKING:
    from collections.abc import Iterable

_SEQUENCE: Final = re.compile(r", seq ?= ?(\d{1,18})")
_BACKWARD: Final = re.compile(r"[Bb]ackward\d*, seq ?= ?|^autograd::engine::evaluate_function: ")
#: Ranges around the recomputation of activations, which hide the operators inside.
_CHECKPOINT: Final = "CheckpointFunctionBackward"
#: Frames that call traces leave out.
_LIBRARY: Final = (
    "/torch/nn/modules/",
    "/torch/nn/functional.py",
    "/torch/tensor.py",
    "/torch/_tensor.py",
    "/torch/autograd/__init__.py",
    "/torch/_jit_internal.py",
    "/torch/_utils.py",
    "/torch/optim/",
    "/pyprof/nvtx/nvmarker.py",
    "/apex/optimizers/",
)
#: What the name of a backward node contains besides that of its operator.
_DECORATION: Final = re.compile(
    r"torch|autograd|_backward|::|jit|\(anonymous namespace\)|Backward.*"
)


@dataclass
class Record:
    """A kernel and the ranges around its launch.

    Attributes
    ----------
    name : str
        Full name of the kernel.
    duration_ns : int
        Its time.
    device, stream, thread : int or None
        Where it ran, and the thread that launched it.
    grid, block : str
        Sizes of the launch, as ``1,2,3``.
    layers : list of str
        Names of layers that the user gave, the outermost first.
    trace : list of str
        Frames ``file:line``, the outermost first.
    calls : list of Call
        Wrapped calls, the outermost first.
    is_backward : bool
        Whether it is part of the backward pass.
    sequences, other_sequences : list of int
        The sequence number chosen for the kernel, if any, and the others.
    ordinal : int
        Position among the kernels of the same sequence number and operator.
    modules, operators : list of str
        Modules and functions of the calls; without calls the operator alone.
    """

    name: str
    duration_ns: int
    device: int | None = None
    stream: int | None = None
    thread: int | None = None
    grid: str = ""
    block: str = ""
    layers: list[str] = field(default_factory=list)
    trace: list[str] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    is_backward: bool = False
    sequences: list[int] = field(default_factory=list)
    other_sequences: list[int] = field(default_factory=list)
    ordinal: int = 0
    modules: list[str] = field(default_factory=list)
    operators: list[str] = field(default_factory=list)

    @property
    def short_name(self) -> str:
        """The name without namespaces, template arguments and parameters."""
        return short_name(self.name)

    def read_ranges(self, texts: Iterable[str]) -> None:
        """Read the texts of the ranges around the launch, the outermost first.

        Parameters
        ----------
        texts : iterable of str
            Texts as recorded: PyProf's dictionaries, operators of ``emit_nvtx``, the user's own.
        """
        numbered: list[tuple[int, str]] = []
        others: list[str] = []
        nodes: set[str] = set()
        for text in texts:
            if _CHECKPOINT in text:
                continue
            content = parse_literal(text)
            if content is not None and self._read_literal(text, content):
                continue
            found = _SEQUENCE.search(text)
            if found:
                is_node = _BACKWARD.search(text) is not None
                nodes |= {text[: found.start()]} if is_node else set()
                numbered.append((int(found[1]), text[: found.start()]))
            elif "layer:" in text:
                self.layers.append(text.split(":")[1])
            elif text not in others:
                others.append(text)
        self.is_backward = bool(nodes)
        self._name(_distinct(numbered), nodes, others)

    def _name(self, numbered: list[tuple[int, str]], nodes: set[str], others: list[str]) -> None:
        """Set numbers, modules and operators from the texts with and without a number."""
        sequences = sorted({number for number, _ in numbered})
        # 0 stands for operators without a number.
        self.sequences = [n for n in sequences if n] if any(sequences) else sequences
        if self.calls:
            self.modules = [call.module for call in self.calls]
            self.operators = [call.function for call in self.calls]
            return
        names = [name for _, name in numbered]
        if nodes:
            names = [_DECORATION.sub("", name).strip() for name in names if name in nodes]
        if names or others:
            self.modules, self.operators = ["na"], names or others[:1]

    def _read_literal(self, text: str, content: dict[str, Any]) -> bool:
        """Read a dictionary of PyProf; False if it is the user's own."""
        frames = content.get("traceMarker")
        if isinstance(frames, (list, tuple)):
            shown = [str(frame) for frame in frames]
            self.trace = [f for f in shown if not is_library(f)]
            return True
        call = call_in(text)
        if call is not None:
            self.calls.append(call)
            return True
        return "strRepr" in content


def _distinct(numbered: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Leave out names that repeat a part of the name before with the same number."""
    # PyProf orders the numbers as text.
    ordered = sorted(set(numbered), key=lambda one: (str(one[0]), one[1]))
    kept: list[tuple[int, str]] = []
    for number, name in ordered:
        if kept and kept[-1][0] == number and (name in kept[-1][1] or kept[-1][1] in name):
            continue
        kept.append((number, name))
    return kept


def is_library(frame: str) -> bool:
    """Return whether a call trace leaves out a frame: it is of PyTorch, apex or PyProf itself."""
    return any(library in f"/{frame}" for library in _LIBRARY)


@lru_cache(maxsize=4096)
def short_name(name: str) -> str:
    """Return the name of a kernel without namespaces, template arguments and parameters.

    Examples
    --------
    >>> short_name("void at::native::reduce_kernel<512, 1>(float*)")
    'reduce_kernel'
    """
    name = name.split("<", 1)[0]
    for word in ("void ", "at::", "cuda::", "native::", "(anonymous namespace)::"):
        name = name.replace(word, "")
    return name.split("(", 1)[0]
