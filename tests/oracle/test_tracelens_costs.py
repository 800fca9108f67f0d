"""FLOPs and bytes compared with the GEMM and attention sheets of AMD TraceLens."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from nbprof.analysis.costs.operator_costs import operator_costs
from tests.oracle.traces import open_oracle

if TYPE_CHECKING:
    from pathlib import Path

    from tests.oracle.traces import Oracle

#: Traces, and how many rows of both sheets each has.
TRACES = {
    "tracelens_h100_bert": 5,
    "tracelens_h100_qwen": 6,
    "tracelens_mi300_qwen": 6,
    "tracelens_b200_eager": 4,
}
#: That tool reports an operator that calls the one that launches the kernel.
SAME_WORK = {"aten::_scaled_dot_product_flash_attention": "aten::_flash_attention_forward"}


def sheet_rows(oracle: Oracle) -> list[dict[str, Any]]:
    """Return the rows of both sheets; that tool separates calls by strides, too."""
    tables = oracle.figures["tables"]
    merged: dict[str, dict[str, Any]] = {}
    for name in ("GEMM", "SDPA_fwd"):
        for row in tables.get(name, {"rows": []})["rows"]:
            key = str([row["name"], row["Input Dims_first"], row["Input type_first"]])
            known = merged.setdefault(key, {**row, "name_count": 0, "kernels": []})
            known["name_count"] += row["name_count"]
            known["kernels"] += row["kernel_details__summarize_kernel_stats"]
    return list(merged.values())


def turned(shapes: list[list[int]]) -> list[list[int]]:
    """Swap heads and tokens, as between the operator and the one that it calls."""
    return [[b, n, h, d] for b, h, n, d in (one for one in shapes if len(one) == 4)]


@pytest.mark.parametrize("trace", TRACES)
def test_costs_of_calls(trace: str, shared_oracle: Path, shared_data: Path) -> None:
    oracle = open_oracle("tracelens", trace, shared_oracle, shared_data)
    ours = operator_costs(oracle.model).to_pylist()
    theirs = sheet_rows(oracle)
    assert len(theirs) == TRACES[trace]
    for row in theirs:
        name, shapes = row["name"], row["Input Dims_first"]
        inner = SAME_WORK.get(name, name)
        wanted = turned(shapes) if inner != name else shapes
        found = [
            one
            for one in ours
            if one["name"] == inner
            and json.loads(one["input_shapes"])[: len(wanted)] == wanted
            and (inner != name or json.loads(one["input_types"]) == row["Input type_first"])
        ]
        assert len(found) == 1, (name, shapes)
        (mine,) = found
        calls = row["name_count"]
        assert mine["calls"] == calls
        # That tool counts the additions of a bias, we do not count elementwise work.
        bias = shapes[1][0] * shapes[2][1] if name == "aten::addmm" else 0
        # Of N·N pairs a causal mask leaves N·(N + 1)/2; that tool counts half of them.
        diagonal = 1 + 1 / wanted[0][1] if row.get("param: causal") == "True" else 1
        expected = (row["GFLOPS_first"] * 1e9 - bias) * diagonal
        assert mine["flops"] / calls == pytest.approx(expected, rel=1e-9)
        assert mine["bytes"] / calls == pytest.approx(
            row["Data Moved (MB)_first"] * 2**20, rel=1e-9
        )
        # Their time is that of all kernels below an operator. An operator that an operator calls
        # beside its main work, here the fill of a counter, has a row of its own in our table.
        main = [one for one in row["kernels"] if "FillFunctor" not in one["name"]]
        time_us = sum(one["total_duration_us"] for one in main)
        assert mine["device_us"] == pytest.approx(time_us, rel=1e-6)
        assert mine["tflops_per_s"] == pytest.approx(mine["flops"] / time_us / 1e6, rel=1e-6)
