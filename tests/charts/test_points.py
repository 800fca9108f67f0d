"""Points on logarithmic axes below roofs: places, areas, what can be pointed at, both drawings."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

import nbprof
from nbprof.charts.cards.card_charts import chart_of, svg_of
from nbprof.charts.cards.cards import CardChart
from nbprof.charts.cards.roofline import TABLES, roofline_card
from nbprof.charts.figures.template import figure_parts
from nbprof.charts.marks import BubbleMark, LineMark
from nbprof.charts.text import text_width
from nbprof.charts.theme import palette
from tests.conftest import ROOT

if TYPE_CHECKING:
    from nbprof.charts.chart import Chart

CHART = CardChart(
    "points", "roofline", "costs", "name",
    (("bf16", "bf16", "slot1"), ("fp32", "fp32", "slot0")),
    by="type", value="us", picks="name", across="intensity", up="rate",
    axes=("FLOP/byte", "TFLOP/s"), roofs=(("bf16", "slot1", 1000.0, 2.0),),
)  # fmt: skip
TABLE = pa.table(
    {
        "name": ["gemm", "<b>add</b>", "none", "zero"],
        "type": ["bf16", "fp32", None, "fp32"],
        "us": [400.0, 100.0, 50.0, 10.0],
        "intensity": [500.0, 0.1, None, 0.0],
        "rate": [500.0, 0.1, 1.0, 1.0],
    }
)


def columns(chart: Chart) -> dict[str, Any]:
    (mark,) = [one for one in chart.marks if isinstance(one, BubbleMark) and one.tips]
    return mark.source.columns


def test_places_follow_the_logarithm_and_areas_the_value() -> None:
    chart = chart_of(CHART, TABLE, width=680)
    data = columns(chart)
    assert data["name"] == ["gemm", "<b>add</b>"]  # rows without a place are not drawn
    # four decades from 0.1 to 1000 between 56 and 656 px, the ridge at 500 included
    assert data["x"][1] == pytest.approx(56)
    assert data["x"][0] == pytest.approx(56 + (math.log10(500) + 1) / 4 * 600)
    # 0.1 to 10,000 between 40 and 354 px from below
    assert data["y"][1] == pytest.approx(40)
    assert data["y"][0] == pytest.approx(40 + (math.log10(500) + 1) / 5 * 314)
    assert data["down"] == pytest.approx([chart.height - y for y in data["y"]])
    assert np.square(data["radius"]) == pytest.approx([256, 64])
    assert data["color"] == ["slot1", "slot0"]
    assert data["of"] == ["50.0 %", "-"]  # 500 of the flat roof of 1000; no roof of its own type


def test_a_roof_rises_to_its_ridge() -> None:
    chart = chart_of(CHART, TABLE, width=680)
    (roofs,) = [m for m in chart.marks if isinstance(m, LineMark) and m.source.name == "roofs"]
    (xs,), (ys,) = roofs.source.columns["xs"], roofs.source.columns["ys"]
    ridge = 56 + (math.log10(500) + 1) / 4 * 600
    assert xs == pytest.approx([56, ridge, 656])
    # 0.1 FLOP/byte · 2 TB/s = 0.2 TFLOP/s
    assert ys[0] == pytest.approx(40 + (math.log10(0.2) + 1) / 5 * 314)
    assert ys[1] == ys[2] == pytest.approx(40 + 4 / 5 * 314)


def test_points_outside_a_filter_are_muted() -> None:
    data = columns(chart_of(CHART, TABLE.slice(0, 1), width=680, whole=TABLE))
    assert data["muted"].tolist() == [0, 1]
    assert data["color"] == ["slot1", "remainder"]


def test_without_points_the_chart_says_so() -> None:
    chart = chart_of(CHART, TABLE.slice(0, 0), width=680)
    assert "Nothing to show" in chart.labels.source.columns["text"]
    assert chart.items is None


def test_drawings_have_the_points() -> None:
    drawn = svg_of(CHART, TABLE, palette("light"))
    assert drawn is not None
    assert str(drawn).count("<circle") == 4  # two points, two of the legend
    assert "<b>" not in str(drawn)
    parts = figure_parts(chart_of(CHART, TABLE, width=680), "dark")
    headings = [one["heading"] for one in parts.columns.values() if "heading" in one]
    assert headings == [["gemm", "&lt;b&gt;add&lt;/b&gt;"]]


def test_without_shapes_the_view_says_why_and_what_the_device_can_reach() -> None:
    trace = nbprof.load(ROOT / "tests/samples/gpu_resnet_synthetic").trace()
    tables = {name: trace.table(name) for name in TABLES}
    tables["operator_costs"] = tables["operator_costs"].slice(0, 0)
    card = roofline_card(tables, "Nothing has shapes")
    assert card is not None
    assert card.table == "device_peaks"
    assert not card.charts
    assert card.note == "Nothing has shapes; what the device can reach:"
    unknown = {**tables, "device_peaks": tables["device_peaks"].slice(0, 0)}
    assert roofline_card(unknown) is None


def boxes(chart: Chart) -> list[tuple[float, float, float, str]]:
    """Return left, right and middle of the texts between the axes, and the texts."""
    labels = [chart.labels.source.columns[key] for key in ("x", "y", "text", "align")]
    found = []
    for x, y, text, align in zip(*labels, strict=True):
        wide = text_width(text)
        left = {"left": x, "right": x - wide, "center": x - wide / 2}[align]
        if left >= 56 and 40 <= y <= chart.height - 26:
            found.append((left, left + wide, y, text))
    return found


def test_no_text_is_on_a_point_or_another_text() -> None:
    """A crowd of points at the roof: 400 around it, where names and the roof's text would be."""
    random = np.random.default_rng(7)
    count = 400
    table = pa.table(
        {
            "name": [f"aten::operator_{at % 90}" for at in range(count)],
            "type": ["bf16"] * count,
            "us": random.uniform(1, 400, count),
            "intensity": 10 ** random.uniform(2, 4, count),
            "rate": 10 ** random.uniform(2, 3.1, count),
        }
    )
    chart = chart_of(CHART, table, width=680)
    texts, data = boxes(chart), columns(chart)
    assert any(text == "bf16 1,000 TFLOP/s" for *_, text in texts)
    for left, right, middle, text in texts:
        x, y, radius = (np.asarray(data[key]) for key in ("x", "y", "radius"))
        across = np.maximum(np.maximum(left - x, x - right), 0)
        up = np.maximum(np.abs(y - middle) - 6, 0)
        assert not (np.hypot(across, up) < radius).any(), text
        for other_left, other_right, other, name in texts:
            if name != text:
                apart = abs(middle - other) >= 13 or right <= other_left or other_right <= left
                assert apart, (text, name)


