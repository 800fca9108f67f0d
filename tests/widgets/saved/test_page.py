"""`to_html`: where it writes, size limits, and errors."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import nbprof
from nbprof.analysis.steps.step_parts import StepParts
from nbprof.export.page import PageError
from nbprof.model.filters.filter import Filter
from nbprof.tables import TABLES
from nbprof.widgets.saved import page
from nbprof.widgets.saved.tables import words
from nbprof.widgets.views.registry import VIEWS
from tests.support.programs.offline import header
from tests.support.recordings.runs import RUNS

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel


@pytest.fixture(scope="module")
def view() -> nbprof.Explorer:
    return nbprof.Explorer(RUNS, run="torch_cpu_convnet")


@pytest.mark.parametrize(
    ("name", "error"),
    [(".", IsADirectoryError), ("no/report.html", FileNotFoundError)],
)
def test_a_place_is_looked_at_before_anything_is_made(
    view: nbprof.Explorer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    error: type[OSError],
) -> None:
    monkeypatch.setattr(page, "page_html", lambda *_: pytest.fail("a page was made"))
    with pytest.raises(error) as caught:
        view.to_html(tmp_path / name)
    assert caught.value.filename == str(tmp_path / name)


@pytest.mark.parametrize("size", ["5MB", float("inf"), float("nan"), []])
def test_a_size_is_a_number_of_bytes(view: nbprof.Explorer, tmp_path: Path, size: Any) -> None:
    with pytest.raises(PageError, match="max_bytes takes a number of bytes, not "):
        view.to_html(tmp_path / "report.html", max_bytes=size)


def test_a_page_is_never_larger_than_allowed(view: nbprof.Explorer, tmp_path: Path) -> None:
    path = tmp_path / "small.html"
    with pytest.raises(PageError, match=r"takes at least .* but max_bytes is 630,000") as caught:
        view.to_html(path, max_bytes=630_000)
    assert not path.exists()
    needed = int(str(caught.value).split("at least ")[1].split(" ")[0].replace(",", ""))
    view.to_html(path, max_bytes=needed + 1000)
    assert path.stat().st_size <= needed + 1000


def test_what_is_left_out_is_called_what_the_views_call_it(view: nbprof.Explorer) -> None:
    assert words("kernels", "properties") == "Kernels by name and launch"
    made = page.page_state(view._session, view._state(), "overview", 4400, {})
    said = header(made)["left_out"]
    assert "The flame graph of host time, left-heavy, is left out." in said
    assert "Averages of steps are left out." in said
    assert "Memory peaks are left out." in said


def parts_of_mine(model: TraceModel, table: pa.Table, group_by: str, filter_: Filter) -> StepParts:
    """Return what each step adds to the table `mine`: one of its two calls."""
    assert (table.num_rows, group_by, filter_) == (1, "", Filter())
    numbers = model.steps.number[:2]
    cells = pa.table({"step": numbers, "row": [0, 0], "calls": [1.0, 1.0]})
    return StepParts(cells, {"calls": ["sum", "calls"]}, [["calls", "desc"]])


@pytest.mark.parametrize(("function", "is_there"), [("parts_of_mine", True), ("nothing", False)])
def test_tables_of_others_are_filtered_on_pages(
    view: nbprof.Explorer, function: str, is_there: bool
) -> None:
    spec = nbprof.TableSpec(
        "mine",
        "calls",
        (nbprof.Column("calls", pa.int64(), "", "Calls"),),
        lambda _, __: pa.table({"calls": [2]}),
        step_parts=f"{__name__}:{function}",
    )
    nbprof.register(spec)
    nbprof.register(nbprof.ViewSpec(name="own", title="Own", tables=("mine",)))
    expected = nullcontext() if is_there else pytest.warns(nbprof.ExtensionWarning, match="'mine'")
    try:
        with expected:
            made = page.page_state(view._session, view._state(), "own", 10**6, {})
    finally:
        VIEWS.unregister("own")
        TABLES.unregister("mine")
    entries = header(made)["entries"]
    assert entries["tables"]["about"]["mine"] == {"adds_up": True}
    assert "table:mine:" in entries
    assert ("partials:mine:" in entries) == is_there
