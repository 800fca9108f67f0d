"""The memory chart: the content of a pixel column, and the labels around the curves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from nbprof.analysis.memory.curve import MEMORY_CATEGORIES, MEMORY_CURVE
from nbprof.analysis.memory.peak import MEMORY_PEAK
from nbprof.charts.theme import palette
from nbprof.model.contract.table import make_table
from tests.charts.support import (
    assert_legible,
    columns,
    memory_curve,
    names_of_sources,
    payload,
    steps,
    texts,
)

GIB = 2.0**30


def tables(
    *devices: tuple[str, int | None, list[float], list[float], list[float] | None],
    capacity: int | None = None,
) -> tuple[pa.Table, pa.Table]:
    """Return ``memory_curve`` and ``memory_peak`` of devices: kind, number, µs, bytes, reserved."""
    curve: dict[str, list[Any]] = {c.name: [] for c in MEMORY_CURVE}
    peak: dict[str, list[Any]] = {c.name: [] for c in MEMORY_PEAK}
    for kind, number, times, sizes, reserved in devices:
        count = len(times)
        curve["device_type"] += [kind] * count
        curve["device"] += [number] * count
        curve["component"] += [None] * count
        curve["time_us"] += times
        curve["allocated_bytes"] += [int(size) for size in sizes]
        curve["reserved_bytes"] += reserved or [None] * count
        at = int(np.argmax(sizes))
        most = capacity if kind == "gpu" else None
        row = (kind, number, int(sizes[at]), None, times[at], most)
        for name, value in zip(peak, row, strict=True):
            peak[name].append(value)
    return make_table(MEMORY_CURVE, curve), make_table(MEMORY_PEAK, peak)


def gpu(
    sizes: list[float], reserved: list[float] | None = None, **options: Any
) -> tuple[pa.Table, pa.Table]:
    times = [1000.0 * index for index in range(len(sizes))]
    return tables(("gpu", 0, times, sizes, reserved), **options)


def test_a_peak_between_two_pixels_is_drawn_and_nothing_is_averaged() -> None:
    random = np.random.default_rng(7)
    sizes = random.integers(0, 2**30, 50_000).astype(np.float64)
    sizes[31_234] = 3 * GIB
    sizes[40_000] = 0
    drawn = memory_curve(*gpu(sizes.tolist()), range_us=(0, 50_000_000), width=640)
    found = columns(drawn, "allocated GPU 0")
    plane = drawn.tags[0]
    room = 640 - plane["left"] - plane["right"]
    assert len(found["time"]) <= round(room) + 1
    assert max(found["high"]) == 3.0
    assert min(found["low"]) == 0.0
    # Every column against the records that fall into it, one by one.
    count = round(room)
    for index in (0, 1, count // 3, count - 1):
        start, end = (k * 50_000_000_001 // count for k in (index, index + 1))
        inside = [sizes[k] / GIB for k in range(50_000) if start <= k * 1_000_000 < end]
        carried = sizes[max(0, -(-start // 1_000_000) - (start % 1_000_000 != 0))] / GIB
        assert found["high"][index] == max([*inside, carried])
        assert found["low"][index] == min([*inside, carried])
        assert found["last"][index] == inside[-1]


def test_axes_have_the_unit_and_the_peak_its_value() -> None:
    drawn = memory_curve(
        *gpu([0.3 * GIB, 2.89 * GIB, 0.25 * GIB], [3 * GIB] * 3), steps(2), range_us=(0, 3000)
    )
    shown = texts(drawn)
    assert "GiB" in shown
    assert "Time, ms" in shown
    assert "Reserved 3.00" in shown
    assert "Allocated 0.25" in shown
    assert texts(drawn, "totals") == ["Peak 2.89 GiB"]
    assert columns(drawn, "peaks") == {"x": [1.0], "y": [pytest.approx(2.89)]}
    assert drawn.name == "memory"


def heights(reserved: float) -> tuple[float, float]:
    """Return the heights of the peak's label and of a dashed line at so many GiB, in pixels."""
    drawn = memory_curve(*gpu([GIB, 2.6 * GIB, GIB], [reserved * GIB] * 3), range_us=(0, 3000))
    pixel = (drawn.y_range.end - drawn.y_range.start) / drawn.height
    return columns(drawn, "totals")["y"][0] / pixel, reserved / pixel


