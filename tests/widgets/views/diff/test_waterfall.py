"""The waterfall: bars follow each other from one total to the other, on a round scale."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from nbprof.charts.svg.drawing import draw_svg
from nbprof.charts.theme import PALETTES
from nbprof.charts.waterfall import scale, waterfall


def row(kind: str, begin: float, end: float, **more: Any) -> dict[str, Any]:
    """Return a row of the table ``waterfall``."""
    change = kind in ("change", "rest")
    plain = {"kind": kind, "category": None, "name": None, "change": None, "delta_pct": None}
    return {
        **plain,
        "from_us": begin if change else 0.0,
        "to_us": end,
        "delta_us": end - begin if change else None,
        **more,
    }


ROWS = [
    row("baseline", 0, 100_000),
    row("change", 100_000, 130_000, category="Kernel", name="aten::mm", change="up", delta_pct=30),
    row("change", 130_000, 110_000, category="Other", change="down", delta_pct=-20),
    row("rest", 110_000, 111_000),
    row("candidate", 0, 111_000),
]


def drawn(rows: list[dict[str, Any]], **options: Any) -> Any:
    return waterfall(pa.Table.from_pylist(rows), **options)


def columns(chart: Any, name: str) -> dict[str, Any]:
    return next(mark.source.columns for mark in chart.layers() if mark.source.name == name)


def test_each_bar_begins_where_the_last_one_ends() -> None:
    chart = drawn(ROWS)
    boxes = columns(chart, "waterfall")
    assert boxes["left"][1] == pytest.approx(boxes["right"][0])
    assert boxes["right"][2] == pytest.approx(boxes["right"][1])
    assert boxes["left"][2] == pytest.approx(boxes["left"][3])
    assert boxes["right"][3] == pytest.approx(boxes["right"][4])
    assert boxes["color"] == ["allocated", "memcpy", "kernel", "remainder", "allocated"]
    texts = chart.labels.source.columns["text"]
    assert "+30.0 (+30.0 %)" in texts
    assert "Other time" in texts
    assert all(0 <= x <= chart.width for x in (*boxes["left"], *boxes["right"]))


def test_the_scale_starts_close_to_small_changes() -> None:
    assert scale(ROWS) == (0.0, 130_000) or scale(ROWS)[0] > 0
    low, high = scale(
        [row("baseline", 0, 1000), row("change", 1000, 1010), row("candidate", 0, 1010)]
    )
    assert (990 < low < 1000, high) == (True, 1010)
    low, high = scale([row("baseline", 0, 10), row("change", 10, 1000), row("candidate", 0, 1000)])
    assert (low, high) == (0.0, 1000)
    assert scale([]) == (0.0, 1.0)


def test_it_is_drawn_in_all_sizes_and_units() -> None:
    for rows in (ROWS, ROWS[:1], [row("baseline", 0, 0), row("candidate", 0, 0)]):
        for width in (200, 632, 1400):
            for unit in ("auto", "ns", "us", "ms", "s"):
                svg = draw_svg(drawn(rows, width=width, unit=unit), PALETTES["light"])
                assert svg.width == width
