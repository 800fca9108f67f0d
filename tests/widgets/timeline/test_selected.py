"""Selections of the timeline as tables: slices and areas, from Python and from the browser."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import pytest
import traitlets

import nbprof
from tests.widgets.conftest import Page, table_of

if TYPE_CHECKING:
    from pathlib import Path

#: Kernels of the small trace do not overlap each other; host slices of the first step do.
RANGES = [(0.0, 1e6), (10.0, 620.0), (115.0, 140.5), (505.001, 505.002), (5e6, 6e6)]


@pytest.fixture
def page(open_page: Any, logs: Path) -> Page:
    return open_page(logs, nbprof.TimelineView)


def summary_by_hand(
    rows: list[dict[str, Any]], low: float, high: float, lanes: list[str] | None
) -> dict[tuple[str, str], tuple[int, float]]:
    """Return count and time inside a range by side and name, slice by slice."""
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in rows:
        start, end = row["start_us"], row["start_us"] + row["duration_us"]
        if start < high and end > low and (lanes is None or row["lane"] in lanes):
            found[row["side"], row["name"]].append(min(end, high) - max(start, low))
    return {key: (len(times), sum(times)) for key, times in found.items()}


def by_name(rows: list[dict[str, Any]]) -> dict[tuple[str, str], tuple[int, float]]:
    return {(row["side"], row["name"]): (row["count"], row["total_us"]) for row in rows}


def assert_same(
    found: dict[tuple[str, str], tuple[int, float]],
    expected: dict[tuple[str, str], tuple[int, float]],
) -> None:
    assert found.keys() == expected.keys()
    for key, (count, total) in expected.items():
        assert found[key][0] == count
        assert found[key][1] == pytest.approx(total, abs=1e-6)


def test_the_table_holds_every_slice_of_the_filter(page: Page) -> None:
    view = page.view
    model = view.trace.model
    assert view.table.num_rows == model.tables["host"].num_rows + model.tables["device"].num_rows
    view.filter = {"name": "conv", "steps": [2, 2]}
    assert {row["name"] for row in view.table.to_pylist()} == {
        "aten::conv2d",
        "void conv_fwd<float, 3>(float*, int)",
    }
    assert view.table.equals(view.trace.slices())
    assert view.selected.num_rows == 0
    assert view.selected.column_names == view.table.column_names


def test_selected_slices_are_their_rows_in_order_and_whatever_the_filter(page: Page) -> None:
    view = page.view
    rows = view.table.to_pylist()
    wanted = [rows[-1], rows[3], rows[0]]
    page.save(selection=[{"side": row["side"], "row": row["row"]} for row in wanted])
    assert view.selected.to_pylist() == wanted
    view.filter = {"name": "no such name"}
    assert view.table.num_rows == 0
    assert view.selected.to_pylist() == wanted
    view.selection = [{"side": "host", "row": 10**6}, {"side": "device", "row": len(rows)}]
    assert view.selected.num_rows == 0
    tables = view.trace.model.tables
    view.selection = [{"side": side, "row": tables[side].num_rows} for side in ("host", "device")]
    assert view.selected.num_rows == 0, "the row after the last"


@pytest.mark.parametrize("lanes", [None, ["cpu:1:1"], ["gpu:0:7"], ["gpu:0:7", "cpu:1:1"]])
@pytest.mark.parametrize(("low", "high"), RANGES)
def test_a_selected_area_is_what_lies_in_it(
    page: Page, low: float, high: float, lanes: list[str] | None
) -> None:
    view = page.view
    times = {"start_us": low, "end_us": high}
    view.selection = [{"lane": lane, **times} for lane in lanes] if lanes else [times]
    rows = view.table.to_pylist()
    expected = summary_by_hand(rows, low, high, lanes)
    assert_same(by_name(view.selected.to_pylist()), expected)

    asked = {"start_ns": low * 1000, "end_ns": high * 1000, "lanes": lanes or []}
    reply, (data,) = page.ask("area", state=page.state(), group_by="thread", **asked)
    table = table_of(data)
    assert table.equals(view.selected)
    result = reply["result"]
    for side in ("host", "device"):
        assert result[side] == sum(n for (of, _), (n, _) in expected.items() if of == side)
    assert result["slices"] == result["host"] + result["device"]
    assert (result["rows"], result["names"]) == (table.num_rows, table.num_rows)
    assert len(result["slots"]) == table.num_rows
    totals = table["total_us"].to_pylist()
    assert totals == sorted(totals, reverse=True)


def test_names_of_an_area_have_the_colours_of_the_tables(page: Page) -> None:
    asked = {"start_ns": 0, "end_ns": 3_000_000, "lanes": []}
    reply, (data,) = page.ask("area", state=page.state(), group_by="thread", **asked)
    table = table_of(data)
    keys = zip(table["side"].to_pylist(), table["name"].to_pylist(), strict=True)
    slots = dict(zip(keys, reply["result"]["slots"], strict=True))
    for side, name in (("host", "operators"), ("device", "kernels")):
        answer, (rows,) = page.ask("page", state=page.state(), table=name)
        names = table_of(rows)["name"].to_pylist()
        of_table = dict(zip(names, answer["result"]["slots"], strict=True))
        assert {n: slots[side, n] for n in names} == of_table


def test_an_area_follows_the_other_fields_of_the_filter(page: Page) -> None:
    view = page.view
    rows = view.table.to_pylist()
    page.save(filter={"name": "conv", "time_us": [0, 1]})
    page.save(selection=[{"start_us": 100, "end_us": 1300}])
    conv = [row for row in rows if "conv" in row["name"]]
    expected = summary_by_hand(conv, 100, 1300, None)
    assert_same(by_name(view.selected.to_pylist()), expected)
    asked = {"start_ns": 100_000, "end_ns": 1_300_000, "lanes": []}
    reply, _ = page.ask("area", state=page.state(**view.filter), group_by="thread", **asked)
    assert reply["result"]["slices"] == sum(count for count, _ in expected.values())


def test_an_area_over_lanes_by_module(page: Page) -> None:
    view = page.view
    view.group_by = "module"
    layout = page.result("timeline", state=page.state(), group_by="module")
    keys = [lane["key"] for lane in layout["lanes"]]
    view.selection = [{"lane": key, "start_us": 0, "end_us": 1e6} for key in keys]
    whole = by_name(view.selected.to_pylist())
    assert_same(whole, summary_by_hand(view.table.to_pylist(), 0, 1e6, None))
    view.selection = [{"lane": keys[-1], "start_us": 0, "end_us": 1e6}]
    one = sum(count for count, _ in by_name(view.selected.to_pylist()).values())
    assert one == layout["lanes"][-1]["slices"]
    view.selection = [{"lane": "cpu:1:1", "start_us": 0, "end_us": 1e6}]
    assert view.selected.num_rows == 0, "no lane of this grouping"


def test_filtering_everything_to_an_area(page: Page, logs: Path) -> None:
    page.save(filter={"time_us": [100, 1200]})
    trace = nbprof.load(logs).trace().filter(time_us=(100, 1200))
    assert page.view.trace.operators().equals(trace.operators())
    assert page.view.time_range == [100.0, 1200.0]
    total = page.result("page", state=page.state(time_us=[100, 1200]), table="slices")["total"]
    assert total == trace.slices().num_rows == page.view.table.num_rows > 0


def test_selected_names_are_all_their_slices(page: Page) -> None:
    name = page.view.table["name"][0].as_py()
    page.view.selection = [{"name": name}]
    whole = page.view.trace.table("slices")
    expected = [row for row in whole.to_pylist() if row["name"] == name]
    assert page.view.selected.to_pylist() == expected
    page.view.selection = [{"step": 1}]  # from a chart of another view
    assert page.view.selected.num_rows == 0
    with pytest.raises(traitlets.TraitError, match="slices, names and areas"):
        page.view.selection = [{"name": name}, {"side": "host", "row": 0}]
