"""Recommendation rules about Tensor Cores: precision, and unaligned matrix dimensions.

They apply only to devices known to have such units, and count only kernels known not to use them. A
kernel whose use is unknown is ignored.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from nbprof.analysis.advice.findings import Finding
from nbprof.analysis.advice.places import named_most
from nbprof.analysis.costs.peaks.known import device_peaks
from nbprof.analysis.devices.device_rows import devices_in, kept_device_rows, work_of_kind
from nbprof.analysis.grouping import NS_PER_US, dense, share, sums
from nbprof.analysis.kernels.matrix_devices import NVIDIA, has_units, vendor
from nbprof.analysis.kernels.matrix_names import NOT_USED
from nbprof.analysis.kernels.matrix_units import Shares, use_of_rows
from nbprof.analysis.operators.calls import operator_calls
from nbprof.analysis.operators.operators import device_self_us
from nbprof.model.links.backward import are_backward
from nbprof.model.names.name_tests import name_test
from nbprof.model.names.roles import named
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
MIXED_PRECISION = 5.0
ODD_DIMENSIONS = 1.0
#: Products with odd dimensions executed up to so many times the operations, counted on an H200.
PADDED = 1.24
#: Percent of the step time that padding must save at least to be more than a side note.
WORTH_PADDING = 5.0

#: Types that are half precision already, or double, for which there is no substitute.
_OTHER = re.compile(r"Half|BFloat16|Float8|fp8|bf16|fp16|double", re.IGNORECASE)
_MATRIX = {
    # operator name: position of the second matrix, and which of its dimensions is n
    "aten::mm": (1, -1),
    "aten::bmm": (1, -1),
    "aten::addmm": (2, -1),
    "aten::addmm_": (2, -1),
    "aten::_addmm_activation": (2, -1),
    "aten::baddbmm": (2, -1),
    "aten::addbmm": (2, -1),
    "aten::linear": (1, -2),
    "aten::matmul": (1, -1),
}


def mixed_precision(context: RuleContext) -> Iterator[Finding]:
    """Report operators that could use Tensor Cores but launch kernels that do not.

    AMD's Matrix Cores also multiply fp32, so not using them does not show the precision.
    """
    if not _has_tensor_cores(context):
        return
    model = context.model
    _, lowest = kernels_of_eligible_operators(model, context.filter)
    calls = operator_calls(model)
    call = calls.call_of_device
    duration = model.column("device", "duration_ns")
    lowest &= use_of_rows(model) == NOT_USED
    other = model.cached("half or double", lambda: _rows_matching(context, "input_types", _OTHER))
    other = other[calls.row]
    lowest[lowest] = ~other[call[lowest]]
    every = work_of_kind(model, kinds.KERNEL) & kept_device_rows(model, context.filter)
    could, total = int(duration[lowest].sum()), int(duration[every].sum())
    if not could or 100.0 * could / total < MIXED_PRECISION:
        return
    percent = 100.0 * could / total
    unknown = share(Shares.of(model, np.flatnonzero(every)).unknown, total)
    name, line = named_most(model, calls.row[call[lowest]], duration[lowest])
    of_name = int(duration[lowest][model.column("host", "name")[calls.row[call[lowest]]]
                                   == model.values("host", "name").index(name)].sum())  # fmt: skip
    cast, least = model.vocabulary.autocast, _least_share(context)
    tf32 = (
        'allow TF32 with torch.set_float32_matmul_precision("high"), or '
        if least.name == "TF32" and cast == "torch.autocast"
        else ""
    )
    gain = could * (1 - least.share) / NS_PER_US
    advice = f"{tf32}try automatic mixed precision: {cast} with float16 or bfloat16."
    yield Finding(
        "mixed_precision",
        "high" if percent > 20 else "medium",
        f"{percent:.0f} % of kernel time, {100.0 * of_name / could:.0f} % of that by {name}{line},"
        " could use Tensor Cores but does not"
        + (f" (another {unknown:.0f} %: unknown)." if (unknown or 0) >= 1 else "."),
        advice[0].upper() + advice[1:],
        _operator_evidence(context, name),
        gain,
    )


class _Least(NamedTuple):
    """The type that Tensor Cores compute faster, and the least share of the time that it takes."""

    name: str
    share: float


def _least_share(context: RuleContext) -> _Least:
    """Return what fp32 products can become, by the peaks of the device; half the time if unknown.

    Tensor Cores have TF32 since the A100, half precision since the V100.
    """
    for peak in device_peaks(context.model, devices_in(context.model, context.filter)).values():
        for name in ("tf32", "fp16"):
            if peak.tflops.get(name) and peak.tflops.get("fp32"):
                return _Least(name.upper(), peak.tflops["fp32"] / peak.tflops[name])
    return _Least("", 0.5)


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
    _, lowest = kernels_of_eligible_operators(model, context.filter)
    calls = operator_calls(model)
    duration = model.column("device", "duration_ns")
    every = work_of_kind(model, kinds.KERNEL) & kept_device_rows(model, context.filter)
    total = float(duration[every].sum())
    group, about_group = model.cached("odd dimensions", lambda: _odd_groups(model))
    # Only calls that launch kernels are counted; the calls around them repeat the shapes.
    time = sums(group[calls.call_of_device[lowest]], duration[lowest], len(about_group))
    products = [(float(t), *odd) for t, odd in zip(time, about_group, strict=True) if odd and t]
    odd_time = sum(entry[0] for entry in products)
    if not products or 100.0 * odd_time / total <= ODD_DIMENSIONS:
        return
    _, name, text, odd = max(products)
    percent = 100.0 * odd_time / total
    gain = odd_time * (1 - 1 / PADDED) / NS_PER_US
    worth = 100.0 * gain / context.total_us if context.total_us else 0.0
    yield Finding(
        "odd_dimensions",
        "medium" if worth > WORTH_PADDING else "low",
        f"{percent:.1f} % of kernel time multiplies matrices with sizes that are not multiples of"
        f" {TILE}, mainly {name} with {odd} in {_shapes(text)}.",
        f"Pad sizes such as vocabulary, classes and channels to multiples of {TILE}, so that"
        " Tensor Cores can be used in full.",
        _operator_evidence(context, name, text),
        gain,
    )


def _odd_groups(model: TraceModel) -> tuple[Rows, list[tuple[str, str, int] | None]]:
    """Return the group of calls by name and shapes, and the odd dimension of each group.

    Each name with its shapes is two groups, of which the second is the backward pass where that
    makes a difference. Group 0 has the calls that are no products.
    """
    row = operator_calls(model).row
    names, shapes = (model.column("host", name)[row] for name in ("name", "input_shapes"))
    calls = np.flatnonzero(named(model, "host", _multiplies)[row])
    group = np.zeros(len(row), np.int64)
    of_call, first = dense(names[calls], shapes[calls])
    about: list[tuple[str, str, int] | None] = [None, None]
    for at in calls[first].tolist():
        name = model.values("host", "name")[names[at]]
        text = model.values("host", "input_shapes")[shapes[at]] if shapes[at] >= 0 else ""
        for backward in (False, True):
            odd = odd_dimension(name, text, backward=backward)
            about.append(None if odd is None else (name, text, odd))
    group[calls] = 2 * of_call + 2
    differs = np.array([one != other for one, other in zip(about[::2], about[1::2], strict=True)])
    directed = np.flatnonzero(differs[group // 2])
    group[directed] += are_backward(model, row[directed])
    return group, about


@name_test(r"mm|convolution|matmul|linear")
def _multiplies(name: str) -> bool:
    """Whether the dimensions of the products that an operator computes are known."""
    return name in _MATRIX or ("convolution" in name and "backward" not in name)


def odd_dimension(name: str, shapes: str, *, backward: bool = False) -> int | None:
    """Return a dimension over 1 that must be a multiple of 8 and is not, None if there is none.

    Aligned must be the dimensions along which operands and result lie in memory: of a product
    (m, k) · (k, n) these are k and n, but not m, which usually is the batch. In the backward pass
    the batch is k of the gradient of a weight, whose operand is transposed: only n counts there.

    Parameters
    ----------
    name : str
        Name of the operator.
    shapes : str
        Shapes of its inputs as JSON text; anything else has no dimensions.
    backward : bool, optional
        Whether the operator is part of a backward pass.
    """
    try:
        inputs = json.loads(shapes)
    except ValueError:
        return None
    if not isinstance(inputs, list):
        return None
    dimensions: list[Any] = []
    if name in _MATRIX:
        position, across = _MATRIX[name]
        matrix = inputs[position] if position < len(inputs) else None
        if isinstance(matrix, list) and len(matrix) > 1:
            dimensions = [matrix[across], *([] if backward else [matrix[-3 - across]])]
    elif _multiplies(name) and len(inputs) > 1:
        # The channels become dimensions of the matrix product.
        weight = inputs[1]
        dimensions += weight[:2] if isinstance(weight, list) else []
    odd = [d for d in dimensions if isinstance(d, int) and d > 1 and d % TILE]
    return odd[0] if odd else None


def _shapes(text: str) -> str:
    """Return the shapes of the matrices among an operator's inputs: ``32x512, 512x10``."""
    shapes = [shape for shape in json.loads(text) if isinstance(shape, list) and len(shape) > 1]
    return ", ".join("x".join(map(str, shape)) for shape in shapes)


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
