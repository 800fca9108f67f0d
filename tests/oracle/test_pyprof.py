"""PyProf's report of a recording of nvprof, and of the same converted for Nsight Systems.

Every row is compared with what PyProf printed, column by column. Ours differ on purpose where

* PyProf has no formula, or no arguments: it writes 0, ours are null and `status` says why;
* it stops at `add_(tensor, alpha, tensor)`, the way of old optimizers: ours have figures;
* it multiplies only a part of the operands of a linear layer by the size of an element
  (`mn + mk + nk * size`): ours count all in bytes.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import pytest

import nbprof

if TYPE_CHECKING:
    from pathlib import Path

FILES = (
    "nvprof/profiling-lm/net.sql",
    "nsys/fixture_lm_modern/report.sqlite",
    "nsys/fixture_lm_inline_text/report.sqlite",
)
SAME = (
    *("idx", "dir", "sub", "mod", "op", "kernel", "params", "sil", "tc", "device", "stream"),
    *("grid", "block"),
)


@pytest.fixture(params=FILES)
def rows(request: pytest.FixtureRequest, shared_data: Path) -> list[dict[str, Any]]:
    trace = nbprof.load(shared_data / request.param, cache=False).trace()
    found: list[dict[str, Any]] = trace.kernel_launches(names="pyprof").to_pylist()
    return found


@pytest.fixture
def theirs(shared_oracle: Path) -> list[dict[str, Any]]:
    path = shared_oracle / "pyprof/pyprof_profiling-lm.json"
    found: list[dict[str, Any]] = json.loads(path.read_text())
    return found


def expected(row: dict[str, Any], column: str) -> Any:
    """Return PyProf's value as our table has it."""
    value = row[column]
    if isinstance(value, list):
        separator = {"layer": ":"}.get(column, ",")
        return separator.join(map(str, value)) or "-"
    return str(value) if column == "tc" else value


def test_all_kernels_are_equal(rows: list[dict[str, Any]], theirs: list[dict[str, Any]]) -> None:
    assert len(rows) == len(theirs) == 160
    stopped = linear = unknown = 0
    for own, other in zip(rows, theirs, strict=True):
        where = f"row {other['idx']}"
        if other["error"]:
            stopped += 1
            # a - alpha * b: two operations an element, three tensors of fp32
            elements = own["flops"] // 2
            assert (own["status"], own["bytes"]) == ("ok", 12 * elements), where
            continue
        for column in (*SAME, "seq", "altseq", "layer", "trace"):
            assert own[column] == expected(other, column), (where, column)
        if own["status"] != "ok":
            unknown += 1
            assert (own["flops"], own["bytes"]) == (None, None), where
            assert (other["flops"], other["bytes"]) == (0, 0), where
            continue
        assert own["flops"] == other["flops"], where
        if own["op"] == "linear" and own["bytes"] != other["bytes"]:
            linear += 1
            m, n, k = (size(own["params"], name) for name in "MNK")
            assert own["bytes"] == 4 * (m * n + m * k + n * k), where
            continue
        assert own["bytes"] == other["bytes"], where
    assert (stopped, linear, unknown) == (16, 9, 77)


def size(params: str, name: str) -> int:
    """Return a size of a matrix product: a number, or the product of several."""
    text = params.split(f"{name}=")[1]
    parts = text[1 : text.index(")")] if text.startswith("(") else text.split(",")[0]
    product = 1
    for part in filter(None, parts.split(",")):
        product *= int(part)
    return product


def test_thread_ids_are_those_of_the_file(
    rows: list[dict[str, Any]], theirs: list[dict[str, Any]]
) -> None:
    """Nsight Systems keeps 24 bits of a thread's number."""
    exact = [own["tid"] == other["tid"] for own, other in zip(rows, theirs, strict=True)]
    low = [own["tid"] % 2**24 for own in rows]
    assert all(exact) or len(set(low)) == len({other["tid"] for other in theirs})


@pytest.mark.parametrize("name", FILES)
def test_costs_are_those_of_the_report(
    name: str, shared_data: Path, theirs: list[dict[str, Any]]
) -> None:
    """FLOPs of `kernel_launches` are PyProf's, except where it counts too little.

    * `norm`: PyProf takes the 16 calls, which have no autograd number, for one, and gives all but
      the first 0; ours are two operations an element and the root.
    * 30 kernels in calls without a formula, such as `multi_head_attention_forward` and
      `cross_entropy`, have those of the calls inside.
    """
    trace = nbprof.load(shared_data / name, cache=False).trace()
    launches = trace.kernel_launches().to_pylist()
    report = trace.kernel_launches(names="pyprof").to_pylist()
    lost = inside = 0
    for own, row, other in zip(launches, report, theirs, strict=True):
        where = f"row {row['idx']}"
        if row["status"] != "ok":
            inside += own["flops"] is not None
        elif row["op"] == "norm" and own["flops"] != row["flops"]:
            lost += 1
            assert row["flops"] == 0, where
            shape = [int(size) for size in row["params"][3:].split(")")[0].split(",") if size]
            assert own["flops"] == 2 * math.prod(shape) + 1, where
        else:
            assert (own["flops"], own["bytes"]) == (row["flops"], row["bytes"]), where
            assert other["error"] or own["flops"] == other["flops"], where
    assert (lost, inside) == (15, 30)
    # the query, key and value of 700 tokens; 40 heads of 35 tokens, 100 wide
    assert launches[11]["flops"] == 2 * 700 * 200 * 600
    assert launches[16]["flops"] == launches[20]["flops"] == 2 * 40 * 35 * 35 * 100
    costs = trace.operator_costs()
    assert sum(filter(None, costs["flops"].to_pylist())) == sum(
        one["flops"] or 0 for one in launches
    )
    assert float(costs.schema.metadata[b"covered_pct"]) == pytest.approx(92.33, abs=0.01)
    (step,) = trace.step_flops().to_pylist()
    matrix = ("mm", "bmm")
    assert step["flops"] == sum(o["flops"] for o in launches if o["operator"] in matrix)
    assert step["recomputed_flops"] == 0
    assert step["mfu_pct"] == pytest.approx(0.0781, abs=1e-4)
