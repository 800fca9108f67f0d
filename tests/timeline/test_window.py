"""Windows compared with the slices: none is lost, doubled, moved or rounded."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbprof.loading import load
from nbprof.timeline.timeline import Timeline
from nbprof.timeline.window import level_for, query
from tests.support.models import make_model
from tests.timeline.generated import expected_items, items_of, traces

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel
    from nbprof.timeline.window import Window

shares = st.floats(-0.1, 1.1)


def drawn_window(timeline: Timeline, low: float, high: float) -> tuple[int, int]:
    end = int(timeline.slices.end.max(initial=0)) + 1
    first, last = sorted((round(low * end), round(high * end)))
    return first, last


def most_that_begin_in_a_bin(window: Window) -> int:
    keys = list(zip(window.row.tolist(), (window.start // window.bin_ns).tolist(), strict=True))
    return max((keys.count(key) for key in keys), default=0)


@given(traces(), shares, shares, st.sampled_from([1, 2, 3, 7, 20, 100, 2400]))
def test_count_and_busy_time_of_every_lane_are_those_of_its_events(
    model: TraceModel, low: float, high: float, width: int
) -> None:
    timeline = Timeline.of(model)
    start, end = drawn_window(timeline, low, high)
    window = timeline.window(start, end, width, [(0, timeline.lanes.rows)])
    slices = timeline.slices
    for number, lane in enumerate(timeline.lanes.lanes):
        count = busy = 0
        for i in range(len(slices)):
            first, last = int(slices.start[i]), int(slices.end[i])
            overlaps = first < end and last > start
            without_length = first == last and start <= first < end
            if timeline.lanes.lane[i] == number and (overlaps or without_length):
                count += 1
                busy += last - first
        own = (window.row >= lane.first_row) & (window.row < lane.first_row + lane.depths)
        assert (window.count[own].sum(), window.busy[own].sum()) == (count, busy)
    assert most_that_begin_in_a_bin(window) <= 2
    assert window.bin_ns * width >= end - start
    assert window.bin_ns == 1 or window.bin_ns // 2 * width < end - start


@given(traces(), shares, shares, st.integers(1, 60), st.data())
def test_items_are_what_merging_slice_by_slice_gives(
    model: TraceModel, low: float, high: float, width: int, data: st.DataObject
) -> None:
    timeline = Timeline.of(model)
    start, end = drawn_window(timeline, low, high)
    edges = st.integers(-1, timeline.lanes.rows + 1)
    ranges = data.draw(st.lists(st.tuples(edges, edges), max_size=3))
    window = timeline.window(start, end, width, ranges)
    rows = [r for r in range(timeline.lanes.rows) if any(a <= r < b for a, b in ranges)]
    assert [r for a, b in window.rows for r in range(a, b)] == rows
    wanted = expected_items(timeline.slices, timeline.lanes, rows, (start, end), window.bin_ns)
    assert items_of(window) == wanted


def test_blocks_of_a_busy_stream_have_the_category_with_the_most_time() -> None:
    rng = np.random.default_rng(5)
    starts = np.cumsum(rng.integers(10, 60, 400)).tolist()
    kinds = ("kernel", "memcpy", "memset")
    rows = [
        {"name": "k", "kind": kinds[rng.integers(3)], "start": s, "end": s + int(rng.integers(10))}
        for s in starts
    ]
    timeline = Timeline.of(make_model(device=rows))
    for _ in range(300):
        start, end = sorted(rng.integers(-100, starts[-1] + 200, 2).tolist())
        width = int(rng.integers(1, 300))
        window = timeline.window(start, end, width, [(0, 1)])
        wanted = expected_items(timeline.slices, timeline.lanes, [0], (start, end), window.bin_ns)
        assert items_of(window) == wanted


@given(traces(), st.integers(0, 2000), st.sampled_from([1, 50, 5000]))
def test_bins_grow_until_the_reply_fits(model: TraceModel, budget: int, width: int) -> None:
    timeline = Timeline.of(model)
    end = int(timeline.slices.end.max(initial=0)) + 1
    rows = [(0, timeline.lanes.rows)]
    window = query(timeline.pyramid, 0, end, width, rows, max_bytes=budget)
    all_rows = range(timeline.lanes.rows)
    wanted = expected_items(timeline.slices, timeline.lanes, all_rows, (0, end), window.bin_ns)
    assert items_of(window) == wanted
    if len(window) * 25 > budget:
        # There is nothing left to merge.
        again = query(timeline.pyramid, 0, end, 1, rows)
        assert len(window) <= len(again)


def test_a_window_that_is_no_window() -> None:
    pyramid = Timeline.of(make_model([{"name": "a", "start": 0, "end": 1}])).pyramid
    with pytest.raises(ValueError, match="A window from 5 to 4 ns with 10 columns is invalid"):
        query(pyramid, 5, 4, 10, [(0, 1)])
    with pytest.raises(ValueError, match="with 0 columns"):
        query(pyramid, 0, 4, 0, [(0, 1)])


@pytest.mark.parametrize(
    ("span", "width", "k"),
    [(0, 10, 0), (10, 10, 0), (11, 10, 1), (20, 10, 1), (21, 10, 2), (2**40, 1, 40)],
)
def test_bins_are_no_shorter_than_columns(span: int, width: int, k: int) -> None:
    assert level_for(span, width) == k


def test_slices_at_the_edges_of_a_window() -> None:
    pairs = [(0, 10), (10, 20), (20, 20), (20, 30), (30, 40), (40, 40)]
    rows = [{"name": str(n), "start": a, "end": b} for n, (a, b) in enumerate(pairs)]
    timeline = Timeline.of(make_model(device=rows))

    def inside(start: int, end: int) -> list[int]:
        return timeline.window(start, end, 1000, [(0, 9)]).slice.tolist()

    assert inside(10, 20) == [1]
    assert inside(20, 21) == [2, 3]
    assert inside(20, 20) == []
    assert inside(25, 25) == [3]
    assert inside(39, 41) == [4, 5]
    assert inside(-50, 0) == []
    assert inside(41, 90) == []


def test_nanoseconds_are_kept_on_absolute_times(tmp_path: Path) -> None:
    base_us = 1_736_405_443_881_410
    texts = [("a", f"{base_us}.001", "0.002"), ("b", f"{base_us}.004", "0.001")]
    texts += [("c", f"{base_us + 7_200_000_000}.320", "0.003")]
    events = [
        f'{{"ph": "X", "cat": "cpu_op", "name": "{n}", "pid": 1, "tid": 1, "ts": {t}, "dur": {d},'
        f' "args": {{}}}}'
        for n, t, d in texts
    ]
    path = tmp_path / "w.pt.trace.json"
    path.write_text(f'{{"schemaVersion": 1, "traceEvents": [{", ".join(events)}]}}')
    json.loads(path.read_text())
    model = load(str(path), progress=False).trace().model
    timeline = Timeline.of(model)
    epoch = model.metadata["epoch_ns"]
    hours = 7_200_000_000_000
    near = timeline.window(0, 10, 1000, [(0, 1)])
    assert (near.start + epoch).tolist() == [base_us * 1000 + 1, base_us * 1000 + 4]
    assert (near.end - near.start).tolist() == [2, 1]
    far = timeline.window(hours, hours + 1000, 1000, [(0, 1)])
    assert (far.start + epoch).tolist() == [base_us * 1000 + hours + 320]
    assert far.bin_ns == near.bin_ns == 1
    assert far.busy.tolist() == [3]


def test_a_reply_stays_small_however_dense_the_trace() -> None:
    rng = np.random.default_rng(1)
    rows = []
    for stream in range(72):
        starts = np.cumsum(rng.integers(50, 150, 3000))
        rows += [
            {"name": f"k{i % 50}" * 20, "start": s, "end": s + 40, "stream": stream}
            for i, s in enumerate(starts.tolist())
        ]
    timeline = Timeline.of(make_model(device=rows))
    end = int(timeline.slices.end.max()) + 1
    window = timeline.window(0, end, 20_000, [(0, 72)])
    assert window.count.sum() == len(rows)
    blocks = int((window.count > 1).sum())
    assert 300_000 < 25 * len(window) + 16 * blocks < 1_000_000


@pytest.mark.parametrize("name", ["kineto/diff_test", "kineto/b200_eager", "torchcpu/convnet_dl"])
def test_windows_of_real_traces_stand_for_their_events(shared_data: Path, name: str) -> None:
    timeline = Timeline.of(load(str(shared_data / name), progress=False).trace().model)
    slices, lanes = timeline.slices, timeline.lanes
    length = int(slices.end.max())
    rng = np.random.default_rng(3)
    for _ in range(150):
        span = round(length ** rng.uniform())
        start = round(rng.uniform(-0.2 * span, length - 0.8 * span))
        width = int(rng.integers(1, 2500))
        window = timeline.window(start, start + span, width, [(0, lanes.rows)])
        inside = (slices.start < start + span) & ((slices.end > start) | (slices.start >= start))
        lane_of_row = np.searchsorted([lane.first_row for lane in lanes.lanes], window.row, "right")
        for number in range(len(lanes.lanes)):
            own, events = lane_of_row == number + 1, inside & (lanes.lane == number)
            assert window.count[own].sum() == events.sum()
            assert window.busy[own].sum() == (slices.end - slices.start)[events].sum()
        bins = window.row * np.int64(length) + window.start // window.bin_ns
        assert np.unique(bins, return_counts=True)[1].max(initial=0) <= 2
