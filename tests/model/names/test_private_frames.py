"""Paths of Python frames, shortened to the package."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import nbprof
from nbprof.model.names.private_frames import (
    private_label,
    private_model,
    private_text,
    private_value,
)
from tests.sources.nsight.exports import Export, tid
from tests.support.recordings.runs import RUNS

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("/data/ann/secret/train.py(7): main", "train.py(7): main"),
        (r"C:\Users\ann\secret\train.py(7): main", "train.py(7): main"),
        ("~/secret/train.py:7: main", "train.py:7: main"),
        ("../secret/train.py(7)", "train.py(7)"),
        ("/x y/ann/env/lib/python3.11/site-packages/torch/nn/a.py(3): f", "torch/nn/a.py(3): f"),
        ("/usr/lib/python3/dist-packages/numpy/core.py(3): f", "numpy/core.py(3): f"),
        ("/opt/conda/lib/python3.11/threading.py(1): run", "threading.py(1): run"),
        ("torch/nn/modules/conv.py(458): forward", "torch/nn/modules/conv.py(458): forward"),
        ("/a/b/x.py(1): f;t/y.py(2): g;/c/z.py(3): h", "x.py(1): f;t/y.py(2): g;z.py(3): h"),
        ("/a/b/x.py(1): f\n/c/z.py(3): h", "x.py(1): f\nz.py(3): h"),
        ("<built-in method run of code>", "<built-in method run of code>"),
        ("aten::conv2d", "aten::conv2d"),
        ("void gemm<float, 3>(float*, int)", "void gemm<float, 3>(float*, int)"),
        ("DataLoader: 3/4 at 10:15", "DataLoader: 3/4 at 10:15"),
    ],
)
def test_a_path_becomes_that_of_its_package(text: str, short: str) -> None:
    assert private_text(text) == short
    assert private_text(short) == short
    assert private_value([{"name": text, "start_ns": 1}]) == [{"name": short, "start_ns": 1}]


@pytest.mark.parametrize("repeated", [" ", ".", ".py(", ".py:", "/", "/python3", "1", ";"])
def test_long_texts_take_linear_time(repeated: str) -> None:
    # Quadratic time would take hours here.
    text = repeated * (1_000_000 // len(repeated))
    assert private_text(text) == text
    assert private_text(f"{text};/a/b.py(1): f") == f"{text};b.py(1): f"


@pytest.mark.parametrize("run", ["gpu_resnet_synthetic", "torch_cpu_convnet"])
def test_only_paths_change_in_tables(run: str) -> None:
    trace = nbprof.load(RUNS).trace(run=run)
    private = trace.with_private_frames()
    for name in ("steps", "overview", "operators", "kernels", "device_time", "memory_peak"):
        assert private.table(name).equals(trace.table(name)), name
    for table in ("operators", "kernels"):
        stacks = trace.table(table, group_by="name+stack")["call_stack"].to_pylist()
        short = private.table(table, group_by="name+stack")["call_stack"].to_pylist()
        assert {private_text(stack or "") for stack in stacks} == {stack or "" for stack in short}
    assert private_model(trace.model) is private.model
    assert private.filter(steps=3).model is private.model


def test_call_stacks_in_labels_are_shortened() -> None:
    """PyProf writes call stacks as Python literals into the texts of ranges."""
    inner = '"/opt/lib/python3.6/site-packages/torch/f.py:9"'
    label = f"{{'traceMarker': ['/data/ann/net.py:3', {inner}]}}"
    assert private_label(label) == "{'traceMarker': ['net.py:3', \"torch/f.py:9\"]}"
    others = ["step 3", "load /data/train", "{'mod': 'torch', 'op': 'mm', 'args': []}", "{'a"]
    assert list(map(private_label, others)) == others
    assert private_label("/data/ann/train.py(7): main") == "train.py(7): main"


def test_reports_on_ranges_have_shortened_call_stacks(tmp_path: Path) -> None:
    out = Export(tmp_path / "report.sqlite")
    main = tid(100, 100)
    out.range("{'traceMarker': ['/data/ann/secret/net.py:3']}", 0, 90, main)
    out.call("cudaLaunchKernel_v7000", 10, 20, main, 1)
    out.kernel("gemm", 30, 80, tid(100, 0), 1)
    trace = nbprof.load(out.close(), cache=False).trace()
    names = [
        f"nsys_nvtx_{one}" for one in ("sum", "pushpop_sum", "pushpop_trace", "gpu_proj_sum",
                                       "gpu_proj_trace", "kern_sum")
    ]  # fmt: skip
    for name in names:
        assert "secret" in str(trace.table(name).to_pylist()), name
        assert "secret" not in str(trace.with_private_frames().table(name).to_pylist()), name
    private = trace.with_private_frames().kernel_launches(names="pyprof")
    assert "secret" not in str(private.to_pylist())
