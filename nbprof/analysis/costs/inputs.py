"""`Inputs`: what was recorded about the inputs of an operator, as formulas read it."""

from __future__ import annotations

import ast
import json
import math
from dataclasses import dataclass
from math import prod
from typing import Any, Final, TypeAlias

from nbprof.analysis.costs.data_types import data_type, element_bytes

Shape: TypeAlias = "tuple[int, ...]"

#: Types of inputs that are not tensors. An empty type is an input that was not given.
_NOT_TENSORS: Final = frozenset({"Scalar", "ScalarList", "Device", "GenericList", ""})
_LIST: Final = "TensorList"
#: The longest text of a value that is read; longer ones are lists of data.
_LONGEST: Final = 10_000


@dataclass(frozen=True)
class Inputs:
    """The recorded inputs of an operator, in the order of its arguments.

    Parameters
    ----------
    operator : str
        Name of the operator, without its overload.
    shapes : tuple
        Shape of each tensor; of a list of tensors, a tuple of shapes; otherwise empty.
    types : tuple of str
        Recorded type of each input: ``"float"``, ``"c10::Half"``, ``"Scalar"``, ``""`` for none.
        Empty if only shapes were recorded, as by `torch.autograd.profiler.emit_nvtx`: then each
        input with a shape is a tensor of the type `element`; bytes are NaN if that is unknown.
    values : tuple of str
        Recorded value of each input that is not a tensor, such as ``"False"`` or ``"[2, 2]"``.
    around : Inputs, optional
        Inputs of the operator that called this one.
    result : tuple of int, optional
        Shape of the result, where the backward pass shows it.
    element : str, optional
        Type of the elements of lists of tensors, or of all tensors if types were not recorded,
        where the name of a kernel shows it.

    Examples
    --------
    >>> inputs = Inputs("aten::mm", ((4, 8), (8, 2)), ("float", "float"), ("", ""))
    >>> inputs.shape(0), inputs.bytes_of(1)
    ((4, 8), 64)
    """

    operator: str
    shapes: tuple[Any, ...] = ()
    types: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    around: Inputs | None = None
    result: Shape | None = None
    element: str = ""

    @classmethod
    def of_texts(cls, operator: str, shapes: str, types: str, values: str) -> Inputs:
        """Read the JSON texts of the columns; unreadable ones are taken as missing."""
        return cls(
            operator,
            _shapes(_array(shapes)),
            tuple(str(one) for one in _array(types)),
            tuple(one if isinstance(one, str) else json.dumps(one) for one in _array(values)),
        )

    def has(self, index: int) -> bool:
        """Return whether an input is a tensor."""
        if index >= len(self.shapes):
            return False
        if not self.types:
            return bool(self.shapes[index]) and not self._is_nested(index)
        return self.type(index) not in {*_NOT_TENSORS, _LIST}

    def is_list(self, index: int) -> bool:
        """Return whether an input is a list of tensors."""
        if self.types:
            return self.type(index) == _LIST
        return self._is_nested(index)

    def _is_nested(self, index: int) -> bool:
        return any(isinstance(one, tuple) for one in self.shapes[index])

    def type(self, index: int) -> str:
        """Return the recorded type of an input, "" without one."""
        return self.types[index] if index < len(self.types) else ""

    def shape(self, index: int) -> Shape:
        """Return the shape of a tensor.

        Raises
        ------
        LookupError
            The input is not a tensor, or its shape was not recorded.
        """
        if not self.has(index) or self._is_nested(index):
            message = f"{self.operator}: input {index} is not a tensor"
            raise LookupError(message)
        shape: Shape = self.shapes[index]
        return shape

    def count(self, index: int) -> int:
        """Return the number of elements of a tensor; errors are those of `shape`."""
        return prod(self.shape(index))

    def size(self, index: int) -> float:
        """Return the bytes of an element of a tensor; NaN if no types were recorded or shown.

        Raises
        ------
        LookupError
            The type is unknown.
        """
        if not self.types:
            shown = element_bytes(self.element)
            return math.nan if shown is None else shown
        size = element_bytes(self.type(index))
        if size is None:
            message = f"{self.operator}: the type {self.type(index)!r} has no known size"
            raise LookupError(message)
        return size

    def bytes_of(self, *indices: int) -> float:
        """Return the bytes of tensors; errors are those of `shape` and `size`."""
        return sum(self.count(index) * self.size(index) for index in indices)

    def list(self, index: int) -> tuple[Shape, ...]:
        """Return the shapes of a list of tensors.

        Raises
        ------
        LookupError
            The input is not a list of tensors, or their shapes were not recorded, as those of long
            lists are not.
        """
        is_list = self.type(index) == _LIST if self.types else index < len(self.shapes)
        shapes: tuple[Shape, ...] = self.shapes[index] if is_list else ()
        if not shapes or not all(isinstance(one, tuple) for one in shapes):
            message = f"{self.operator}: input {index} has no shapes of a list of tensors"
            raise LookupError(message)
        return shapes

    def list_bytes(self, elements: int) -> float | None:
        """Return the bytes of elements of lists of tensors, None if their type is unknown."""
        size = element_bytes(self.element)
        return None if size is None else elements * size

    def value(self, index: int, default: Any = None) -> Any:
        """Return the value of an input as a Python object, `default` if it was not recorded."""
        text = self.values[index] if index < len(self.values) else ""
        if not text or len(text) > _LONGEST:
            return default
        try:
            return ast.literal_eval(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            return text

    def number(self, index: int) -> int:
        """Return the value of an input that is a whole number.

        Raises
        ------
        LookupError
            It was not recorded.
        """
        value = self.value(index)
        if type(value) is not int:
            message = f"{self.operator}: the number at {index} was not recorded"
            raise LookupError(message)
        return value

    def tensors(self) -> tuple[int, ...]:
        """Return the indices of all inputs that are tensors."""
        return tuple(index for index in range(len(self.shapes)) if self.has(index))

    @property
    def data_type(self) -> str | None:
        """Short name of the type of the first tensor of floating-point or 8-bit numbers."""
        known = (data_type(text) for text in self.types)
        numbers = ("fp", "bf", "int8", "int4", "complex")
        return next((one for one in known if one and one.startswith(numbers)), None)


def _array(text: str) -> list[Any]:
    try:
        found = json.loads(text) if text else []
    except (ValueError, RecursionError):
        return []
    return found if isinstance(found, list) else []


def _shapes(found: list[Any]) -> tuple[Any, ...]:
    return tuple(_shape(one) for one in found)


def _shape(one: Any) -> tuple[Any, ...]:
    if not isinstance(one, list):
        return ()
    if all(isinstance(extent, int) and extent >= 0 for extent in one):
        return tuple(one)
    if all(isinstance(part, list) for part in one):
        return tuple(_shape(part) for part in one)
    return ()
