"""Generates random traces for the timeline, with the expected result slice by slice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from tests.support.models import make_model

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.model.trace.model import TraceModel
    from nbprof.timeline.lanes.lanes import LaneSet
    from nbprof.timeline.slices import Slices
    from nbprof.timeline.window import Window

HOST_NAMES = {
    "operator": ("aten::add", "aten::mm", "enumerate(DataLoader)#_Iter.__next__"),
    "runtime": ("cudaLaunchKernel",),
    "annotation": ("forward", "loss"),
    "step": ("ProfilerStep#3",),
    "python": ("train.py(3): step",),
    "module": ("nn.Module: Linear_0",),
}
DEVICE_NAMES = {
    "kernel": ("sgemm", "ncclKernel_AllReduce", "aten::add"),
    "memcpy": ("Memcpy HtoD",),
    "memset": ("Memset (Device)",),
    "sync": ("Stream Wait",),
    "annotation": ("forward",),
}


@st.composite
def traces(draw: st.DrawFn, length: int = 200) -> TraceModel:
    """Draw a trace in which slices nest, overlap, have no length, and start together."""
    scale = draw(st.sampled_from([1, 1, 7, 1000, 2**40]))
    host = [
        draw(_rows(HOST_NAMES, length, scale, tid=st.sampled_from([1, 1, 2])))
        for _ in range(draw(st.integers(0, 16)))
    ]
    device = [
        draw(
            _rows(
                DEVICE_NAMES,
                length,
                scale,
                device=st.sampled_from([0, 0, 1]),
                stream=st.sampled_from([7, 7, 8, -1]),
            )
        )
        for _ in range(draw(st.integers(0, 16)))
    ]
    return make_model(host, device + draw(_dense_rows(scale)))


@st.composite
def _dense_rows(draw: st.DrawFn, scale: int) -> list[dict[str, Any]]:
    """Many short slices of several categories, one after another: what becomes blocks."""
    found, now = [], draw(st.integers(0, 20)) * scale
    steps = st.tuples(
        st.integers(0, 3), st.integers(0, 3), st.sampled_from(sorted(DEVICE_NAMES)[1:4])
    )
    for gap, duration, kind in draw(st.lists(steps, max_size=40)):
        start = now + gap * scale
        now = start + duration
        row = {"kind": kind, "name": DEVICE_NAMES[kind][0], "start": start, "end": now}
        found.append(row | {"device": 2, "stream": 9})
    return found


@st.composite
def _rows(
    draw: st.DrawFn,
    names: dict[str, tuple[str, ...]],
    length: int,
    scale: int,
    **columns: st.SearchStrategy[int],
) -> dict[str, Any]:
    kind = draw(st.sampled_from(sorted(names)))
    start = draw(st.integers(0, length)) * scale
    duration = draw(st.integers(0, 12) | st.integers(0, length)) * scale
    # Short ones among long ones: what blocks are made of.
    duration //= draw(st.sampled_from([1, 1, scale]))
    row = {"kind": kind, "name": draw(st.sampled_from(names[kind]))}
    row |= {"start": start, "end": start + duration}
    return row | {column: draw(values) for column, values in columns.items()}


@dataclass(frozen=True)
class Item:
    """A slice or block, as a window should have it."""

    row: int
    start: int
    end: int
    slice: int
    count: int
    busy: int
    category: int
    name: int


def items_of(window: Window) -> list[Item]:
    columns = (
        window.row,
        window.start,
        window.end,
        window.slice,
        window.count,
        window.busy,
        window.category,
        window.name,
    )
    return [Item(*values) for values in zip(*(c.tolist() for c in columns), strict=True)]


def expected_items(
    slices: Slices,
    lanes: LaneSet,
    rows: Sequence[int],
    window: tuple[int, int] | None,
    bin_ns: int,
) -> list[Item]:
    """Merge slices one by one: short ones that start in one bin and follow each other."""
    found = []
    for row in rows:
        ids = [i for i in range(len(slices)) if lanes.row[i] == row]
        if window is not None:
            ids = [i for i in ids if _is_inside(slices, i, window)]
        ids.sort(key=lambda i: (slices.start[i], slices.end[i], i))
        runs: list[list[int]] = []
        for i in ids:
            if runs and all(_joins(slices, i, j, bin_ns) for j in runs[-1]):
                runs[-1].append(i)
            else:
                runs.append([i])
        found += [_item(slices, row, run) for run in runs]
    return found


def _is_inside(slices: Slices, i: int, window: tuple[int, int]) -> bool:
    start, end = int(slices.start[i]), int(slices.end[i])
    return start < window[1] and (end > window[0] or start >= window[0])


def _joins(slices: Slices, i: int, j: int, bin_ns: int) -> bool:
    short = all(int(slices.end[n]) - int(slices.start[n]) < bin_ns for n in (i, j))
    return short and int(slices.start[i]) // bin_ns == int(slices.start[j]) // bin_ns


def _item(slices: Slices, row: int, run: list[int]) -> Item:
    times: dict[int, int] = {}
    for i in run:
        code = int(slices.category[i])
        times[code] = times.get(code, 0) + int(slices.end[i]) - int(slices.start[i])
    busy = sum(times.values())
    category = min(times, key=lambda c: (-times[c], c)) if busy else int(slices.category[run[0]])
    return Item(
        row=row,
        start=min(int(slices.start[i]) for i in run),
        end=max(int(slices.end[i]) for i in run),
        slice=run[0],
        count=len(run),
        busy=busy,
        category=category,
        name=int(slices.name[run[0]]) if len(run) == 1 else -1,
    )