def test_no_dashed_line_runs_through_the_label_of_the_peak() -> None:
    for reserved in (2.0, 2.65, 2.7, 2.75, 2.8):
        label, line = heights(reserved)
        assert abs(label - line) >= 7, reserved
    assert heights(2.7)[0] > heights(2.0)[0]


def test_reserved_memory_starts_where_it_is_known_and_is_left_out_where_it_is_nothing() -> None:
    drawn = memory_curve(*gpu([1.0, 2.0, 3.0], [None, 8, 8]), range_us=(0, 3000))  # type: ignore[list-item]
    assert min(columns(drawn, "reserved GPU 0")["time"]) == 1.0
    cpu = memory_curve(*gpu([1.0, 2.0], [0, 0]))
    assert "reserved GPU 0" not in names_of_sources(cpu)


def test_the_capacity_has_a_line_only_if_the_peak_is_over_half_of_it() -> None:
    much = memory_curve(*gpu([1.0, 9.0 * GIB], capacity=int(16 * GIB)))
    assert columns(much, "capacity")["ys"] == [[16.0, 16.0]]
    assert "Capacity 16.00" in texts(much)
    little = memory_curve(*gpu([1.0, 7.9 * GIB], capacity=int(16 * GIB)))
    assert "capacity" not in names_of_sources(little)


def test_the_inks_are_those_of_memory_and_reserved_is_dashed() -> None:
    for theme in ("light", "dark"):
        drawn = memory_curve(*gpu([1.0, 2.0], [4, 4]), theme=theme)
        lines = {r.name: r.glyph for r in drawn.renderers}
        assert lines["allocated GPU 0"].line_color == palette(theme).allocated
        assert lines["allocated GPU 0"].line_dash == []
        assert lines["reserved GPU 0"].line_color == palette(theme).reserved
        assert lines["reserved GPU 0"].line_dash


def test_devices_lie_over_each_other_each_with_its_name() -> None:
    times = [0.0, 1000.0, 2000.0]
    both = tables(
        ("cpu", None, times, [1e6, 2e8, 1e6], None),
        ("gpu", 0, times, [1e9, 5e9, 2e9], None),
        ("device20", 1, times, [3e9, 1e9, 1e9], None),
    )
    drawn = memory_curve(*both, range_us=(0, 2500), width=900)
    assert {"allocated CPU", "allocated GPU 0", "allocated device20 1"} <= names_of_sources(drawn)
    inks = {
        r.glyph.line_color
        for r in drawn.renderers
        if str(r.name) in {"allocated CPU", "allocated GPU 0", "allocated device20 1"}
    }
    assert len(inks) == 3
    assert any(text.startswith("device20 1 ") for text in texts(drawn))
    only = both[1].filter(pa.array([False, True, False]))
    assert names_of_sources(memory_curve(both[0], only)) & {"allocated CPU", "allocated GPU 0"} == {
        "allocated GPU 0"
    }


@pytest.mark.parametrize("width", [300, 420, 632, 966])
@pytest.mark.parametrize("count", [1, 6, 40, 1000])
def test_nothing_cut_nothing_overlapping(width: int, count: int) -> None:
    named = steps(count)
    end = named["end_us"].to_pylist()[-1]
    times = [0.0, 0.2 * end, 0.98 * end]
    for sizes in ([1e6, 2e6, 1.5e6], [0.0, 0.0, 0.0], [5.0, 1023.0, 3.0], [1e12, 9e11, 4e12]):
        one = tables(("gpu", 0, times, sizes, [2 * max(sizes) + 1] * 3))
        assert_legible(memory_curve(*one, named, range_us=(0, end), width=width))
    part = memory_curve(*one, named, range_us=(0.4 * end, 0.41 * end), width=width)
    assert_legible(part)


