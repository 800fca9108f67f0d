"""FLOPs, bytes and matrix units of 81 operations against the counters of an H200.

Each operation of the recording runs in a label and is followed by a synchronization. The oracle has
its formula, what PyTorch's counter says, and what Nsight Compute counted while it ran: operations
of matrix units and of threads.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pytest

import nbprof

if TYPE_CHECKING:
    from pathlib import Path

#: Bytes whose formula leaves out what an operator of its own moves, or reads what it need not, and
#: by which factor ours are more, or less.
_BIAS: Final = "cuDNN leaves the bias to an add_ of its own, which reads and writes the result"
_CONVENTION: Final = "there is no agreed number; ours counts each operation of the definition"
_ELEMENTWISE: Final = "elementwise work has no operations"
_STEPS: Final = "each operator of the optimizer reads and writes the tensors again"
_UNKNOWN: Final = "a template of Triton: no operator with shapes was recorded"
FLOPS: Final = {
    **dict.fromkeys(
        ("relu", "gelu", "add", "mul_scalar", "where", "dropout", "exp", "adamw_loop"),
        (0.0, _ELEMENTWISE),
    ),
    "layer_norm": (6 / 8, _CONVENTION),
    "group_norm": (6 / 8, _CONVENTION),
    "rms_norm": (3 / 4, _CONVENTION),
    "cross_entropy_backward": (9 / 7, _CONVENTION),
    "conv2d_backward_float16": (1.00058, "two sums: the loss, and the gradient by the bias"),
    "conv2d_backward_float32": (1.00058, "two sums: the loss, and the gradient by the bias"),
    "sdpa_flash_backward": (1.00028, "the sum that is the loss"),
    "sdpa_efficient_backward": (1.00028, "the sum that is the loss"),
    "sdpa_math": (1.0234, "the softmax between the products"),
    "cholesky": (0.857, "only the product has a formula"),
    "embedding_backward": (2.0, "the sum that is the loss"),
    "adamw_foreach": (14 / 15, "the roots of two scalars are computed on the host"),
    "sgd_momentum": (3 / 4, "without weight decay"),
    "clone": (None, "a copy, not a kernel: its bytes are recorded"),
    "triton_matmul_compiled": (None, _UNKNOWN),
    "flex_attention_compiled": (None, _UNKNOWN),
}
BYTES: Final = {
    **dict.fromkeys(
        ("conv2d_float32", "conv2d_float16", "conv2d_float16_cl", "conv2d_bfloat16_cl"),
        (2.323, _BIAS),
    ),
    "conv2d_depthwise": (2.333, _BIAS),
    "conv2d_groups4": (2.331, _BIAS),
    "conv2d_stride2": (1.657, _BIAS),
    "conv2d_dilated": (2.290, _BIAS),
    "conv1d": (2.323, _BIAS),
    "conv3d": (2.318, _BIAS),
    "conv_transpose2d": (2.770, _BIAS),
    "add": (1.5, "x + x: both inputs count, although they are the same tensor"),
    "cat": (4 / 3, "cat([x, x]): both inputs count"),
    "where": (1.75, "a comparison, a fill and a selection, each of which moves its tensors"),
    "sort": (0.5001, "its copies to other tensors are charged to themselves"),
    "var": (1.00098, "the results count, too"),
    "batch_norm_train": (2 / 3, "the least: the input is read once"),
    "cross_entropy_backward": (2.5, "softmax and loss are operators of their own"),
    "adamw_foreach": (3.0, _STEPS),
    "adamw_loop": (3.0, _STEPS),
    "sgd_momentum": (1.6, _STEPS),
    "clone": (None, "a copy, not a kernel: its bytes are recorded"),
    "triton_matmul_compiled": (None, _UNKNOWN),
    "flex_attention_compiled": (2e-6, _UNKNOWN),
}

#: How often the hardware multiplies what the formula counts, where that is over 1 %: whole tiles
#: are computed, and threads convert and index.
PADDED: Final = {
    "mm_odd_float64": 1.033,
    "mm_odd_float32": 1.015,
    "mm_odd_float16": 1.157,
    "mm_odd_bfloat16": 1.240,
    "mv_float32": 1.021,
    "mv_float16": 8.0,
    "mv_bfloat16": 8.0,
    "baddbmm": 1.033,
    "conv2d_depthwise": 2.564,
    "conv2d_groups4": 2.0,
    "conv3d": 1.021,
    "conv2d_backward_float32": 1.037,
    # taps that fall off the border are not computed
    "conv_transpose2d": 0.982,
}
_PRODUCTS: Final = ("mm", "bmm", "mv", "addmm", "einsum", "baddbmm", "conv", "scaled_mm", "int_mm")


class Case(NamedTuple):
    """An operation: its kernels as we know them, and the oracle."""

    name: str
    kernels: list[dict[str, Any]]
    oracle: dict[str, Any]

    def sum(self, column: str) -> float | None:
        """Sum a figure of the kernels; None if none has it."""
        values = [one[column] for one in self.kernels if one[column] is not None]
        return sum(values) if values else None


@pytest.fixture(scope="module")
def cases(
    request: pytest.FixtureRequest, shared_data: Path, shared_oracle: Path
) -> dict[str, Case]:
    del request
    trace = nbprof.load(shared_data / "h200/zoo", progress=False).trace()
    slices = trace.filter(kinds=("annotation",), name="/^case:/").slices()
    begun = sorted({(row["start_us"], row["name"]) for row in slices.to_pylist()
                    if row["category"] == "annotation"})  # fmt: skip
    starts = np.array([start for start, _ in begun])
    kernels: dict[str, list[dict[str, Any]]] = {}
    for row in trace.kernel_launches().to_pylist():
        at = int(np.searchsorted(starts, row["start_us"], "right")) - 1
        kernels.setdefault(begun[at][1].removeprefix("case:"), []).append(row)
    oracle = json.loads((shared_oracle / "h200/zoo_costs.json").read_text("utf-8"))
    assert {name.removeprefix("case:") for _, name in begun} == set(oracle)
    return {name: Case(name, kernels.get(name, []), one) for name, one in oracle.items()}


def check(case: Case, column: str, wanted: float | None, known: dict[str, Any]) -> None:
    """Compare a figure with the oracle, or with what is known of the difference."""
    if wanted is None:
        return
    ours = case.sum(column)
    factor, _ = known.get(case.name, (1.0, ""))
    if factor is None:
        assert ours is None, case.name
        return
    tight = 1e-5 if case.name not in known else 1e-3
    assert ours == pytest.approx(factor * wanted, rel=tight, abs=2), case.name


def test_flops_are_those_of_the_formula(cases: dict[str, Case]) -> None:
    assert len(cases) == 81
    for case in cases.values():
        check(case, "flops", case.oracle["algorithmic"], FLOPS)


def test_bytes_are_those_that_have_to_move(cases: dict[str, Case]) -> None:
    for case in cases.values():
        check(case, "bytes", case.oracle["algorithmic_bytes"], BYTES)


def test_products_are_what_the_hardware_multiplied(cases: dict[str, Case]) -> None:
    compared = 0
    for case in cases.values():
        if not case.name.startswith(_PRODUCTS):
            continue
        compared += 1
        counted = case.oracle["hardware_tensor"] or case.oracle["hardware_simt"]
        ours = case.sum("flops")
        assert ours is not None
        least, most = sorted((1.0, PADDED.get(case.name, 1.0)))
        assert least * 0.99 < counted / ours < most * 1.01, case.name
    assert compared == 35


def test_a_kernel_that_adds_partial_sums_uses_no_matrix_units(shared_data: Path) -> None:
    path = shared_data / "reports/h200_small/split_k.json"
    (kernel,) = nbprof.load(path, progress=False).trace().kernel_launches().to_pylist()
    assert "gemm" in kernel["name"]
    assert kernel["matrix_unit_used"] is False
    assert kernel["matrix_unit_dtype"] is None


def test_matrix_units_are_used_where_the_hardware_says(cases: dict[str, Case]) -> None:
    verdicts: Counter[tuple[bool | None, bool]] = Counter()
    for case in cases.values():
        kernels, counted = case.kernels, case.oracle["kernels"]
        assert len(kernels) == len(counted), case.name
        for ours, theirs in zip(kernels, counted, strict=True):
            used = theirs["hardware_tensor_used"]
            verdicts[ours["matrix_unit_used"], used] += 1
            kinds = {kind.split("_")[0] for kind in theirs["tensor"]}
            if used and ours["matrix_unit_used"] and ours["matrix_unit_dtype"]:
                assert ours["matrix_unit_dtype"] in kinds, (case.name, ours["name"])
    assert verdicts[True, False] == verdicts[False, True] == 0
    assert verdicts[None, True] + verdicts[None, False] <= 8
    assert sum(verdicts.values()) == 316
