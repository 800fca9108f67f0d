"""Levels of detail: which slices form a block on each level, and its time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbprof.loading import load
from nbprof.timeline.pyramid import Pyramid, _bit_length, dominant
from nbprof.timeline.timeline import Timeline
from tests.support.models import make_model
from tests.timeline.generated import expected_items, items_of, traces

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel


@given(traces(), st.integers(0, 52))
def test_levels_are_what_merging_slice_by_slice_gives(model: TraceModel, k: int) -> None:
    timeline = Timeline.of(model)
    end = int(timeline.slices.end.max(initial=0)) + 1
    # As wide as it takes to be answered on that level.
    width = -(-end // (1 << k))
    window = timeline.window(0, end, width, [(0, timeline.lanes.rows)])
    rows = range(timeline.lanes.rows)
    wanted = expected_items(timeline.slices, timeline.lanes, rows, None, window.bin_ns)
    assert items_of(window) == wanted


@given(traces())
def test_levels_hold_what_they_say(model: TraceModel) -> None:
    pyramid = Timeline.of(model).pyramid
    count = len(pyramid.ids)
    assert sorted(pyramid.ids.tolist()) == list(range(count))
    kept: list[int] = [count]
    for k, level in enumerate(pyramid.levels):
        if level.first is not None and len(level.first) != kept[-1]:
            assert len(level.first) <= 0.7 * kept[-1]
            kept.append(len(level.first))
        first = np.arange(count) if level.first is None else level.first
        begins = first[pyramid.joins[first] > k]
        assert begins.tolist() == np.flatnonzero(pyramid.joins > k).tolist()
        assert not level.exact or len(begins) == len(first)
    assert pyramid.busy[-1] == (pyramid.end - pyramid.start).sum()


@given(st.lists(st.integers(0, 2**62) | st.integers(-(2**62), -1)))
def test_bit_lengths(values: list[int]) -> None:
    found = _bit_length(np.array(values, np.int64)).tolist()
    assert found == [value.bit_length() if value >= 0 else 64 for value in values]
    edges = [2**k + d for k in range(62) for d in (-1, 0, 1)]
    assert _bit_length(np.array(edges)).tolist() == [edge.bit_length() for edge in edges]


def test_what_has_the_most_time() -> None:
    category = np.array([3, 1, 1, 3, 0, 2, 2], np.uint8)
    duration = np.array([4, 2, 2, 1, 0, 0, 0])
    first, last = np.array([0, 0, 1, 4, 5]), np.array([3, 4, 4, 7, 6])
    # A tie goes to the smaller code; without time the first slice says it.
    assert dominant(category, duration, first, last).tolist() == [1, 3, 1, 0, 2]


def test_an_empty_trace_has_a_pyramid() -> None:
    timeline = Timeline.of(make_model())
    assert timeline.pyramid.rows == 0
    assert len(timeline.window(0, 10, 100, [(0, 5)])) == 0


def test_the_pyramid_is_made_once() -> None:
    model = make_model([{"name": "a", "start": 0, "end": 1}])
    assert Timeline.of(model).pyramid is Timeline.of(model).pyramid


@pytest.mark.parametrize("name", ["diff_control", "h100_qwen", "v100_ns_resolution"])
def test_memory_is_less_than_that_of_the_tables(shared_data: Path, name: str) -> None:
    model = load(str(shared_data / "kineto" / name), progress=False).trace().model
    timeline = Timeline.of(model)
    tables = model.tables["host"].nbytes + model.tables["device"].nbytes
    assert timeline.pyramid.nbytes < 0.6 * tables


def test_memory_is_bounded_when_every_level_merges_little() -> None:
    # Durations and gaps of all magnitudes: the same share joins on every level.
    rng = np.random.default_rng(0)
    count = 20_000
    gaps = (2 ** rng.uniform(0, 36, count)).astype(np.int64)
    starts = np.cumsum(2 * gaps)
    rows = [
        {"name": "k", "kind": ("kernel", "memcpy")[i % 2], "start": s, "end": s + g}
        for i, (s, g) in enumerate(zip(starts.tolist(), gaps.tolist(), strict=True))
    ]
    model = make_model(device=rows)
    timeline = Timeline.of(model)
    assert isinstance(timeline.pyramid, Pyramid)
    assert len({id(level) for level in timeline.pyramid.levels}) > 30
    assert timeline.pyramid.nbytes < model.tables["device"].nbytes
