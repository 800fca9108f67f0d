"""Generates random traces with everything that a Chrome file can hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from nbprof.model.filters.filter import Filter
from tests.analysis.generated import KERNELS, NAMES, SHAPES
from tests.support.models import make_model

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Row = dict[str, Any]

LENGTH = 60
FRAMES = ("train.py(3): step", "net.py(7): forward", "<built-in method at 0x7f>")
MAYBE = st.none


@st.composite
def traces(draw: st.DrawFn) -> TraceModel:
    """Draw a trace of two threads and two devices; nothing in it need fit together."""
    host = draw(st.lists(host_rows(), max_size=18))
    host += draw(steps())
    tids = list(dict.fromkeys(row["tid"] for row in host))
    device = draw(st.lists(device_rows(), max_size=10))
    flows = [row for pair in draw(st.lists(arrows(), max_size=6)) for row in pair]
    memory = draw(st.lists(memory_rows(len(tids)), max_size=5)) if tids else []
    counters = draw(st.lists(counter_rows(), max_size=4))
    if not host and not device and not memory and not counters:
        host = [{"name": "aten::mm", "tid": 1, "start": 0, "end": 1}]
    metadata = draw(
        st.fixed_dictionaries(
            {},
            optional={
                "rank": st.integers(0, 3),
                "with_stack": st.booleans(),
                "host_name": st.text(max_size=3),
                "recorded_ns": st.just((-5, 90)),
                "device_type": st.sampled_from(["cpu", "gpu", "xpu"]),
            },
        )
    )
    ends = [row["end"] for row in (*host, *device)]
    ends += [row["time_ns"] for row in (*memory, *counters)]
    return make_model(
        host,
        device,
        flows=sorted(flows, key=lambda row: row["time_ns"]),
        memory=sorted(memory, key=lambda row: row["time_ns"]),
        counters=sorted(counters, key=lambda row: row["time_ns"]),
        devices=[{"device": 0, "name": "V100", "memory_bytes": 8, "compute_major": 7}],
        metadata={
            "epoch_ns": draw(st.sampled_from([0, 1_700_000_000_000_000_123])),
            "end_ns": max(ends) + draw(st.integers(0, 1)),
            **metadata,
        },
    )


@st.composite
def filters(draw: st.DrawFn) -> Filter:
    """Draw a range of time or steps, and sometimes other conditions."""
    bounds = st.tuples(st.integers(-5, LENGTH + 20), st.integers(-5, LENGTH + 20)).map(sorted)
    time = bounds.map(lambda pair: (pair[0] / 1000, pair[1] / 1000))
    numbers = st.tuples(st.integers(2, 5), st.integers(5, 6))
    return Filter(
        steps=draw(MAYBE() | numbers),
        time_us=draw(time | st.just((float("-inf"), 0.02)) | st.just((0.02, float("inf")))),
        name=draw(MAYBE() | st.sampled_from(["aten", "/gemm|mm/"])),
        threads=draw(MAYBE() | MAYBE() | st.just((1,))),
        devices=draw(MAYBE() | MAYBE() | st.just((0,))),
    )


@st.composite
def host_rows(draw: st.DrawFn) -> Row:
    """Draw a slice of any kind; few different times, ids and numbers, so that they meet."""
    kind = draw(st.sampled_from(["operator"] * 4 + ["runtime"] * 2 + ["annotation", "python",
                                                                      "module"]))  # fmt: skip
    start = draw(st.integers(0, LENGTH))
    row: Row = {"kind": kind, "tid": draw(st.integers(1, 2)), "start": start}
    row["end"] = start + draw(st.integers(0, 30))
    if kind == "runtime":
        names = ("cudaLaunchKernel", "cuLaunchKernel", "cudaGraphLaunch", "hipLaunchKernel")
        row |= {"correlation": draw(st.integers(-1, 6)), "external_id": draw(st.integers(-1, 3))}
        return row | {"name": draw(st.sampled_from(names))}
    stack = draw(MAYBE() | MAYBE() | MAYBE() | st.sampled_from(["a.py(1): f;b.py(2): g", "x"]))
    if kind in ("python", "module"):
        row |= {"name": draw(st.sampled_from(FRAMES)), "python_id": draw(st.integers(0, 9))}
        return row | {"module_id": 3} if kind == "module" else row | {"call_stack": stack}
    return row | {
        "name": draw(st.sampled_from(NAMES[kind])),
        "external_id": draw(st.integers(-1, 3)),
        "sequence": draw(st.integers(-1, 2)),
        "forward_thread": draw(st.integers(-1, 1)),
        "input_shapes": draw(st.sampled_from(SHAPES)),
        "call_stack": stack if draw(st.integers(0, 3)) == 0 else None,
    }


@st.composite
def steps(draw: st.DrawFn) -> list[Row]:
    """Draw some steps that may overlap."""
    rows = []
    for number in draw(st.lists(st.integers(2, 6), max_size=4)):
        start = draw(st.integers(0, LENGTH))
        row = {"name": f"ProfilerStep#{number}", "kind": "step", "tid": draw(st.integers(1, 2))}
        rows.append({**row, "start": start, "end": start + draw(st.integers(0, 25))})
    return rows


@st.composite
def device_rows(draw: st.DrawFn) -> Row:
    """Draw device work and what lies beside it."""
    kind = draw(st.sampled_from(["kernel"] * 4 + ["memcpy", "memset", "sync", "annotation"]))
    start = draw(st.integers(0, LENGTH + 20))
    return {
        "name": draw(st.sampled_from(KERNELS)),
        "kind": kind,
        "device": draw(st.sampled_from([0, 1, -1])),
        "stream": draw(st.sampled_from([7, 9, -1])),
        "start": start,
        "end": start + draw(st.integers(0, 20)),
        "correlation": draw(st.integers(-1, 7)),
        "external_id": draw(st.integers(-1, 3)),
        "blocks_per_sm": draw(st.sampled_from([None, 0.0, 1 / 3, 3.0])),
        "occupancy_pct": draw(st.sampled_from([None, 0.0, 40.1])),
        "bandwidth_gbps": draw(st.sampled_from([None, 1e12, 1e-7])),
        "registers": draw(st.sampled_from([None, 32])),
        "grid": draw(st.sampled_from([None, "[1, 1, 1]"])),
    }


@st.composite
def arrows(draw: st.DrawFn) -> list[Row]:
    """Draw the ends of an arrow, sometimes only one of them."""
    category = draw(st.sampled_from(["launch", "fwdbwd"]))
    ends = draw(st.sampled_from(["sf", "sf", "s", "f"]))
    identity = draw(st.integers(0, 4))
    return [
        {
            "id": identity,
            "category": category,
            "phase": phase,
            "time_ns": draw(st.integers(-3, LENGTH + 20)),
            "pid": 1,
            "tid": draw(st.sampled_from([1, 2, 7, 9])),
        }
        for phase in ends
    ]


@st.composite
def memory_rows(draw: st.DrawFn, threads: int) -> Row:
    """Draw a memory record."""
    return {
        "time_ns": draw(st.integers(0, LENGTH)),
        "thread": draw(st.integers(0, threads - 1)),
        "bytes": draw(st.integers(-9, 9)),
        "address": draw(st.sampled_from([-1, 2**62])),
        "device_type": draw(st.sampled_from([0, 1])),
        "device": draw(st.integers(-1, 1)),
        "total_allocated": draw(st.integers(-1, 3)),
    }


@st.composite
def counter_rows(draw: st.DrawFn) -> Row:
    """Draw a sample of a counter."""
    # Larger ones are left out when they are read.
    values = st.floats(-1e15, 1e15) | st.integers(0, 3).map(float)
    return {
        "name": draw(st.sampled_from(["clock", "power"])),
        "series": draw(st.sampled_from(["MHz", "W\n\"'"])),
        "pid": draw(st.sampled_from([-1, 0, 2**40])),
        "time_ns": draw(st.integers(0, LENGTH)),
        "value": draw(values),
    }