def test_points_are_operators_or_kernels() -> None:
    """The kernels of an operator have its cost in proportion to their times."""
    trace = nbprof.load(ROOT / "tests/samples/gpu_resnet_synthetic").trace()
    card = roofline_card({name: trace.table(name) for name in TABLES})
    assert card is not None
    (switch,) = card.switches
    assert [label for _, label in switch.options] == ["Operators", "Kernels"]
    sums = {}
    for group_by, label in switch.options:
        (chart,) = card.shown({switch.key: group_by})
        table = trace.operator_costs(group_by=group_by)
        drawn = columns(chart_of(chart, table, width=900))
        placed = [row for row in table.to_pylist() if row["tflops_per_s"] and row["intensity"]]
        assert sorted(drawn["name"]) == sorted(row[chart.x] for row in placed), label
        sums[label] = sum(row["flops"] or 0 for row in table.to_pylist())
    assert sums["Kernels"] == pytest.approx(sums["Operators"], rel=1e-9)


@pytest.mark.parametrize(
    ("devices", "words"),
    [(["Ascend NPU", "Ascend NPU"], "calls the device “Ascend NPU”"), ([""], "does not name")],
)
def test_without_peaks_the_card_says_what_the_device_is_called(
    devices: list[str], words: str
) -> None:
    trace = nbprof.load(ROOT / "tests/samples/gpu_resnet_synthetic").trace()
    tables = {name: trace.table(name) for name in TABLES}
    tables["device_peaks"] = tables["device_peaks"].slice(0, 0)
    card = roofline_card(tables, devices=devices)
    assert card is not None
    assert words in card.note
    assert "nbprof.options.device_peaks" in card.note


def test_without_bytes_the_card_says_why_there_are_no_points() -> None:
    """Shapes were recorded without types, and no kernel shows them."""
    trace = nbprof.load(ROOT / "tests/samples/gpu_resnet_synthetic").trace()
    tables = {name: trace.table(name) for name in TABLES}
    costs = tables["operator_costs"]
    place = costs.schema.get_field_index("intensity")
    bare = pa.nulls(costs.num_rows, pa.float64())
    tables["operator_costs"] = costs.set_column(place, "intensity", bare)
    card = roofline_card(tables)
    assert card is not None
    assert not card.charts
    assert "types were not recorded" in card.note
