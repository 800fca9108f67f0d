"""Charts of the tables `overview`, `operators` and `kernels`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

import nbprof
from nbprof.charts import rank_kernels, rank_operators
from nbprof.charts.theme import PALETTES
from nbprof.model.trace.kinds import CATEGORIES
from tests.charts.support import (
    STEP_MS,
    WIDTHS,
    assert_legible,
    columns,
    kernel_donuts,
    kernels,
    names_of_sources,
    operator_charts,
    operators,
    overview,
    step_breakdown,
    summary_donut,
    texts,
)

if TYPE_CHECKING:
    from pathlib import Path

    from bokeh.plotting import figure


def colors_by_name(drawn: figure) -> dict[str, str]:
    slices = columns(drawn, "slices")
    return dict(zip(slices["name"], slices["color"], strict=True))


def test_summary_joins_small_categories() -> None:
    drawn = summary_donut(overview())
    slices = columns(drawn, "slices")
    assert slices["name"] == ["Kernel", "DataLoader", "CPU Exec", ""]
    assert slices["label"][-1] == "4 under 2 %"
    assert slices["value"][0] == 98_600.0
    assert sum(slices["value"]) == pytest.approx(1e3 * sum(STEP_MS))
    assert {"177.7 ms", "a step", "55.5 %"} <= set(texts(drawn))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_categories_have_their_colours(theme: str) -> None:
    drawn = summary_donut(overview([1.0] * 8), theme=theme, width=632)
    expected = {title: PALETTES[theme].categories[key] for key, title in CATEGORIES.items()}
    assert colors_by_name(drawn) == expected


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("means", [STEP_MS, [1.0] * 8, [0, 0, 0, 0, 0, 0, 99, 1], [0.0] * 8])
def test_summary_is_legible(width: int, means: list[float]) -> None:
    assert_legible(summary_donut(overview(means), width=width))


def test_summary_without_numbers() -> None:
    table = overview().slice(0, 1)
    assert "slices" not in names_of_sources(summary_donut(table))


def test_four_operator_charts_over_the_whole_table() -> None:
    table = operators()
    made = operator_charts(table)
    assert list(made) == ["device_self", "device_total", "host_self", "host_total"]
    for key, drawn in made.items():
        exact = table[f"{key}_us"].to_pylist()
        slices = columns(drawn, "slices")
        assert slices["value"][:7] == sorted(exact, reverse=True)[:7]
        whole = math.fsum(table[key.replace("total", "self") + "_us"].to_pylist())
        assert slices["pct"] == pytest.approx([100 * v / whole for v in slices["value"]])
        if key.endswith("self"):
            assert len(slices["name"]) == 8
            assert sum(slices["value"]) == pytest.approx(math.fsum(exact))
        else:
            assert len(slices["name"]) == 7, "times that overlap have no remainder"


def test_total_times_are_told_against_all_operators_whatever_the_name_filter() -> None:
    table = operators()
    part = table.slice(3, 4)
    own = columns(operator_charts(part)["device_total"], "slices")
    all_of = columns(operator_charts(part, unnamed=table)["device_total"], "slices")
    rows = zip(all_of["value"], all_of["pct"], all_of["muted"], strict=True)
    kept = [(value, pct) for value, pct, muted in rows if not muted]
    assert [value for value, _ in kept] == own["value"]
    whole = math.fsum(table["device_self_us"].to_pylist())
    assert [pct for _, pct in kept] == pytest.approx([100 * v / whole for v in own["value"]])
    assert kept[0][1] < own["pct"][0]


def test_no_device_charts_without_a_device() -> None:
    assert list(operator_charts(operators(device=False))) == ["host_self", "host_total"]


def test_a_device_without_work_is_an_empty_ring() -> None:
    made = operator_charts(operators(scale=0.0))
    assert list(made) == ["device_self", "device_total", "host_self", "host_total"]
    assert "0.0" in texts(made["device_self"])


def test_no_rows_no_donuts() -> None:
    assert operator_charts(operators().slice(0, 0)) == {}
    assert kernel_donuts(kernels([])) == {}


def test_a_filter_never_recolours() -> None:
    table = operators()
    order = rank_operators(table)
    before = {}
    for drawn in operator_charts(table, top=None, order=order).values():
        before |= colors_by_name(drawn)
    for start in range(0, 70, 9):
        part = table.slice(start, 5)
        for drawn in operator_charts(part, order=order).values():
            for name, color in colors_by_name(drawn).items():
                assert color == before[name]


def test_the_ten_largest_operators_differ() -> None:
    table = operators()
    drawn = operator_charts(table, top=10)["device_self"]
    named = [c for n, c in colors_by_name(drawn).items() if n]
    assert len(set(named)) == 10
    assert set(named) == set(PALETTES["light"].slots)


def test_rank_is_by_device_then_host_time() -> None:
    table = operators(["a", "b", "c"])
    assert rank_operators(table) == ["a", "b", "c"]
    assert rank_operators(operators(["a", "b", "c"], device=False)) == ["b", "c", "a"]


def test_rows_of_one_name_are_one_slice() -> None:
    drawn = operator_charts(operators(["a", "b", "a"]))["device_self"]
    assert columns(drawn, "slices")["value"] == [142_500 * 1.64, 142_500 * 0.8]


@pytest.mark.parametrize("width", WIDTHS)
def test_operators_are_legible(width: int) -> None:
    for drawn in operator_charts(operators(), width=width).values():
        assert_legible(drawn)


def test_kernel_donuts() -> None:
    table = kernels([300.0, 100.0, 600.0], [True, False, False])
    made = kernel_donuts(table)
    assert list(made) == ["total_time", "tensor_cores"]
    slices = columns(made["total_time"], "slices")
    assert slices["value"] == [600.0, 300.0, 100.0]
    assert slices["label"][0] == "kernel_2<float, 2>"
    assert slices["name"][0].startswith("void at::native::kernel_2")
    used = columns(made["tensor_cores"], "slices")
    assert used["name"] == ["not used", "used"]
    assert used["pct"] == pytest.approx([70.0, 30.0])
    assert {"30.0 %", "used"} <= set(texts(made["tensor_cores"]))


def test_tensor_cores_unknown_in_part_or_throughout() -> None:
    part = kernel_donuts(kernels([1.0, 3.0], [None, True]))["tensor_cores"]
    assert columns(part, "slices")["name"] == ["used", "unknown"]
    assert list(kernel_donuts(kernels([1.0, 3.0]))) == ["total_time"]


def test_kernels_of_no_time() -> None:
    made = kernel_donuts(kernels([0.0, 0.0], [True, False]))
    assert {"0.0 %", "used"} <= set(texts(made["tensor_cores"]))
    assert "0.0" in texts(made["total_time"])


def test_filtered_kernels_keep_their_colours() -> None:
    table = kernels([float(i) for i in range(1, 40)])
    before = colors_by_name(kernel_donuts(table, top=None)["total_time"])
    after = colors_by_name(
        kernel_donuts(table.slice(3, 6), order=rank_kernels(table))["total_time"]
    )
    assert all(color == before[name] for name, color in after.items())


def test_each_donut_may_have_its_width() -> None:
    made = kernel_donuts(kernels([1.0], [True]), width={"": 318, "total_time": 632})
    assert [d.width for d in made.values()] == [632, 318]
    assert len({d.height for d in made.values()}) == 1  # they stand in one row
    assert {d.width for d in operator_charts(operators(), width={"": 420}).values()} == {420}


def test_a_real_trace(shared_data: Path) -> None:
    trace = nbprof.load(shared_data / "kineto" / "resnet50_num_workers_0", progress=False).trace()
    step_times = trace.steps()["total_us"].to_pylist()
    drawn = step_breakdown(trace.steps())
    assert list(columns(drawn, "steps")["total"]) == [v / 1e3 for v in step_times]
    assert "mean 177.6" in texts(drawn)
    table = trace.operators()
    figures = [drawn, summary_donut(trace.overview()), *operator_charts(table).values()]
    figures += kernel_donuts(trace.kernels()).values()
    assert len(figures) == 8
    for one in figures:
        assert_legible(one)
    narrowed = trace.filter(steps=(7, 8)).operators()
    before = colors_by_name(operator_charts(table, top=None)["host_self"])
    after = operator_charts(narrowed, order=rank_operators(table))["host_self"]
    shown = {n: c for n, c in colors_by_name(after).items() if n}
    assert shown
    assert all(color == before[name] for name, color in shown.items())
