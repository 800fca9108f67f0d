"""Reads the calls that PyProf recorded: module, function, and arguments with shapes and types."""

from __future__ import annotations

import ast
import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

#: Longer texts are not parsed: Python's parser takes memory many times their length.
LONGEST: Final = 1 << 16

#: Bytes of an element, by PyTorch's and NumPy's names of types.
_BYTES: Final = {
    **dict.fromkeys(("bool", "uint8", "byte", "int8", "char"), 1),
    **dict.fromkeys(("float16", "half", "bfloat16", "int16", "short", "uint16"), 2),
    **dict.fromkeys(("float32", "float", "int32", "int", "uint32"), 4),
    **dict.fromkeys(("float64", "double", "int64", "long", "complex64", "uint64"), 8),
    "complex128": 16,
}
#: Types as the report writes them; all others keep their names.
_SHORT: Final = {
    **dict.fromkeys(("float16", "half"), "fp16"),
    **dict.fromkeys(("float32", "float"), "fp32"),
    **dict.fromkeys(("float64", "double"), "fp64"),
    **dict.fromkeys(("int64", "long"), "int64"),
    **dict.fromkeys(("int32", "int"), "int32"),
    **dict.fromkeys(("int16", "short"), "int16"),
    **dict.fromkeys(("uint8", "byte"), "uint8"),
    **dict.fromkeys(("int8", "char"), "int8"),
    "bfloat16": "bf16",
}


class UnsupportedError(Exception):
    """A call that has no figures, with the reason for the column ``status``."""


def element_bytes(dtype: str) -> int:
    """Return the bytes of an element.

    Raises
    ------
    UnsupportedError
        The type is unknown.

    Examples
    --------
    >>> element_bytes("bfloat16"), element_bytes("float8_e4m3fn")
    (2, 1)
    """
    name = dtype.removeprefix("torch.")
    if name.startswith("float8"):
        return 1
    if name not in _BYTES:
        message = f"type {dtype}"
        raise UnsupportedError(message)
    return _BYTES[name]


def short_type(dtype: str) -> str:
    """Return a type as the report writes it."""
    return _SHORT.get(dtype.removeprefix("torch."), dtype)


@dataclass(frozen=True)
class Tensor:
    """Shape and type of a tensor; a scalar has no dimension."""

    shape: tuple[int, ...]
    dtype: str

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def bytes(self) -> int:
        """The bytes of all elements."""
        return self.size * element_bytes(self.dtype)

    def __str__(self) -> str:
        """Return ``[35,20]fp32``."""
        return f"[{','.join(map(str, self.shape))}]{short_type(self.dtype)}"


@dataclass(frozen=True)
class Argument:
    """An argument: a tensor, or a value of a Python type."""

    name: str
    kind: str
    tensor: Tensor | None
    value: Any


@dataclass(frozen=True)
class Call:
    """A call of a wrapped function.

    Attributes
    ----------
    module : str
        Where the function is: ``torch.nn.functional``, ``Tensor``, …
    function : str
        Its name.
    arguments : tuple of Argument
        All arguments, positional ones first, which have no name.
    """

    module: str
    function: str
    arguments: tuple[Argument, ...]

    @property
    def tensors(self) -> list[Tensor]:
        """The tensors among the arguments, in order."""
        return [one.tensor for one in self.arguments if one.tensor is not None]

    @property
    def positional(self) -> list[Argument]:
        """The arguments without a name."""
        return [one for one in self.arguments if not one.name]

    def tensor(self, at: int) -> Tensor:
        """Return one of the tensors.

        Raises
        ------
        UnsupportedError
            There are fewer.
        """
        tensors = self.tensors
        if at >= len(tensors):
            message = f"{len(tensors)} tensors given to {self.function}"
            raise UnsupportedError(message)
        return tensors[at]

    def value(self, name: str, at: int, default: Any) -> Any:
        """Return an argument by its name, else by its position, else the default."""
        for one in self.arguments:
            if one.name == name:
                return default if one.value is None else one.value
        positional = self.positional
        if at < len(positional) and positional[at].tensor is None:
            value = positional[at].value
            return default if value is None else value
        return default


@lru_cache(maxsize=4096)
def parse_literal(text: str) -> dict[str, Any] | None:
    """Return the dictionary that a text stands for; None for any other text. Nothing is evaluated.

    Examples
    --------
    >>> parse_literal("{'traceMarker': ['train.py:9']}")
    {'traceMarker': ['train.py:9']}
    >>> parse_literal("aten::mm, seq = 5") is None
    True
    """
    if not (text.startswith("{") and text.endswith("}")) or len(text) > LONGEST:
        return None
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None
    return value if isinstance(value, dict) else None


@lru_cache(maxsize=4096)
def call_in(text: str) -> Call | None:
    """Return the call that a text describes, the same object for the same text; None for none."""
    content = parse_literal(text)
    return None if content is None else call_of(content)


def call_of(content: dict[str, Any]) -> Call | None:
    """Return the call that a dictionary of PyProf describes; None if it describes none."""
    if not {"mod", "op", "args"} <= content.keys() or not isinstance(content["args"], list):
        return None
    arguments = tuple(_argument(one) for one in content["args"] if isinstance(one, dict))
    return Call(str(content["mod"]), str(content["op"]), arguments)


def _argument(content: dict[str, Any]) -> Argument:
    name, kind = str(content.get("name", "")), str(content.get("type", ""))
    shape = content.get("shape")
    if kind not in ("tensor", "ndarray") or not isinstance(shape, (tuple, list)):
        return Argument(name, kind, None, content.get("value"))
    sizes = tuple(size for size in shape if isinstance(size, int))
    return Argument(name, kind, Tensor(sizes, str(content.get("dtype", ""))), None)
