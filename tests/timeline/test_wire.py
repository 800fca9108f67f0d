"""Replies to the browser: equal figures in the declared format."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from nbprof.timeline import wire
from nbprof.timeline.curves.track import Track, reduce
from nbprof.timeline.timeline import Timeline
from tests.support.models import make_model
from tests.timeline.generated import items_of, traces

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel


def read(table: pa.Table) -> pa.Table:
    """Send a table and read it."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return pa.ipc.open_stream(sink.getvalue()).read_all()


@given(traces(), st.sampled_from([1, 5, 1000]))
def test_a_window_arrives_whole(model: TraceModel, width: int) -> None:
    timeline = Timeline.of(model)
    end = int(timeline.slices.end.max(initial=0)) + 1
    window = timeline.window(0, end, width, [(0, timeline.lanes.rows)])
    table, names = wire.window_table(window, timeline.slices.names)
    found = []
    for record in read(table).to_pylist():
        assert record["start"]
        blocks = dict(
            zip(
                record["block"],
                zip(record["count"], record["busy_ns"], strict=True),
                strict=True,
            )
        )
        assert record["block"] == sorted(blocks)
        for at, (start, width_ns, name) in enumerate(
            zip(record["start"], record["width"], record["name"], strict=True)
        ):
            count, busy = blocks.get(at, (1, width_ns))
            assert (name < 0) == (at in blocks)
            text = None if name < 0 else names[name]
            one = (record["row"], start, start + width_ns, record["slice"][at])
            found.append((*one, count, busy, record["category"][at], text))
    texts = timeline.slices.names
    wanted = [
        (i.row, i.start, i.end, i.slice, i.count, i.busy, i.category, texts[i.name])
        if i.count == 1
        else (i.row, i.start, i.end, i.slice, i.count, i.busy, i.category, None)
        for i in items_of(window)
    ]
    assert found == wanted
    used = {code for code in (*window.name.tolist(), *window.block_name.tolist()) if code >= 0}
    assert names == [texts[code] for code in sorted(used)]


def test_types_are_those_that_the_browser_expects() -> None:
    timeline = Timeline.of(make_model([{"name": "a", "start": 0, "end": 1}]))
    table, names = wire.window_table(timeline.window(0, 9, 10, [(0, 1)]), timeline.slices.names)
    assert names == ["a"]
    assert {f.name: str(f.type.value_type) for f in table.schema if f.name != "row"} == {
        "start": "double",
        "width": "double",
        "slice": "int32",
        "name": "int32",
        "category": "uint8",
        "block": "uint32",
        "block_name": "int32",
        "count": "uint32",
        "busy_ns": "double",
    }
    empty, names = wire.window_table(timeline.window(5, 9, 10, [(0, 1)]), timeline.slices.names)
    assert (empty.num_rows, names, empty.schema) == (0, [], table.schema)
    assert [str(t) for t in wire.minimap_table(timeline.minimap).schema.types] == [
        "int32",
        "int32",
        "uint8",
        "float",
    ]


def test_times_of_a_day_arrive_to_the_nanosecond() -> None:
    day = 86_400 * 10**9
    timeline = Timeline.of(make_model([{"name": "a", "start": day + 1, "end": day + 4}]))
    table, _ = wire.window_table(timeline.window(day, day + 9, 10, [(0, 1)]), timeline.slices.names)
    assert read(table).to_pylist()[0]["start"] == [float(day + 1)]
    assert int(table["start"][0].as_py()[0]) == day + 1


def test_curves_arrive_as_they_are_reduced() -> None:
    times = np.array([0, 10, 11, 50], np.int64)
    values = np.array([1.0, 5.0, 2.0, 0.0])
    tracks = [
        Track(key, "device:0", "L", "", "", 0.0, 5.0, 0, None, times + later, values)
        for key, later in (("one", 0), ("late", 1000), ("two", 3))
    ]
    table = read(wire.tracks_table(tracks, 5, 105, 10))
    assert table["key"].to_pylist() == ["one", "late", "two"]
    for record, track in zip(table.to_pylist(), tracks, strict=True):
        wanted = reduce(track, 5, 105, 10)
        for name in ("time", "first", "last", "low", "high"):
            assert record[name] == getattr(wanted, name).tolist()
    assert table["time"].to_pylist()[1] == []
    none = wire.tracks_table([], 0, 10, 10)
    assert (none.num_rows, none.schema) == (0, wire.TRACKS)
