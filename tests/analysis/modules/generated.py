"""Generates small traces with modules: one fixed, others random with backward pass and memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from tests.support.models import make_model

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Row = dict[str, Any]


def module(name: str, start: int, end: int, **more: Any) -> Row:
    row = {"name": f"nn.Module: {name}", "kind": "module", "module_id": 0, "start": start}
    return {**row, "end": end, **more}


def op(name: str, start: int, end: int, **more: Any) -> Row:
    return {"name": name, "start": start, "end": end, **more}


def call(correlation: int, start: int, end: int, **more: Any) -> Row:
    row = op("cudaLaunchKernel", start, end, kind="runtime", correlation=correlation)
    return {**row, **more}


def kernel(correlation: int, length: int, **more: Any) -> Row:
    return {"name": "gemm", "start": 500, "end": 500 + length, "correlation": correlation, **more}


def a_training_step() -> TraceModel:
    """Return two calls of a small network, a loss, and the backward pass on another thread."""
    back = {"tid": 2, "sequence": 7, "forward_thread": 1}
    return make_model(
        [
            module("Net_0", 10, 100),
            op("net.py(3): forward", 11, 99, kind="python"),
            module("Linear_0", 12, 42),
            op("aten::linear", 13, 33, sequence=7, forward_thread=0),
            op("aten::addmm", 14, 32, sequence=7, forward_thread=0),
            call(1, 15, 16),
            op("aten::add", 34, 38),
            call(2, 39, 42),
            op("aten::relu", 50, 55),
            call(3, 51, 52),
            module("Act_0", 60, 70),
            module("Net_0", 110, 150),
            module("Linear_0", 115, 135),
            op("aten::sigmoid", 140, 147),
            call(4, 116, 119),
            op("aten::mul", 120, 120),
            module("Loss_0", 160, 170),
            op("aten::nll_loss", 162, 168),
            op("evaluate", 300, 325, **back),
            op("AddmmBackward0", 302, 322, **back),
            call(5, 303, 304, tid=2),
            op("AccumulateGrad", 330, 340, tid=2, forward_thread=1),
            call(6, 331, 332, tid=2),
        ],
        [
            kernel(1, 13),
            kernel(2, 17),
            kernel(3, 11),
            kernel(4, 0),
            kernel(5, 19, stream=9),
            kernel(6, 23),
            kernel(99, 29),
        ],
    )


@st.composite
def traces_with_modules(draw: st.DrawFn) -> TraceModel:
    """Draw nested and overlapping rows of all kinds on two threads, kernels and memory records."""
    rows: list[Row] = []
    for number in range(draw(st.integers(0, 14))):
        start = draw(st.integers(0, 40))
        span = {"tid": draw(st.integers(1, 2))}
        end = start + draw(st.integers(0, 20))
        kind = draw(
            st.sampled_from(["module", "module", "operator", "operator", "runtime", "python",
                             "annotation"])
        )  # fmt: skip
        if kind == "module":
            rows.append(module(draw(st.sampled_from("ABC")), start, end, **span))
        elif kind == "runtime":
            rows.append(call(number + 1, start, end, **span))
        else:
            backward = draw(st.sampled_from([-1, 0, 1])) if kind == "operator" else -1
            if backward >= 0:
                span |= {"sequence": draw(st.integers(0, 1)), "forward_thread": backward}
            name = draw(st.sampled_from(["x", "y", "Optimizer.step#SGD.step"]))
            rows.append(op(name, start, end, kind=kind, **span))
    device = [
        kernel(correlation, length, stream=draw(st.sampled_from([7, 9])))
        for correlation, length in draw(
            st.lists(st.tuples(st.integers(1, 15), st.integers(0, 9)), max_size=6)
        )
    ]
    threads = len({row.get("tid", 1) for row in rows})
    records = st.tuples(
        st.integers(0, 60),
        st.integers(0, max(threads - 1, 0)),
        st.integers(-5, 9),
        st.sampled_from([(0, -1), (1, 0)]),
    )
    memory = [
        {"time_ns": time, "thread": thread, "bytes": size, "address": 64 * at,
         "device_type": kind, "device": number, "total_allocated": -1, "total_reserved": -1}
        for at, (time, thread, size, (kind, number)) in enumerate(
            sorted(draw(st.lists(records, max_size=6 if rows else 0)))
        )
    ]  # fmt: skip
    return make_model(rows, device, memory=memory)