def test_steps_are_named_over_the_range_that_is_shown() -> None:
    named = steps(6)
    starts = named["start_us"].to_pylist()
    sizes = gpu([1.0, 2.0])
    assert {f"Step {n}" for n in range(5, 11)} <= set(
        texts(memory_curve(*sizes, named, range_us=(0, named["end_us"].to_pylist()[-1]), width=966))
    )
    shown = texts(memory_curve(*sizes, named, range_us=(starts[1], starts[3]), width=966))
    assert {"Step 6", "Step 7"} <= set(shown)
    assert not {"Step 5", "Step 8"} & set(shown)


def test_a_range_can_be_tinted_and_is_cut_to_what_is_shown() -> None:
    drawn = memory_curve(*gpu([1.0, 2.0, 1.0]), range_us=(0, 3000), marked_us=(-50, 2000))
    shown = columns(drawn, "range")
    assert (shown["left"], shown["right"]) == ([0.0], [2.0])
    outside = memory_curve(*gpu([1.0]), range_us=(0, 3000), marked_us=(5000, 6000))
    assert "range" not in names_of_sources(outside)


def test_the_page_is_told_where_the_curve_is() -> None:
    drawn = memory_curve(*gpu([1.0, 2 * GIB]), range_us=(500, 2500), width=700)
    plane = drawn.tags[0]
    assert (plane["start_us"], plane["end_us"], plane["bytes"]) == (500, 2500, GIB)
    per_pixel = (drawn.x_range.end - drawn.x_range.start) / 700
    assert drawn.x_range.start + plane["left"] * per_pixel == pytest.approx(0.5, abs=0.01)
    assert drawn.x_range.end - plane["right"] * per_pixel == pytest.approx(2.5, abs=0.01)


def test_no_records_and_a_range_without_length() -> None:
    nothing = tables()
    assert "No memory records" in texts(memory_curve(*nothing))
    assert_legible(memory_curve(*gpu([7.0]), range_us=(5, 5)))


def test_size_of_what_is_sent() -> None:
    random = np.random.default_rng(1)
    sizes = random.integers(0, 2**34, 300_000).astype(np.float64).tolist()
    drawn = memory_curve(*gpu(sizes, sizes), steps(1000), range_us=(0, 3e8), width=1366)
    assert len(payload(drawn)) < 250_000


@pytest.mark.parametrize("width", [388, 700])
def test_categories_are_stacked_under_the_curve_and_named(width: int) -> None:
    rows = [
        (0.0, "parameter", int(GIB)),
        (0.0, "gradient", 0),
        (0.0, "unknown", 0),
        (1000.0, "gradient", int(2 * GIB)),
        (2000.0, "gradient", 0),
    ]
    columns_of = dict(zip(("time_us", "category", "bytes"), zip(*rows, strict=True), strict=True))
    table = make_table(MEMORY_CATEGORIES, {"device": [None] * 5, **columns_of})
    curve = gpu([GIB, 3 * GIB, GIB])
    drawn = memory_curve(*curve, None, table, range_us=(0, 3000), width=width)
    found = columns(drawn, "categories")
    assert set(found) == {"time", "", "parameter", "gradient"}  # not those without any
    at = np.searchsorted(found["time"], 1.5)
    assert [found[name][at] for name in ("", "parameter", "gradient")] == [0, 1, 3]
    assert [found[name][-1] for name in ("", "parameter", "gradient")] == [0, 1, 1]
    assert {"parameter", "gradient"} <= set(texts(drawn))
    assert_legible(drawn)
    assert len(set(columns(drawn, "swatches")["color"])) == 2
    areas = [r.name for r in drawn.renderers if str(r.name).startswith("category ")]
    assert areas == ["category parameter", "category gradient"]


@pytest.mark.parametrize(("left", "words"), [(1000.0, "Allocated <0.01"), (0.0, "Allocated 0.00")])
def test_what_is_left_is_nothing_only_where_it_is_nothing(left: float, words: str) -> None:
    assert words in texts(memory_curve(*gpu([5 * GIB, left]), range_us=(0, 5000)))
