"""The saved timeline: the whole trace within a budget, with every slice in it once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbprof.loading import load
from nbprof.timeline import wire
from nbprof.timeline.outline import outline
from nbprof.timeline.timeline import Timeline
from tests.support.models import make_model
from tests.timeline.generated import expected_items, items_of, traces

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel


@given(traces(), st.sampled_from([0, 500, 1000, 2000, 10**6]))
def test_every_lane_is_shown_on_one_level(model: TraceModel, budget: int) -> None:
    timeline = Timeline.of(model)
    found = outline(timeline.pyramid, timeline.lanes, budget)
    window = found.window
    assert window.count.sum() == found.individual + found.in_blocks
    assert found.individual + found.in_blocks + found.left_out == len(timeline.slices)
    shown = {row for low, high in window.rows for row in range(low, high)}
    inside = np.isin(timeline.lanes.row, sorted(shown))
    assert found.left_out == (~inside).sum()
    assert window.busy.sum() == (timeline.slices.end - timeline.slices.start)[inside].sum()
    assert found.individual == int((window.count == 1).sum())
    items = items_of(window)
    for lane in timeline.lanes.lanes:
        rows = [lane.first_row + d for d in range(lane.depths) if lane.first_row + d in shown]
        own = [item for item in items if item.row in rows]
        assert any(
            own == expected_items(timeline.slices, timeline.lanes, rows, None, 1 << k)
            for k in range(window.bin_ns.bit_length())
        )


@pytest.mark.parametrize("budget", [30_000, 100_000, 400_000])
@pytest.mark.parametrize("name", ["kineto/diff_test", "kineto/h100_qwen", "torchcpu/convnet_dl"])
def test_the_budget_is_kept_and_used(shared_data: Path, name: str, budget: int) -> None:
    model = load(str(shared_data / name), progress=False).trace().model
    timeline = Timeline.of(model)
    found = outline(timeline.pyramid, timeline.lanes, budget)
    table, names = wire.window_table(found.window, timeline.slices.names)
    size = table.nbytes + sum(len(text.encode()) for text in names)
    assert size <= budget
    assert found.in_blocks == 0 or size > 0.35 * budget


def test_where_rows_are_too_many_the_deepest_are_left_out() -> None:
    rows = [
        {"name": f"f{d}" * 9, "start": d, "end": 900 - d, "tid": t}
        for d in range(30)
        for t in (1, 2)
    ]
    timeline = Timeline.of(make_model(rows))
    whole = outline(timeline.pyramid, timeline.lanes, 100_000)
    assert (whole.individual, whole.left_out) == (60, 0)
    found = outline(timeline.pyramid, timeline.lanes, 2000)
    table, names = wire.window_table(found.window, timeline.slices.names)
    assert 1000 < table.nbytes + sum(map(len, names)) <= 2000
    (low, high), (second, last) = found.window.rows
    assert (low, second) == (0, 30)
    assert 0 <= (high - low) - (last - second) <= 1
    assert found.left_out == 60 - found.individual > 0
    assert outline(timeline.pyramid, timeline.lanes, 0).left_out == 60
    second_only = replace(timeline.lanes, lanes=timeline.lanes.lanes[1:])
    part = outline(timeline.pyramid, second_only, 2000)
    assert part.window.rows == ((30, 30 + part.individual),)
    assert (part.individual > found.individual / 2, part.left_out) == (True, 30 - part.individual)


def test_short_lanes_leave_their_share_to_long_ones() -> None:
    rng = np.random.default_rng(2)
    starts = np.cumsum(rng.integers(100, 900, 3000)).tolist()
    rows = [{"name": "k", "start": s, "end": s + 60 + s % 40} for s in starts]
    rows += [{"name": "r", "start": 10 * s, "end": 10 * s + 3, "stream": 9} for s in range(12)]
    timeline = Timeline.of(make_model(device=rows))
    found = outline(timeline.pyramid, timeline.lanes, 40_000)
    few = timeline.lanes.lanes[1]
    own = found.window.row == few.first_row
    assert (found.window.count[own] == 1).all()
    assert len(found.window) > 600  # much more than half of what 40,000 bytes hold


def test_an_empty_trace_has_empty_saved_state() -> None:
    timeline = Timeline.of(make_model())
    found = outline(timeline.pyramid, timeline.lanes, 1000)
    assert (len(found.window), found.individual, found.in_blocks, found.left_out) == (0, 0, 0, 0)
