"""`CostFormula`: how the FLOPs and bytes of some operators follow from their inputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from nbprof.analysis.costs.inputs import Inputs


class Cost(NamedTuple):
    """The cost of one call; None for what is unknown.

    Parameters
    ----------
    flops : float or None
        Floating-point operations; a multiplication with an addition counts as two.
    bytes : float or None
        Bytes read and written if each input is read and each output written once.
    """

    flops: float | None
    bytes: float | None = None


@dataclass(frozen=True)
class CostFormula:
    """A formula for the cost of operators.

    Parameters
    ----------
    name : str
        Name of the formula. Letters, digits, ``_``, ``-`` and ``.``.
    operators : tuple of str
        Names of the operators, without overloads, such as ``"aten::mm"``. A name that ends in
        ``*`` stands for all names that begin so.
    cost : callable
        Returns the `Cost` of given `Inputs`, or None. A `LookupError` means that the inputs do not
        say enough. Any other exception is reported as a warning, and the cost is unknown.
    is_matrix : bool, optional
        Whether the operations are those of matrix products, which matrix units compute. Only these
        count for MFU and HFU.
    uses_caller, uses_result : bool, optional
        Whether the formula reads ``inputs.around`` and ``inputs.result``.

    Examples
    --------
    >>> def cost(inputs):
    ...     tokens, width = inputs.shape(0)
    ...     return nbprof.Cost(flops=8 * tokens * width, bytes=2 * inputs.bytes_of(0))
    >>> nbprof.register(nbprof.CostFormula("my_norm", ("mylib::norm",), cost))
    """

    registry: ClassVar[str] = "nbprof.analysis.costs.registry:FORMULAS"

    name: str
    operators: tuple[str, ...]
    cost: Callable[[Inputs], Cost | None]
    is_matrix: bool = False
    uses_caller: bool = False
    uses_result: bool = False


def in_place(names: Iterable[str]) -> tuple[str, ...]:
    """Return names of operators, each followed by that of its in-place form."""
    return tuple(form for name in names for form in (name, f"{name}_"))
