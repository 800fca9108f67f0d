"""Views of other packages in notebooks, saved notebooks, pages and summaries."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tests.support.programs.offline import answers
from tests.widgets.conftest import table_of
from tests.widgets.views.custom import VIEW, kept, shown

if TYPE_CHECKING:
    from pathlib import Path

    from tests.widgets.views.conftest import Register


def test_a_registered_view_is_shown(open_page: Any, logs: Path, register: Register) -> None:
    register(VIEW)
    page = open_page(logs, view="mine")
    assert page.view.active == "mine"
    [tab] = [tab for tab in page.view.tabs if tab["name"] == "mine"]
    assert (tab["title"], tab["script"]) == (VIEW.title, "custom")
    assert [table["nouns"] for table in tab["tables"]] == [["long kernel", "long kernels"]]
    result, buffers = shown(page, state=page.state())
    assert set(result["figures"]) == {"long", "totals"}
    assert result["notes"] == []
    [card] = result["cards"]
    assert (
        table_of(buffers[card["rows"]])["name"].to_pylist() == page.view.table["name"].to_pylist()
    )
    rows = page.result("page", state=page.state(), table="long_kernels")
    assert (rows["total"], rows["sort"]) == (page.view.table.num_rows, ["total", "desc"])
    page.view.selection = [{"name": page.view.table["name"][0].as_py()}]
    assert page.view.selected.num_rows == 1
    assert set(page.view.figures) == {"long", "totals"}
    filtered, _ = shown(page, state=page.state(name="no such kernel"))
    assert filtered["cards"] == []


def test_of_several_tables_one_is_behind_the_view(
    open_page: Any, logs: Path, register: Register
) -> None:
    register(replace(VIEW, tables=("long_kernels", "steps"), cards=lambda _: ()))
    page = open_page(logs, view="mine")
    assert page.view.group_by == "long_kernels"
    assert page.view.table.column_names == ["name", "total"]
    page.view.group_by = "steps"
    assert "step" in page.view.table.column_names


def test_it_has_a_static_summary(open_page: Any, logs: Path, register: Register) -> None:
    register(VIEW)
    view = open_page(logs, view="mine").view
    made = view.static()
    assert "conv_fwd" in made.html
    assert "<img src=x" not in made.html
    assert "kernels that take long" not in made.text
    assert "conv_fwd" in made.text


def test_a_saved_notebook_has_all_but_its_figures(
    open_page: Any, logs: Path, register: Register, tmp_path: Path
) -> None:
    register(VIEW)
    page = open_page(logs, view="mine")
    saved = kept(page)
    charts = ("charts", {"state": page.state(), "view": "mine", "width": 600})
    table = ("page", {"state": page.state(), "table": "long_kernels", "limit": 10})
    drawn, rows = answers(saved, tmp_path, [charts, table])
    assert "drawing" in drawn["result"]["figures"]["long"]
    assert "needs Python" in drawn["result"]["figures"]["totals"]["words"]
    assert rows["result"]["total"] == page.view.table.num_rows


def test_a_page_has_its_figures_while_nothing_is_filtered(
    open_page: Any, logs: Path, register: Register, tmp_path: Path
) -> None:
    register(VIEW)
    page = open_page(logs, view="mine")
    saved = kept(page, no_figures="")
    [drawn] = answers(
        saved, tmp_path, [("charts", {"state": page.state(), "view": "mine", "width": 600})]
    )
    assert drawn["result"]["figures"]["totals"]["doc"]["roots"]


def test_a_page_has_bokeh_only_where_it_fits(
    open_page: Any, logs: Path, register: Register, tmp_path: Path
) -> None:
    page = open_page(logs)
    without = page.view.to_html(tmp_path / "a.html").stat().st_size
    register(VIEW)
    view = open_page(logs, view="mine").view
    assert view.to_html(tmp_path / "b.html").stat().st_size > without + 900_000
    small = view.to_html(tmp_path / "c.html", max_bytes=700_000)
    assert small.stat().st_size <= 700_000
