"""Views as HTML only: `view.static()`, `static=True`, environment variables and defaults."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import ipywidgets
import pytest

import nbprof
from nbprof.export.html.summary import MOST_BYTES
from nbprof.export.text.summary import COLUMNS, LINES
from nbprof.widgets.hints import waiting_time
from tests.export.reading import Reader
from tests.support.summaries import trace_text
from tests.widgets.conftest import FakeComm

if TYPE_CHECKING:
    from collections.abc import Iterator

VIEW = "application/vnd.jupyter.widget-view+json"
FORMS = {"text/html", "text/plain"}


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("NBPROF_RENDERER", raising=False)
    yield
    nbprof.options.reset()


@pytest.fixture(autouse=True)
def kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("nbprof.widgets.show", "nbprof.widgets.saved.summary"):
        monkeypatch.setattr(f"{module}.in_kernel", lambda: True)


@pytest.fixture
def comms(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Give every line to a browser that is opened."""
    opened: list[Any] = []

    def create(**options: Any) -> FakeComm:
        opened.append(options)
        return FakeComm(**options)

    monkeypatch.setattr("comm.create_comm", create)
    return opened


def shown(view: Any) -> dict[str, str]:
    bundle = view._repr_mimebundle_()
    return bundle[0] if isinstance(bundle, tuple) else bundle


def test_a_widget_carries_both_forms(logs: Path) -> None:
    view = nbprof.show(logs)
    data = shown(view)
    assert data.keys() == {VIEW, *FORMS}
    assert "Run the cell for the interactive view." in Reader(data["text/html"]).text
    assert data["text/plain"] == trace_text(view.trace)
    view.close()


def test_a_static_view_is_what_was_on_screen(logs: Path) -> None:
    view = nbprof.show(logs, run="runA", steps=(1, 2))
    static = view.static()
    view.filter = {}
    view.close()
    assert static._repr_mimebundle_() == {"text/html": static.html, "text/plain": static.text}
    assert static._repr_html_() == static.html
    assert repr(static) == static.text
    assert "Filtered to steps 1 to 2" in static.text
    text = Reader(static.html).text
    assert "Filtered to steps 1 to 2" in text
    assert "Run the cell" not in text
    assert len(static.html.encode()) <= MOST_BYTES


def test_a_view_may_be_static_from_the_start(logs: Path, comms: list[Any]) -> None:
    view = nbprof.show(logs, static=True)
    assert isinstance(view, nbprof.Explorer)
    assert shown(view).keys() == FORMS
    seen: list[Any] = []
    view.observe(seen.append, "filter")
    view.filter = {"steps": [3, 3]}
    assert len(seen) == 1
    assert "Filtered to step 3" in shown(view)["text/plain"]
    assert view.table.num_rows
    assert comms == [], "no model that would be saved with the notebook"
    view.close()


@pytest.mark.parametrize("place", ["environment", "options"])
def test_all_views_of_a_program_may_be_static(
    logs: Path, comms: list[Any], place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if place == "environment":
        monkeypatch.setenv("NBPROF_RENDERER", "static")
    else:
        nbprof.options.renderer = "static"
    for view in (nbprof.show(logs), nbprof.KernelsView(logs), nbprof.TimelineView(logs)):
        assert shown(view).keys() == FORMS
        view.close()
    assert comms == []
    view = nbprof.show(logs, static=False)
    assert VIEW in shown(view)
    view.close()


def test_a_view_of_one_thing_has_the_summary_of_it(logs: Path) -> None:
    view = nbprof.KernelsView(logs)
    text = Reader(view.static().html).text
    assert "Kernels by total time" in text
    assert "Operators" not in text
    view.close()


def test_theme_and_unit_are_those_of_the_view_and_by_default_of_the_options(logs: Path) -> None:
    nbprof.options.theme = "dark"
    nbprof.options.time_unit = "s"
    view = nbprof.show(logs)
    assert (view.theme, view.time_unit) == ("dark", "s")
    assert "background:#111111" in view.static().html
    assert "Total, s" in Reader(view.static().html).text
    view.close()
    view = nbprof.OverviewView(logs, theme="light", time_unit="us")
    assert (view.theme, view.time_unit) == ("light", "us")
    view.close()


def test_nanoseconds_are_in_both_forms_of_the_summary(logs: Path) -> None:
    view = nbprof.show(logs, time_unit="ns")
    text = view.static().text
    assert "Average step              900,000 ns  100.0 %" in text
    assert "756,000 ns (100 %)" in text
    assert "Total, ns" in Reader(view.static().html).text
    view.close()


def test_a_trace_of_many_events_is_named_where_a_cell_would_wait(
    logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting_time, "LARGE_ROWS", 10)
    view = nbprof.show(logs)
    assert view.trace.read().is_read
    data = shown(view)
    assert "too large to summarize" in data["text/plain"]
    assert "view.static()" in Reader(data["text/html"]).text
    assert "Operators" in view.static().text
    view.close()


def test_a_large_trace_is_named_until_it_is_read(logs: Path) -> None:
    nbprof.options.read_at_once_bytes = 10
    view = nbprof.show(logs)
    for form in (shown(view)["text/plain"], Reader(shown(view)["text/html"]).text):
        assert "not read before" in form
        assert "view.static()" in form
    assert not view.trace.is_read
    static = view.static()
    assert view.trace.is_read
    assert static.text == trace_text(view.trace) == shown(view)["text/plain"]
    view.close()


def test_a_large_trace_is_read_for_a_static_view(logs: Path) -> None:
    nbprof.options.read_at_once_bytes = 10
    view = nbprof.show(logs, static=True)
    assert "aten::conv2d" in shown(view)["text/plain"]
    view.close()


def test_no_profile_is_said_in_both_forms(tmp_path: Path) -> None:
    for static in (True, False):
        view = nbprof.show(tmp_path / "<b>none<b>", static=static)
        data = shown(view)
        assert "<b>none<b>" in data["text/plain"]
        assert "<b>none<b>" in Reader(data["text/html"]).text
        assert "b" not in Reader(data["text/html"]).elements
        view.close()


def test_a_trace_that_breaks_is_said_in_both_forms(logs: Path) -> None:
    view = nbprof.show(logs, static=True)
    Path(view.trace.path).write_text("broken")
    data = shown(view)
    assert data["text/plain"].startswith("summary:")
    assert Reader(data["text/html"]).text == data["text/plain"]
    assert isinstance(view.errors[0].error, nbprof.NbprofError)
    with pytest.raises(nbprof.NbprofError):
        view.static()
    view.close()


def test_the_summary_is_made_once(logs: Path) -> None:
    view = nbprof.show(logs)
    first = view.static()
    assert view.static() is first
    view.filter = {"steps": [1, 1]}
    assert view.static() is not first
    view.close()


def test_static_views_stand_in_boxes_of_others_as_outputs(logs: Path) -> None:
    view = nbprof.show(logs, static=True)
    box = ipywidgets.HTML(view.static().html)
    assert "aten::conv2d" in box.value
    view.close()


def test_wide_characters_count_as_they_are_shown(tmp_path: Path) -> None:
    from nbprof.export.text.table import cells
    from tests.widgets.conftest import write_trace

    path = write_trace(tmp_path / "worker0.1700000000001.pt.trace.json")
    path.write_text(path.read_text().replace("add_kernel", "\u6a21" * 300))
    trace = nbprof.load(path).trace()
    for narrowed in (trace, trace.filter(name="\u6a21" * 80)):
        lines = trace_text(narrowed).splitlines()
        assert 0 < len(lines) <= LINES
        assert max(map(cells, lines)) <= COLUMNS
