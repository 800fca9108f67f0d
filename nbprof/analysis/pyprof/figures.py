"""`Figures`: parameters, FLOPs and bytes of a kernel, and helpers for the formulas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nbprof.analysis.pyprof.calls import Tensor, UnsupportedError, short_type

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from nbprof.analysis.pyprof.calls import Call
    from nbprof.analysis.pyprof.records import Record

    #: Returns the figures of a kernel of a call.
    Formula: TypeAlias = Callable[["Call", "Record"], "Figures"]


@dataclass(frozen=True)
class Figures:
    """What the report says of a kernel.

    Attributes
    ----------
    flops : int
        Floating point operations of the algorithm; a multiplication with an addition counts two.
    bytes : int
        Bytes that the algorithm reads and writes.
    params : str
        Parameters of the operator.
    multiplies : bool
        Whether the kernel could use matrix units.
    operator : str or None
        Operator to show, if it differs from the function called.
    """

    flops: int
    bytes: int
    params: str = ""
    multiplies: bool = False
    operator: str | None = None


def pairs(*values: tuple[str, Any], dtype: str | None = None) -> str:
    """Return parameters as ``M=2,N=3,fp32,``, without spaces."""
    text = "".join(f"{name}={value}," for name, value in values)
    if dtype is not None:
        text += f"{short_type(dtype)},"
    return text.replace(" ", "")


def listed(tensors: Sequence[Tensor]) -> str:
    """Return tensors as ``[2,3]fp32;[]fp32``."""
    return ";".join(map(str, tensors))


def operands(call: Call) -> list[Tensor]:
    """Return the tensors and numbers given to a pointwise function; numbers are scalars.

    Raises
    ------
    UnsupportedError
        An argument is neither.
    """
    found = []
    for one in call.positional:
        if one.tensor is not None:
            found.append(one.tensor)
        elif one.kind in ("float", "int"):
            found.append(Tensor((), one.kind))
        elif one.kind != "NoneType":
            message = f"an argument of type {one.kind}"
            raise UnsupportedError(message)
    return found


def broadcast(tensors: Sequence[Tensor]) -> Tensor:
    """Return the result of an operation on tensors, of the type of the first that has dimensions.

    Raises
    ------
    UnsupportedError
        The shapes do not fit.
    """
    dims = max(len(one.shape) for one in tensors)
    shape = []
    for at in range(dims):
        sizes = {one.shape[at - dims] for one in tensors if len(one.shape) >= dims - at} - {1}
        if len(sizes) > 1:
            message = "shapes that do not fit: " + listed(tensors)
            raise UnsupportedError(message)
        shape.append(sizes.pop() if sizes else 1)
    typed = next((one for one in tensors if one.shape), tensors[0])
    return Tensor(tuple(shape), typed.dtype)


def once(record: Record, value: int) -> int:
    """Return the value for the first kernel of an operator, 0 for the others."""
    return value if record.ordinal == 0 else 0
