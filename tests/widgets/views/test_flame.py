"""The flame graph: its requests and traits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from traitlets import TraitError

import nbprof
from nbprof.widgets.views.flames.flame_window import MAX_ITEMS, FlameIndex
from tests.support.recordings.runs import RUNS
from tests.widgets.conftest import table_of

if TYPE_CHECKING:
    from tests.widgets.conftest import Page

SAMPLES = RUNS
GPU = "gpu_resnet_synthetic"
CPU = "torch_cpu_convnet"


def random_flame(seed: int, frames: int) -> pa.Table:
    """Make frames inside frames, in the columns of the table ``flame``."""
    random = np.random.default_rng(seed)
    rows: list[dict[str, Any]] = []
    ends: list[float] = []
    for number in range(frames):
        parent = int(random.integers(-1, number)) if number else -1
        above = rows[parent] if parent >= 0 else None
        start = ends[parent] if above else (max(ends[-1:], default=0.0) if not rows else 0.0)
        room = above["offset_us"] + above["total_us"] - start if above else 1000.0
        if above is None:
            start = sum(row["total_us"] for row in rows if row["depth"] == 0)
        width = float(room * random.uniform(0, 0.7)) if above else 1000.0
        depth = above["depth"] + 1 if above else 0
        rows.append(
            {
                "depth": depth,
                "name": f"f{int(random.integers(0, 9))}",
                "kind": ["module", "operator", "python", "thread"][depth % 4],
                "calls": 1,
                "offset_us": start,
                "total_us": width,
                "self_us": width / 2,
            }
        )
        ends.append(start)
        if above:
            ends[parent] = start + width
    return pa.Table.from_pylist(rows)


@pytest.mark.parametrize("seed", range(6))
def test_a_window_holds_every_frame_in_it_once(seed: int) -> None:
    table = random_flame(seed, 400)
    index = FlameIndex.of(table)
    none = np.zeros(len(index.names), bool)
    low, high = index.total * 0.21, index.total * 0.63
    for width in (7, 300, 16_000):
        window = index.window(low, high, width, (0, 99), none)
        shown = [
            row
            for row in table.to_pylist()
            if row["total_us"] > 0
            and row["offset_us"] < high
            and row["offset_us"] + row["total_us"] > low
        ]
        columns = window.columns
        assert columns["count"].sum() == len(shown)
        assert columns["value"].sum() == pytest.approx(sum(row["total_us"] for row in shown))
        assert window.depths == max(row["depth"] for row in shown) + 1
        pixel = (high - low) / width
        alone = columns["count"] == 1
        wide = [row for row in shown if row["total_us"] >= pixel]
        assert alone.sum() >= len(wide)
        at = {(row["depth"], row["offset_us"]): row for row in shown}
        for depth, start, end, name in zip(
            *(columns[key][alone].tolist() for key in ("depth", "start", "end", "name")),
            strict=True,
        ):
            row = at[depth, start]
            assert end == row["offset_us"] + row["total_us"]
            assert index.names[name] == row["name"]
        for depth in range(window.depths):
            # At most a block and a frame begin in any two pixel columns of a row.
            starts = columns["start"][columns["depth"] == depth]
            bins = np.floor((starts[starts >= low] - low) / (2 * pixel))
            narrow = (columns["end"] - columns["start"])[columns["depth"] == depth] < pixel
            assert max(np.bincount(bins[narrow[starts >= low]].astype(int)), default=0) <= 2


def test_a_window_keeps_to_its_rows_and_marks_blocks_of_matches() -> None:
    index = FlameIndex.of(random_flame(1, 400))
    matching = np.array([name == "f3" for name in index.names])
    window = index.window(0, index.total, 4, (2, 4), matching)
    columns = window.columns
    assert set(columns["depth"].tolist()) == {2, 3}
    assert window.depths > 4
    names, depths = index.name, np.repeat(np.arange(len(index.first) - 1), np.diff(index.first))
    for depth in (2, 3):
        found = bool(matching[names[depths == depth]].any())
        assert columns["match"][columns["depth"] == depth].any() == found


def test_no_answer_grows_beyond_what_a_message_carries() -> None:
    count = 3 * MAX_ITEMS
    table = pa.table(
        {
            "depth": np.zeros(count, np.int64),
            "name": pa.array([f"f{row % 7}" for row in range(count)]),
            "kind": pa.array(["python"] * count),
            "calls": np.ones(count, np.int64),
            "offset_us": np.arange(count, dtype=float),
            "total_us": np.ones(count),
            "self_us": np.ones(count),
        }
    )
    index = FlameIndex.of(table)
    window = index.window(0, count, 16_384, (0, 9), np.zeros(7, bool))
    assert len(window.columns["depth"]) <= MAX_ITEMS
    assert window.columns["count"].sum() == count


def test_nothing_is_nothing() -> None:
    empty = random_flame(0, 1).slice(0, 0)
    index = FlameIndex.of(empty)
    assert index.total == 0
    assert index.window(0, 1, 100, (0, 9), np.zeros(0, bool)).depths == 0


@pytest.fixture(scope="module")
def profile() -> nbprof.Profile:
    return nbprof.load(SAMPLES)


@pytest.fixture
def sample(open_page: Any, profile: nbprof.Profile) -> Page:
    return open_page(profile, run=GPU, view="modules")


@pytest.mark.parametrize("by", ["host", "device", "bytes"])
@pytest.mark.parametrize("order", ["left_heavy", "time"])
def test_what_is_sent_is_the_table(sample: Page, by: str, order: str) -> None:
    reply, buffers = sample.ask(
        "flame", state=sample.state(), by=by, order=order, width=1000, rows=[0, 99]
    )
    result, items = reply["result"], table_of(buffers[0])
    table = sample.view.trace.flame(by=by, order=order)
    unit = "_bytes" if by == "bytes" else "_us"
    width = np.asarray(table[f"total{unit}"], float)
    assert sum(items["count"].to_pylist()) == np.count_nonzero(width > 0)
    assert result["total"] == pytest.approx(
        (np.asarray(table[f"offset{unit}"], float) + width).max()
    )
    assert result["range"] == [0, result["total"]]
    assert len(result["slots"]) == len(result["names"]) == len(result["shades"])
    assert (result["by"], result["order"]) == (by, order)


def test_auto_is_the_device_where_there_is_one(sample: Page) -> None:
    ask = {"state": sample.state(), "width": 100}
    assert sample.result("flame", **ask)["by"] == "device"
    ask["state"] = {"run": CPU, "worker": "worker0", "span": 1, "filter": {}}
    assert sample.result("flame", **ask)["by"] == "host"


def test_matches_are_counted_over_everything(sample: Page) -> None:
    ask = {"state": sample.state(), "width": 300, "by": "host"}
    names = sample.view.trace.flame(by="host")["name"].to_pylist()
    result = sample.result("flame", search="conv", range=[0, 1], **ask)
    assert result["found"] == sum("conv" in name.lower() for name in names)
    assert result["search_valid"]
    result = sample.result("flame", search="/(/", **ask)
    assert (result["found"], result["search_valid"]) == (0, False)


def test_what_is_missing_is_said(sample: Page) -> None:
    state = {"run": CPU, "worker": "worker0", "span": 1, "filter": {}}
    empty = sample.result("flame", state=state, by="device", width=100)["empty"]
    assert "ProfilerActivity.CUDA" in empty
    nothing = sample.state(name="nothing like it")
    assert "filter" in sample.result("flame", state=nothing, by="host", width=100)["empty"]


@pytest.mark.parametrize(
    "params",
    [
        {"by": "hosts"},
        {"order": "wide"},
        {"width": 0},
        {"width": "wide"},
        {"range": [1]},
        {"range": [0, float("1e999")]},
        {"range": "all"},
        {"rows": [4, 2]},
    ],
)
def test_what_makes_no_sense_is_refused(sample: Page, params: dict[str, Any]) -> None:
    asked = {"state": sample.state(), "width": 100, **params}
    assert sample.error("flame", **asked)["type"] == "RequestError"


def test_frames_have_the_colours_that_the_timeline_gives_them(sample: Page) -> None:
    ask = {"state": sample.state(), "by": "host", "width": 4000}
    flame = sample.result("flame", **ask)
    slots = dict(zip(flame["names"], flame["slots"], strict=True))
    layout = sample.result("timeline", state=sample.state(), group_by="thread")
    window = {"start_ns": layout["start_ns"], "end_ns": layout["end_ns"], "width": 16_000}
    slices = sample.result(
        "slices", state=sample.state(), group_by="thread", rows=[[0, 30]], **window
    )
    there = dict(zip(slices["names"], slices["slots"], strict=True))
    assert slots["Sequential_0"] == there["nn.Module: Sequential_0"]
    shared = set(slots) & set(there)
    assert len(shared) > 5
    assert {name: slots[name] for name in shared} == {name: there[name] for name in shared}


def test_the_traits_are_checked_and_a_range_belongs_to_one_graph(sample: Page) -> None:
    view = sample.view
    assert (view.flame_by, view.flame_order, view.flame_range) == ("auto", "left_heavy", None)
    with pytest.raises(TraitError, match="Did you mean 'device'"):
        view.flame_by = "devic"
    with pytest.raises(TraitError, match="left_heavy, time"):
        view.flame_order = "right"
    with pytest.raises(TraitError, match="flame_range"):
        view.flame_range = [3, 3]
    view.flame_range = (5, 900)
    assert view.flame_range == [5, 900]
    view.search = "conv"
    assert view.flame_range == [5, 900]
    for change in ({"flame_by": "host"}, {"flame_order": "time"}, {"filter": {"steps": [3, 3]}}):
        view.flame_range = [5, 900]
        for name, value in change.items():
            setattr(view, name, value)
        assert view.flame_range is None, change
    sample.save(flame_by="bytes", flame_range=[1, 2])
    assert (view.flame_by, view.flame_range) == ("bytes", [1, 2])


def test_a_view_starts_where_it_is_told_to(open_page: Any, profile: nbprof.Profile) -> None:
    page = open_page(
        profile, nbprof.ModulesView, flame_by="host", flame_order="time", flame_range=[10, 20]
    )
    view = page.view
    assert (view.active, view.views, view.flame_range) == ("modules", ["modules"], [10, 20])
    assert view.figures == {}
