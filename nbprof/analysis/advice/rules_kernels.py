"""Recommendation rules about Tensor Cores: precision, and unaligned matrix dimensions.

They apply only to devices known to have such units, and count only kernels known not to use them. A
kernel whose use is unknown is ignored.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from nbprof.analysis.advice.findings import Finding
from nbprof.analysis.devices.device_rows import devices_in, kept_device_rows, work_of_kind
from nbprof.analysis.grouping import dense, share, sums
from nbprof.analysis.kernels.matrix_devices import NVIDIA, has_units, vendor
from nbprof.analysis.kernels.matrix_names import NOT_USED
from nbprof.analysis.kernels.matrix_units import Shares, use_of_rows, used_rows
from nbprof.analysis.operators.calls import operator_calls
from nbprof.analysis.operators.operators import device_self_us
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbprof.analysis.advice.findings import RuleContext
    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.model import TraceModel

Mask = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.int64]

#: Tensor Cores process tiles of this many half-precision numbers.
TILE = 8
#: Percent of kernel time.
ODD_DIMENSIONS = 1.0

#: Inputs without a shape, such as numbers and None, after those that have one.
_SCALARS_AT_END = re.compile(r"(, ?\[\])+\]$")
_HALF = re.compile(r"Half|BFloat16|Float8|fp8|bf16|fp16", re.IGNORECASE)
_MATRIX = {
    # operator name: positions of the inputs that are matrices
    "aten::mm": (0, 1),
    "aten::bmm": (0, 1),
    "aten::addmm": (1, 2),
    "aten::addmm_": (1, 2),
    "aten::_addmm_activation": (1, 2),
    "aten::baddbmm": (1, 2),
    "aten::addbmm": (1, 2),
    "aten::linear": (0, 1),
    "aten::matmul": (0, 1),
}


def mixed_precision(context: RuleContext) -> Iterator[Finding]:
    """Report operators that could use Tensor Cores but launch kernels that do not.

    AMD's Matrix Cores also multiply fp32, so not using them does not show the precision.
    """
    if not _has_tensor_cores(context):
        return
    model = context.model
    kernels = work_of_kind(model, kinds.KERNEL) & kept_device_rows(model, context.filter)
    if (kernels & used_rows(model)).any():
        return
    owned, lowest = kernels_of_eligible_operators(model, context.filter)
    calls = operator_calls(model)
    call = calls.call_of_device
    duration = model.column("device", "duration_ns")
    lowest &= use_of_rows(model) == NOT_USED
    half = model.cached("half operators", lambda: _rows_matching(context, "input_types", _HALF))
    half = half[calls.row]
    lowest[lowest] = ~half[call[lowest]]
    total = int(duration[owned].sum())
    could = int(duration[lowest].sum())
    if not could:
        return
    percent = 100.0 * could / total
    unknown = share(Shares.of(model, np.flatnonzero(owned)).unknown, total)
    top = np.bincount(
        model.column("host", "name")[calls.row[call[lowest]]], weights=duration[lowest]
    )
    name = model.values("host", "name")[int(top.argmax())]
    cast = model.vocabulary.autocast
    yield Finding(
        "mixed_precision",
        "high" if percent > 20 else "medium",
        f"{percent:.0f} % of the kernel time is launched by operators that could use Tensor Cores,"
        f" most of it by {name}, and "
        + (
            f"these kernels do not use them. Of another {unknown:.0f} % it is unknown."
            if unknown
            else "no kernel used them."
        ),
        f"Try automatic mixed precision: {cast} with float16 or bfloat16.",
        _operator_evidence(context, name),
    )


def kernels_of_eligible_operators(model: TraceModel, filter_: Filter) -> tuple[Mask, Mask]:
    """Return the kernels that operators launched, and those that eligible operators launched.

    Of nested eligible operators, only the innermost counts, with the kernels that it launched
    itself. Both masks have shape (device rows,).
    """
    kernels = work_of_kind(model, kinds.KERNEL) & kept_device_rows(model, filter_)
    calls = operator_calls(model)
    owned = kernels & (calls.call_of_device >= 0)
    lowest = owned.copy()
    lowest[owned] = calls.lowest_eligible[calls.call_of_device[owned]]
    return owned, lowest


def odd_dimensions(context: RuleContext) -> Iterator[Finding]:
    """Report matrix dimensions that are not multiples of 8 although Tensor Cores could run."""
    model = context.model
    if not _has_tensor_cores(context):
        return
    owned, lowest = kernels_of_eligible_operators(model, context.filter)
    calls = operator_calls(model)
    duration = model.column("device", "duration_ns")
    total = float(duration[owned].sum())
    group, about_group = model.cached("odd dimensions", lambda: _odd_groups(model))
    # Only calls that launch kernels are counted; the calls around them repeat the shapes.
    time = sums(group[calls.call_of_device[lowest]], duration[lowest], len(about_group))
    products = [(float(t), *odd) for t, odd in zip(time, about_group, strict=True) if odd and t]
    odd_time = sum(entry[0] for entry in products)
    if not products or 100.0 * odd_time / total <= ODD_DIMENSIONS:
        return
    _, name, text, odd = max(products)
    percent = 100.0 * odd_time / total
    yield Finding(
        "odd_dimensions",
        "medium",
        f"{percent:.1f} % of the kernel time multiplies matrices with dimensions that are not"
        f" multiples of {TILE}, most of it {name} with {odd} in"
        f" {_SCALARS_AT_END.sub(']', text)}.",
        f"Pad sizes such as vocabulary, classes and channels to multiples of {TILE}, so that"
        " Tensor Cores can be used in full.",
        _operator_evidence(context, name, text),
    )


def _odd_groups(model: TraceModel) -> tuple[Rows, list[tuple[str, str, int] | None]]:
    """Return the group of calls by name and shapes, and the odd dimension of each group."""
    row = operator_calls(model).row
    names = model.column("host", "name")[row]
    shapes = model.column("host", "input_shapes")[row]
    group, first = dense(names, shapes)
    about: list[tuple[str, str, int] | None] = []
    for name_code, shape_code in zip(names[first], shapes[first], strict=True):
        name = model.values("host", "name")[name_code]
        text = model.values("host", "input_shapes")[shape_code] if shape_code >= 0 else ""
        odd = odd_dimension(name, text)
        about.append(None if odd is None else (name, text, odd))
    return group, about


def odd_dimension(name: str, shapes: str) -> int | None:
    """Return a matrix dimension over 1 that is not a multiple of 8, None if there is none.

    Parameters
    ----------
    name : str
        Name of the operator.
    shapes : str
        Shapes of its inputs as JSON text; anything else has no dimensions.
    """
    try:
        inputs = json.loads(shapes)
    except ValueError:
        return None
    if not isinstance(inputs, list):
        return None
    dimensions: list[Any] = []
    if name in _MATRIX:
        for position in _MATRIX[name]:
            if position < len(inputs) and isinstance(inputs[position], list):
                dimensions += inputs[position][-2:]
    elif "convolution" in name and "backward" not in name and len(inputs) > 1:
        # The channels become dimensions of the matrix product.
        weight = inputs[1]
        dimensions += weight[:2] if isinstance(weight, list) else []
    odd = [d for d in dimensions if isinstance(d, int) and d > 1 and d % TILE]
    return odd[0] if odd else None


def _has_tensor_cores(context: RuleContext) -> bool:
    """Whether a device that did work is known to have Tensor Cores."""
    if vendor(context.model) != NVIDIA:
        return False
    return any(
        has_units(context.model, device) for device in devices_in(context.model, context.filter)
    )


def _rows_matching(context: RuleContext, column: str, pattern: re.Pattern[str]) -> Mask:
    """Return which host rows have a text in a column that matches a pattern."""
    texts = context.model.values("host", column)
    codes = context.model.column("host", column)
    matches = np.fromiter((pattern.search(text) is not None for text in texts), bool, len(texts))
    if not matches.any():
        return np.zeros(len(codes), bool)
    is_match: Mask = matches[codes] & (codes >= 0)
    return is_match


def _operator_evidence(context: RuleContext, name: str, shapes: str | None = None) -> str:
    """Return as evidence the device self time of an operator, or of one of its shapes."""
    pattern = f"/^{re.escape(name)}$/"
    group_by = "name" if shapes is None else "name+shape"
    row = {"name": name} if shapes is None else {"name": name, "input_shapes": shapes}
    value = device_self_us(context.model, context.filter, row)
    return context.evidence(
        "operators",
        value,
        column="device_self_us",
        row=row,
        group_by=group_by,
        name=pattern,
    )
