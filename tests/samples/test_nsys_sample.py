"""The sample of Nsight Systems: the same each time, and physically possible."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np

import nbprof
from nbprof.model.trace import kinds
from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

RUN = "nsys_mlp_synthetic"
SAMPLE = ROOT / "samples" / RUN / "report.sqlite"


def dump(path: Path) -> list[str]:
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        return list(connection.iterdump())


def test_it_is_made_the_same_each_time(tmp_path: Path) -> None:
    command = [sys.executable, "samples/make_samples.py", "nsys", "--output", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    assert dump(tmp_path / RUN / "report.sqlite") == dump(SAMPLE)
    assert SAMPLE.stat().st_size < 100_000


def test_everything_is_in_order() -> None:
    trace = nbprof.load(SAMPLE, cache=False).trace()
    assert not trace.warnings().num_rows
    model = trace.model
    start, duration = (model.column("device", one) for one in ("start_ns", "duration_ns"))
    work = model.column("device", "kind") != kinds.SYNC
    begin, end = start[work], (start + duration)[work]
    assert (begin[1:] >= end[:-1]).all(), "one stream runs one kernel at a time"
    launch = model.links.launch[work]
    assert (launch >= 0).all()
    assert (model.column("host", "start_ns")[launch] < begin).all()
    assert len(np.unique(launch)) == len(launch)


def test_the_views_have_something_to_show() -> None:
    trace = nbprof.load(SAMPLE, cache=False).trace()
    steps = trace.steps().to_pylist()
    assert [row["step"] for row in steps] == [0, 1, 2, 3, 4]
    flops = trace.step_flops().to_pylist()
    layers = ((1024, 4096), (4096, 4096), (4096, 4096), (4096, 10))
    # forward, gradients of weights, and of inputs but for the first layer
    products = [4096 * a * b for a, b in layers]
    expected = 2 * (3 * sum(products) - products[0])
    assert all(row["flops"] == expected for row in flops)
    assert all(25 < row["mfu_pct"] < 40 for row in flops)
    assert all(row["covered_pct"] > 90 for row in flops)
    costs = {row["input_shapes"]: row for row in trace.operator_costs().to_pylist()}
    square = costs["[[4096, 4096], [4096, 4096]]"]  # types as the kernels' names show them
    assert square["bytes"] == 3 * 2 * 4096**2 * square["calls"]
    for name in ("operators", "kernels", "kernel_launches", "memory_curve", "nsys_nvtx_sum",
                 "nsys_nvtx_gpu_proj_sum", "nsys_osrt_sum", "nsys_rules"):  # fmt: skip
        assert trace.table(name).num_rows, name
    waits = {row["name"]: row for row in trace.table("nsys_osrt_sum").to_pylist()}["poll"]
    assert waits["max_us"] > 300
