"""Generates small random traces that contain every case the analyses distinguish."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from nbprof.model.filters.filter import NO_FILTER, Filter
from tests.support.models import make_model

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

LOADER = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
OPERATORS = (
    "aten::add",
    "aten::add",
    "aten::mm",
    "aten::linear",
    "c10d::allreduce_",
    "gloo:all_reduce",
    "Optimizer.step#SGD.step",
    "DistributedDataParallel.forward",
    LOADER,
)
ANNOTATIONS = (
    "forward",
    "forward",
    "loss",
    "loss",
    "nccl:all_reduce",
    "gloo:broadcast",
    LOADER,
    "Optimizer.step#X",
)
SHAPES = (None, "[[2, 3]]", "[[8, 8]]")
NAMES = {
    "operator": OPERATORS,
    "runtime": ("cudaLaunchKernel", "cuLaunchKernel"),
    "annotation": ANNOTATIONS,
    "python": ("train.py(3): step",),
}
KERNELS = ("sgemm", "s884gemm", "ncclKernel_AllReduce", "elementwise")
LENGTH = 60


@st.composite
def traces(draw: st.DrawFn, *, overhead: bool = True) -> TraceModel:
    """Draw a trace of at most `LENGTH` nanoseconds before its device work ends.

    It may hold work of the profiler's own, unless that would disturb.
    """
    host, device = draw(rows(NAMES))
    own = draw(st.lists(_overhead(), max_size=2)) if overhead else []
    return make_model(host + own, device)


@st.composite
def rows(
    draw: st.DrawFn, names: dict[str, tuple[str, ...]]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Draw the host and device rows of a trace, with names by kind."""
    host = draw(_nested(1, names)) + draw(_nested(2, names)) + draw(_steps())
    host += draw(st.lists(_loose(names), max_size=3))
    calls = 0
    for row in host:
        if row["kind"] == "runtime":
            calls += 1
            row["correlation"] = calls
    return host, draw(st.lists(_device_rows(calls + 1), max_size=14))


@st.composite
def filters(draw: st.DrawFn) -> Filter:
    """Draw conditions on the range and on the rows, often none."""
    if draw(st.booleans()):
        return NO_FILTER
    maybe = st.none
    bounds = st.tuples(st.integers(0, LENGTH), st.integers(0, LENGTH)).map(sorted)
    return Filter(
        steps=draw(maybe() | st.tuples(st.integers(0, 4), st.integers(4, 8))),
        time_us=draw(maybe() | bounds.map(lambda pair: (pair[0] / 1000, pair[1] / 1000))),
        name=draw(maybe() | st.sampled_from(["aten", "gemm", "/add|linear/"])),
        within=draw(maybe() | st.sampled_from(["aten", "=forward", "/add|loss/"])),
        kinds=draw(maybe() | st.sampled_from([("kernel",), ("operator",), ("memcpy", "operator")])),
        threads=draw(maybe() | st.just((1,))),
        devices=draw(maybe() | st.sampled_from([(0,), (1,), (0, 1)])),
        streams=draw(maybe() | st.just((7,))),
    )


@st.composite
def _nested(draw: st.DrawFn, tid: int, names: dict[str, tuple[str, ...]]) -> list[dict[str, Any]]:
    """Open and close slices as a program does."""
    others = [kind for kind in names if kind not in ("operator", "runtime")]
    time, rows, stack = draw(st.integers(0, 5)), [], []
    moves = st.tuples(st.sampled_from(["open", "open", "call", "close"]), st.integers(0, 4))
    for move, wait in draw(st.lists(moves, min_size=8, max_size=24)):
        time += wait
        if move == "open":
            kind = draw(st.sampled_from(["operator"] * 4 + others))
            # Operators often call themselves under the same name.
            name = draw(st.sampled_from(names[kind]))
            if stack and stack[-1]["kind"] == kind and draw(st.booleans()):
                name = stack[-1]["name"]
            stack.append(_slice(name, kind, tid, time, draw(st.sampled_from(SHAPES))))
            rows.append(stack[-1])
        elif move == "call":
            rows.append(_slice("cudaLaunchKernel", "runtime", tid, time))
            time += draw(st.integers(0, 3))
            rows[-1]["end"] = time
        elif stack:
            stack.pop()["end"] = time
    for row in stack:
        row["end"] = time + 1
    return rows


@st.composite
def _loose(draw: st.DrawFn, names: dict[str, tuple[str, ...]]) -> dict[str, Any]:
    """Return a slice that fits into nothing, as rounding or a second recorder makes them."""
    kind = draw(st.sampled_from(sorted(names)))
    start = draw(st.integers(0, LENGTH - 1))
    row = _slice(draw(st.sampled_from(names[kind])), kind, draw(st.integers(1, 2)), start)
    row["end"] = start + draw(st.integers(0, 25))
    return row


@st.composite
def _overhead(draw: st.DrawFn) -> dict[str, Any]:
    """Return the profiler's own work, which is on no thread of the program."""
    start = draw(st.integers(0, LENGTH - 1))
    row = _slice(draw(st.sampled_from(["Buffer Flush", "Lazy Loading"])), "overhead", 9, start)
    row["end"] = start + draw(st.integers(0, 6))
    return row


def _slice(name: str, kind: str, tid: int, start: int, shapes: str | None = None) -> dict[str, Any]:
    row = {"name": name, "kind": kind, "tid": tid, "start": start, "end": start}
    return {**row, "input_shapes": shapes}


@st.composite
def _steps(draw: st.DrawFn) -> list[dict[str, Any]]:
    rows, end = [], draw(st.integers(0, 9))
    for number in range(3, 3 + draw(st.integers(0, 3))):
        start = end + draw(st.integers(0, 4))
        end = start + draw(st.integers(1, 20))
        name = f"ProfilerStep#{number}"
        rows.append({"name": name, "kind": "step", "tid": 1, "start": start, "end": end})
    return rows


@st.composite
def _device_rows(draw: st.DrawFn, correlations: int) -> dict[str, Any]:
    kind = draw(st.sampled_from(["kernel"] * 4 + ["memcpy", "memset", "sync", "annotation"]))
    start = draw(st.integers(0, LENGTH + 20))
    return {
        "name": draw(st.sampled_from(KERNELS)) if kind == "kernel" else kind.title(),
        "kind": kind,
        "device": draw(st.integers(0, 1)),
        "stream": draw(st.sampled_from([7, 9])),
        "start": start,
        "end": start + draw(st.integers(0, 20)),
        "correlation": draw(st.integers(1, correlations)),
        "blocks_per_sm": draw(st.sampled_from([None, 0.0, 0.25, 0.75, 3.0])),
        "occupancy_pct": draw(st.sampled_from([None, 0.0, 40.0, 100.0])),
        "registers": draw(st.sampled_from([None, 32])),
        "grid": draw(st.sampled_from([None, "[1, 1, 1]"])),
    }
