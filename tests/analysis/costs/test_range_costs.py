"""Kernels have the costs of the functions whose arguments ranges around their launches hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import nbprof
from tests.sources.nsight.exports import Export, tid

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.trace import Trace

MAIN, BACKWARD, PROCESS = tid(100, 100), tid(100, 101), tid(100, 0)


def text(function: str, *shapes: tuple[int, ...], module: str = "torch") -> str:
    arguments = [
        {"name": "", "type": "tensor", "shape": shape, "dtype": "float16"} for shape in shapes
    ]
    return repr({"mod": module, "op": function, "args": arguments})


class Recording:
    """An export in which ranges surround launches; each launch takes 10 ns."""

    def __init__(self, path: Path) -> None:
        self._out = Export(path / "report.sqlite")
        self._out.add("TARGET_INFO_GPU", vmId=1, id=0, name="NVIDIA A100-SXM4-80GB", cuDevice=0,
                      computeMajor=8, computeMinor=0)  # fmt: skip
        self._out.add("TARGET_INFO_CUDA_DEVICE", gpuId=0, cudaId=0, pid=100)
        self._now = self._count = 0

    def launch(self, *ranges: str, thread: int = MAIN, **kernels: int) -> None:
        """Launch kernels of given times inside ranges, the outermost first."""
        begin = self._now
        at = begin + len(ranges)
        for name, duration in kernels.items():
            self._count += 1
            self._out.call("cudaLaunchKernel_v7000", at, at + 10, thread, self._count)
            start = 10_000 + 100 * self._count
            self._out.kernel(name, start, start + duration, PROCESS, self._count)
            at += 20
        for depth, label in enumerate(ranges):
            self._out.range(label, begin + depth, at + len(ranges) - depth, thread)
        self._now = at + 100

    def trace(self) -> Trace:
        return nbprof.load(self._out.close(), cache=False).trace()


@pytest.fixture
def recording(tmp_path: Path) -> Recording:
    return Recording(tmp_path)


MM = text("mm", (2, 3), (3, 4))  # 2 * 2 * 3 * 4 operations; 6 + 12 + 8 elements of two bytes


def costs(trace: Trace) -> list[tuple[int | None, int | None]]:
    launches = trace.kernel_launches()
    return list(zip(launches["flops"].to_pylist(), launches["bytes"].to_pylist(), strict=True))


def test_kernels_of_a_call_share_its_figures(recording: Recording) -> None:
    recording.launch(MM, "mm, seq = 4", sgemm=30, hgemm=10, splitKreduce_kernel=50)
    recording.launch(MM, "mm, seq = 5", splitKreduce_kernel=50)
    trace = recording.trace()
    assert costs(trace) == [(36, 39), (12, 13), (0, 0), (48, 52)]
    (row,) = trace.operator_costs().to_pylist()
    assert (row["name"], row["flops"], row["bytes"], row["type"]) == ("torch.mm", 96, 104, "fp16")
    assert row["input_shapes"] == "[[2, 3], [3, 4]]"
    assert row["covered_pct"] == 100


def test_every_call_counts_without_autograd_numbers(recording: Recording) -> None:
    """PyProf takes the kernels of equal functions for those of one call."""
    for size in (8, 32):
        recording.launch(text("norm", (size,), module="Tensor"), "norm, seq = 6", reduce_kernel=10)
    trace = recording.trace()
    assert costs(trace) == [(17, 16), (65, 64)]
    assert trace.kernel_launches(names="pyprof")["flops"].to_pylist() == [17, 0]


def test_calls_inside_one_without_a_formula(recording: Recording) -> None:
    around = text("multi_head_attention_forward", (9, 9), module="torch.nn.functional")
    recording.launch(around, MM, "mm, seq = 4", sgemm=10)
    recording.launch(around, "copy, seq = 5", elementwise_kernel=10)
    trace = recording.trace()
    assert costs(trace) == [(48, 52), (None, None)]
    assert trace.kernel_launches(names="pyprof")["flops"].to_pylist() == [None, None]
    assert trace.operator_costs()["covered_pct"].to_pylist() == [100, 0]


def test_the_backward_pass_has_the_figures_of_the_forward_call(recording: Recording) -> None:
    recording.launch(MM, "mm, seq = 4", sgemm=10)
    for name in ("sgemm_nt", "sgemm_nn"):
        recording.launch("MmBackward, seq = 4", "mm, seq = 0", thread=BACKWARD, **{name: 10})
    trace = recording.trace()
    assert costs(trace) == [(48, 52)] * 3
    (step,) = trace.step_flops().to_pylist()
    # operators without a number, which old versions of PyTorch write as 0, were not run again
    assert (step["flops"], step["recomputed_flops"]) == (144, 0)
    names = trace.operator_costs(group_by="name").to_pylist()
    assert {row["name"]: row["flops"] for row in names} == {"torch.mm": 48, "mm": 96}


def test_recorded_shapes_come_first(recording: Recording) -> None:
    """They are of the operators themselves; nothing counts twice."""
    recording.launch(
        text("matmul", (2, 3), (3, 4)),
        "aten::mm, seq = 4, op_id = 1, sizes = [[2, 3], [3, 5]]",
        sgemm=10,
        splitKreduce_kernel=10,
    )
    trace = recording.trace()
    assert [flops for flops, _ in costs(trace)] == [2 * 2 * 3 * 5, 0]
    assert trace.operator_costs()["name"].to_pylist() == ["aten::mm"]


def test_arguments_that_do_not_fit_have_no_figures(recording: Recording) -> None:
    recording.launch(text("mm", (2, 3), (5, 4)), sgemm=10)
    recording.launch("{'mod': 1, 'op': 2, 'args': 3}", sgemm=10)
    assert costs(recording.trace()) == [(None, None)] * 2
