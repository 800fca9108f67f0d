"""The minimap compared with a count of every nanosecond."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from nbprof.timeline.curves.minimap import COLUMNS, column_edges, minimap
from nbprof.timeline.slice_categories import CATEGORIES
from tests.support.models import make_model
from tests.timeline.generated import traces

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

AROUND = ("step", "sync", "device_annotation")
OFTEN_AROUND = ("annotation", "python", "module")


def plain(model: TraceModel) -> dict[tuple[int, int], tuple[float, set[str]]]:
    """Share and leading categories by band and column; one process, then devices."""
    from nbprof.timeline.slices import Slices

    slices = Slices.of(model)
    edges = column_edges(model.metadata["end_ns"]).tolist()
    devices = sorted(set(model.column("device", "device").tolist()))
    first = 1 if slices.host_rows else 0
    parent = model.nesting.parent.tolist()
    own: dict[tuple[int, int], dict[str, int]] = {}
    spans: dict[tuple[int, int], list[tuple[int, int]]] = {}
    host = {CATEGORIES[code] for code in slices.category[: slices.host_rows]}
    left_out = {*AROUND, *OFTEN_AROUND} if host - {*AROUND, *OFTEN_AROUND} else set(AROUND)
    for i in range(len(slices)):
        name = CATEGORIES[slices.category[i]]
        if name in left_out:
            continue
        on_host = i < slices.host_rows
        number = -1 if on_host else model.column("device", "device")[i - slices.host_rows]
        band = 0 if on_host else first + devices.index(number)
        around = CATEGORIES[slices.category[parent[i]]] if on_host and parent[i] >= 0 else None
        for column in range(COLUMNS):
            low = max(int(slices.start[i]), edges[column])
            high = min(int(slices.end[i]), edges[column + 1])
            if low < high:
                times = own.setdefault((band, column), {})
                times[name] = times.get(name, 0) + high - low
                if around is not None:
                    times[around] = times.get(around, 0) - (high - low)
                spans.setdefault((band, column), []).append((low, high))
    found = {}
    for key, parts in spans.items():
        covered = {t for low, high in parts for t in (low, high)}
        points = sorted(covered)
        busy = sum(
            b - a
            for a, b in itertools.pairwise(points)
            if any(low <= a and b <= high for low, high in parts)
        )
        most = max(own[key].values())
        leaders = {name for name, time in own[key].items() if time == most}
        found[key] = (busy / (edges[key[1] + 1] - edges[key[1]]), leaders)
    return found


@given(traces(length=1500))
def test_columns_are_what_counting_gives(model: TraceModel) -> None:
    found = minimap(model)
    wanted = plain(model)
    keys = list(zip(found.band.tolist(), found.column.tolist(), strict=True))
    assert keys == sorted(wanted)
    for key, share, code in zip(keys, found.share.tolist(), found.category.tolist(), strict=True):
        assert share == pytest.approx(wanted[key][0], rel=1e-6)
        assert CATEGORIES[code] in wanted[key][1]


def test_many_processes_and_devices_share_bands() -> None:
    host = [{"name": "a", "start": 0, "end": 50}]
    device = [
        {"name": "k", "start": 1000 * n, "end": 1000 * n + 900, "device": n} for n in range(8)
    ]
    found = minimap(make_model(host, device))
    assert [(band.group, band.label) for band in found.bands] == [
        ("process:1", "Process 1"),
        ("device:0", "GPU 0"),
        ("device:1", "GPU 1"),
        ("device:2", "GPU 2 and 5 more"),
    ]
    last = found.column[found.band == 3]
    assert (last.min(), last.max()) == (2000 * COLUMNS // 7900, COLUMNS - 1)
    only = minimap(make_model(device=device))
    assert [band.label for band in only.bands] == ["GPU 0", "GPU 1", "GPU 2", "GPU 3 and 4 more"]


def test_a_step_round_everything_says_nothing() -> None:
    rows = [
        {"name": "ProfilerStep#1", "kind": "step", "start": 0, "end": 1200},
        {"name": "aten::add", "start": 300, "end": 600},
        {"name": "cudaLaunchKernel", "kind": "runtime", "start": 400, "end": 500},
    ]
    found = minimap(make_model(rows))
    assert found.column.tolist() == list(range(300, 600))
    names = [CATEGORIES[code] for code in found.category.tolist()]
    assert names == ["operator"] * 100 + ["runtime"] * 100 + ["operator"] * 100
    assert set(found.share.tolist()) == {1.0}


def test_python_frames_count_only_where_there_is_nothing_else() -> None:
    frame = {"name": "main.py(1): main", "kind": "python", "start": 0, "end": 1200}
    found = minimap(make_model([frame, {"name": "aten::add", "start": 300, "end": 600}]))
    assert found.column.tolist() == list(range(300, 600))
    only = minimap(make_model([frame]))
    assert only.column.tolist() == list(range(1200))
    assert {CATEGORIES[code] for code in only.category.tolist()} == {"python"}


def test_columns_of_a_very_short_and_a_very_long_trace() -> None:
    assert set(column_edges(7).tolist()) == set(range(8))
    years = 3 * 365 * 86_400 * 10**9
    edges = column_edges(years).tolist()
    assert edges == [i * years // COLUMNS for i in range(COLUMNS + 1)]


def test_an_empty_trace_has_an_empty_minimap() -> None:
    found = minimap(make_model())
    assert (found.bands, len(found.column)) == ((), 0)
