"""`show`: a view in a notebook, text elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import nbprof
from nbprof.export.text.summary import COLUMNS, LINES
from tests.support.summaries import trace_text

from .conftest import write_trace

VIEW = "application/vnd.jupyter.widget-view+json"


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("nbprof.widgets.show", "nbprof.widgets.saved.summary"):
        monkeypatch.setattr(f"{module}.in_kernel", lambda: True)


def test_outside_a_notebook_the_summary_is_printed(logs: Path, capsys: Any) -> None:
    view = nbprof.show(logs, view="operators", steps=(1, 2))
    printed = capsys.readouterr().out
    assert printed == trace_text(view.trace) + "\n"
    assert "Filtered to steps 1 to 2" in printed
    assert view.table.num_rows == 3
    assert view._repr_mimebundle_() == {"text/plain": repr(view)}, "printed once, not twice"
    view.close()
    nbprof.show(logs, steps=(1, 2), time_unit="ns").close()
    assert "900,000 ns" in capsys.readouterr().out


@pytest.mark.usefixtures("kernel")
def test_in_a_notebook_the_view_carries_the_summary(logs: Path, capsys: Any) -> None:
    view = nbprof.show(logs, theme="dark")
    assert capsys.readouterr().out == ""
    data, _ = view._repr_mimebundle_()
    assert data["text/plain"] == trace_text(view.trace)
    assert data[VIEW]["model_id"] == view.model_id
    assert view.theme == "dark"
    view.close()


@pytest.mark.usefixtures("kernel")
def test_a_large_trace_is_not_read_for_the_text_alone(
    logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nbprof.options, "read_at_once_bytes", 10)
    view = nbprof.show(logs)
    data, _ = view._repr_mimebundle_()
    assert "not read before" in data["text/plain"]
    assert not view.trace.is_read
    assert view.table.num_rows
    assert view._repr_mimebundle_()[0]["text/plain"] == trace_text(view.trace)
    view.close()


def test_an_empty_directory_raises_in_a_script(tmp_path: Path) -> None:
    with pytest.raises(nbprof.TraceNotFoundError):
        nbprof.show(tmp_path)


@pytest.mark.usefixtures("kernel")
def test_an_empty_directory_is_shown_in_a_notebook(tmp_path: Path) -> None:
    view = nbprof.show(tmp_path)
    data, _ = view._repr_mimebundle_()
    assert tmp_path.name in data["text/plain"]
    assert str(tmp_path.parent) not in data["text/plain"]
    assert VIEW in data
    assert [type(e.error) for e in view.errors] == [nbprof.TraceNotFoundError]
    assert "No " in repr(view)
    assert str(tmp_path.parent) not in repr(view)
    view.close()


@pytest.mark.usefixtures("kernel")
def test_a_trace_that_cannot_be_read_is_still_displayed(logs: Path) -> None:
    view = nbprof.show(logs)
    Path(view.trace.path).write_text("broken")
    data, _ = view._repr_mimebundle_()
    assert VIEW in data
    assert "summary:" in data["text/plain"]
    assert isinstance(view.errors[0].error, nbprof.NbprofError)
    view.close()


def test_the_text_says_what_matters_on_one_page(logs: Path) -> None:
    text = trace_text(nbprof.load(logs).trace())
    lines = text.splitlines()
    assert lines[0] == "Run runA, worker worker0, span 1"
    assert lines[1].startswith("3 steps, ")
    for part in ("Average step", "Kernel ", "aten::conv2d", "conv_fwd (float)", "GPU 0 Test GPU"):
        assert part in text
    assert "void " not in text


def test_the_text_keeps_to_its_page_whatever_the_names(tmp_path: Path) -> None:
    path = write_trace(tmp_path / "worker0.1700000000001.pt.trace.json", steps=tuple(range(1, 40)))
    nasty = "x" * 500 + "\\u001b[31m"
    path.write_text(path.read_text().replace("add_kernel", nasty).replace("Test GPU", "G" * 300))
    for fields in ({}, {"name": "y" * 300}, {"steps": (90, 99)}, {"steps": 3}):
        lines = trace_text(nbprof.load(path).trace().filter(**fields)).splitlines()
        assert 0 < len(lines) <= LINES
        assert max(map(len, lines)) <= COLUMNS
        assert all(line.isprintable() for line in lines)


def test_a_cpu_trace_has_host_times(logs: Path) -> None:
    text = trace_text(nbprof.load(logs).trace("runB"))
    assert "Operators by host self time" in text
    assert "Kernels" not in text
