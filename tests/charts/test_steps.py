"""Step bars: exact values for any number of steps, and legible labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from bokeh.models import BoxSelectTool, HoverTool, TapTool

from nbprof.analysis.steps.steps import STEPS
from nbprof.model.contract.table import make_table
from nbprof.model.trace.kinds import CATEGORIES
from tests.charts.support import (
    STEP_MS,
    assert_legible,
    boxes,
    columns,
    names_of_sources,
    payload,
    source,
    step_breakdown,
    steps,
    texts,
)

if TYPE_CHECKING:
    import pyarrow as pa


def replaced(table: pa.Table, **columns: object) -> pa.Table:
    data = {name: columns.get(name, table[name]) for name in table.column_names}
    return make_table(STEPS, data)


def test_source_holds_exact_values_in_the_unit_of_the_axis() -> None:
    table = steps(7)
    drawn = step_breakdown(table)
    assert drawn.name == "steps"
    data = columns(drawn, "steps")
    assert list(data["step"]) == list(range(5, 12))
    assert list(data["total"]) == [v / 1e3 for v in table["total_us"].to_pylist()]
    for name in CATEGORIES:
        exact = [v / 1e3 for v in table[f"{name}_us"].to_pylist()]
        assert list(data[name]) == exact
    assert not data["communication"].any()
    assert "ms" in texts(drawn)


def edge(spec: Any) -> list[str]:
    """Return the columns whose sum is the edge of bars."""
    if spec == 0:
        return []
    return [spec.field] if hasattr(spec, "field") else list(spec.expr.fields)


def test_bars_are_stacked_in_order_with_hatched_idle() -> None:
    drawn = step_breakdown(steps(3))
    bars = {r.name: r.glyph for r in drawn.renderers if r.name in CATEGORIES}
    stack = list(CATEGORIES)
    assert list(bars) == stack
    for i, name in enumerate(stack):
        assert edge(bars[name].top) == stack[: i + 1]
        assert edge(bars[name].bottom) == stack[:i]
        pattern = bars[name].hatch_pattern
        assert (pattern and pattern.value) == ("/" if name == "other" else None)


@pytest.mark.parametrize("width", [300, 420, 632, 1000])
@pytest.mark.parametrize("count", [0, 1, 2, 6, 24, 25, 100, 1000])
def test_nothing_cut_nothing_overlapping(width: int, count: int) -> None:
    for means in (STEP_MS, (1, 1, 1, 1, 1, 1, 1, 1), (0, 0, 0, 0, 0, 0, 5e4, 1)):
        assert_legible(step_breakdown(steps(count, means=means), width=width))
    assert_legible(step_breakdown(steps(count, first=99_990), width=width))


@pytest.mark.parametrize("scale", [1e-6, 1e-3, 0.1, 10, 1e3, 1e6])
@pytest.mark.parametrize("unit", ["auto", "us", "ms", "s"])
def test_any_magnitude_in_any_unit(scale: float, unit: str) -> None:
    drawn = step_breakdown(steps(6, means=[scale * m for m in STEP_MS]), unit=unit)
    assert_legible(drawn)
    ticks = [b.text for b in boxes(drawn) if b.right < 0.5 * drawn.width and b.low > 40][:5]
    assert len(set(ticks)) == len(ticks)


def test_totals_over_bars_up_to_24_steps() -> None:
    table = steps(6)
    drawn = step_breakdown(table)
    assert texts(drawn, "totals") == [f"{v / 1e3:.1f}" for v in table["total_us"].to_pylist()]
    assert "totals" in names_of_sources(step_breakdown(steps(24, means=[0.01] * 8)))
    assert "totals" not in names_of_sources(step_breakdown(steps(25)))
    assert "totals" not in names_of_sources(step_breakdown(steps(24), width=300))  # no room


def test_every_nth_step_is_labelled_where_there_are_many() -> None:
    few, many = texts(step_breakdown(steps(6))), texts(step_breakdown(steps(100, first=0)))
    assert {"5", "6", "7", "8", "9", "10"} <= set(few)
    assert {"10", "20", "90"} <= set(many)
    assert "11" not in many
    gaps = replaced(steps(4), step=[3, 4, 20, 21])
    assert {"3", "4", "20", "21"} <= set(texts(step_breakdown(gaps)))


def test_mean_is_that_of_the_complete_steps() -> None:
    table = replaced(steps(3), total_us=[1000.0, 3000.0, 9000.0], complete=[True, True, False])
    drawn = step_breakdown(table)
    mean = next(r for r in drawn.renderers if r.name == "mean")
    assert {y for ys in mean.data_source.data["ys"] for y in ys} == {2.0}
    assert mean.glyph.line_dash == [3, 3]
    assert "mean 2.0" in texts(drawn)
    assert columns(drawn, "steps")["recorded"] == ["in full", "in full", "in part"]
    assert "mean 2.0" in texts(step_breakdown(table, width=400))
    assert not [t for t in texts(step_breakdown(table, mean=False)) if "mean" in t]
    none = replaced(table, complete=[False] * 3)
    assert "mean 4.3" in texts(step_breakdown(none))


def test_segments_are_named_beside_the_last_bar() -> None:
    beside = {b.text for b in boxes(step_breakdown(steps(6))) if b.left > 520}
    assert {"Kernel", "Memcpy", "Runtime", "DataLoader", "CPU Exec"} <= beside
    assert not {"Memset", "Communication"} & beside  # under 1 %, and not there
    narrow = texts(step_breakdown(steps(6), width=400))
    assert not set(CATEGORIES.values()) & set(narrow)


def test_every_step_can_be_selected_even_where_pixels_are_shared() -> None:
    drawn = step_breakdown(steps(3000))
    bars = next(r for r in drawn.renderers if r.name == "bars")
    assert bars.data_source is source(drawn, "steps")
    assert len(bars.data_source.data["step"]) == 3000
    for tool in (TapTool, BoxSelectTool, HoverTool):
        assert drawn.select_one(tool).renderers == [bars]
    brush = drawn.select_one(BoxSelectTool)
    assert brush.dimensions == "width"
    assert drawn.toolbar.active_drag is brush


def test_the_slowest_step_of_a_pixel_is_drawn() -> None:
    total = np.full(5000, 1000.0)
    total[[1234, 4999]] = 9000.0
    table = replaced(steps(5000), total_us=total, kernel_us=total)
    drawn = step_breakdown(table)
    kept = columns(drawn, "drawn")
    assert {1234, 4999} <= set(kept["index"])
    assert len(kept["index"]) <= 480
    assert len(kept["kernel"]) == len(kept["index"])
    assert any("the slowest of every" in text for text in texts(drawn))
    assert len(columns(drawn, "steps")["total"]) == 5000


def test_all_zero_and_null_values() -> None:
    zero = replaced(steps(4), **{c.name: [0.0] * 4 for c in STEPS if c.name.endswith("_us")})
    drawn = step_breakdown(zero)
    assert_legible(drawn)
    assert texts(drawn, "totals") == ["0.0"] * 4
    null = replaced(steps(4), **{f"{name}_us": [None] * 4 for name in CATEGORIES})
    data = columns(step_breakdown(null), "steps")
    assert not any(data[name].any() for name in CATEGORIES)


def test_no_steps() -> None:
    drawn = step_breakdown(steps(0))
    assert "No steps" in texts(drawn)
    assert "steps" not in names_of_sources(drawn)
    payload(drawn)


@pytest.mark.parametrize(("count", "most"), [(6, 40_000), (1000, 250_000), (10_000, 1_200_000)])
def test_size_of_what_is_sent(count: int, most: int) -> None:
    table = steps(count, means=[1, 2, 3, 4, 5, 6, 7, 8])
    assert len(payload(step_breakdown(table))) < most


def test_huge_step_numbers() -> None:
    drawn = step_breakdown(steps(3, first=2**40))
    assert list(columns(drawn, "steps")["step"]) == [2.0**40, 2.0**40 + 1, 2.0**40 + 2]
    assert str(2**40) in texts(drawn)


def test_a_single_step_is_one_bar_whose_parts_say_their_shares() -> None:
    table = replaced(
        steps(1),
        total_us=[1000.0],
        **{f"{name}_us": [0.0] for name in CATEGORIES},
    )
    table = replaced(table, kernel_us=[900.0], cpu_exec_us=[95.0], other_us=[3.0], memset_us=[2.0])
    drawn = step_breakdown(table, width=632)
    assert drawn.height < 100
    written = texts(drawn)
    assert {"Step 5", "1.0 ms", "90.0 %", "Kernel", "9.5 %", "CPU Exec"} <= set(written)
    assert {"0.5 %", "2 others"} <= set(written)  # both under 1 %
    assert "Whole recording" in texts(step_breakdown(table, mean=False))
    data = columns(drawn, "steps")
    assert list(data["kernel_to"]) == [pytest.approx(0.9 * 632)]
    # Another step that the filter leaves out is drawn beside it, as ever.
    assert "Step" in texts(step_breakdown(table, whole=steps(3)))
