"""The name of a block: the one with most of its time, if any has."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nbprof.timeline.block_names import BlockNames
from nbprof.timeline.timeline import Timeline
from nbprof.timeline.wire import window_table
from tests.support.models import make_model
from tests.timeline.generated import traces

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel


@given(
    st.lists(
        st.tuples(st.integers(-1, 3), st.integers(0, 9), st.booleans()), min_size=1, max_size=40
    )
)
def test_merging_once_gives_the_name_with_most_time(rows: list[tuple[int, int, bool]]) -> None:
    name, time, begins = (list(column) for column in zip(*rows, strict=True))
    begins[0] = True
    names = BlockNames(np.array(name, np.int32), np.array(time, np.int64))
    names.merge(np.array(begins))
    heads = [i for i, one in enumerate(begins) if one]
    for item, (low, high) in enumerate(zip(heads, [*heads[1:], len(rows)], strict=True)):
        total: Counter[int] = Counter()
        for i in range(low, high):
            total[name[i]] += time[i]
        assert total[int(names.name[item])] == max(total.values()) == names.time[item]


@given(traces(), st.integers(0, 52))
def test_a_name_with_more_than_half_of_the_time_stands_for_its_block(
    model: TraceModel, k: int
) -> None:
    timeline = Timeline.of(model)
    end = int(timeline.slices.end.max(initial=0)) + 1
    window = timeline.window(0, end, -(-end // (1 << k)), [(0, timeline.lanes.rows)])
    pyramid, slices = timeline.pyramid, timeline.slices
    for item in range(len(window)):
        if window.count[item] == 1:
            assert window.block_name[item] == -1
            continue
        first = int(np.flatnonzero(pyramid.ids == window.slice[item])[0])
        ids = pyramid.ids[first : first + window.count[item]]
        inside = set(slices.name[ids].tolist())
        assert window.block_name[item] in inside
        if len(inside) == 1:
            assert window.block_name[item] == slices.name[ids[0]]


def test_the_longest_running_name_is_sent_with_the_block() -> None:
    lengths = {"often": 3, "rare": 7}
    rows, at = [], 0
    for name in ["often"] * 5 + ["rare"] + ["often"] * 4:
        rows.append({"name": name, "start": at, "end": at + lengths[name]})
        at += 10
    timeline = Timeline.of(make_model(rows))
    window = timeline.window(0, at * 16, 1, [(0, 1)])
    assert window.count.tolist() == [10]
    table, names = window_table(window, timeline.slices.names)
    assert names == ["often"]
    assert table["block_name"].to_pylist() == [[0]]
    assert table["name"].to_pylist() == [[-1]]
