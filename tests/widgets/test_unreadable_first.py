"""A first file that cannot be read is replaced by the next one, unless it was requested."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof import TraceFormatError

if TYPE_CHECKING:
    from pathlib import Path

CUT = '{"traceEvents": ['


@pytest.fixture
def cut_first(logs: Path) -> Path:
    """Return the folder of logs with a file cut off at its start, the first worker of runA."""
    (logs / "runA" / "a.1700000000001.pt.trace.json").write_text(CUT)
    return logs


def test_the_next_trace_is_shown(open_page: Any, cut_first: Path) -> None:
    page = open_page(cut_first)
    assert page.view.worker == "a"
    error = page.error("trace", state=page.state())
    assert "cut off" in error["message"]
    assert page.updates()["worker"] == page.view.worker == "worker0"
    assert page.result("trace", state=page.state())["worker"] == "worker0"
    catalog = page.result("catalog")
    [run] = [one for one in catalog["runs"] if one["run"] == "runA"]
    assert [one["worker"] for one in run["workers"]] == ["worker0", "worker1"]
    assert any("cut off" in row["reason"] for row in catalog["skipped"])


def test_a_trace_that_was_asked_for_stays(open_page: Any, cut_first: Path) -> None:
    page = open_page(cut_first, worker="a")
    assert "cut off" in page.error("trace", state=page.state())["message"]
    assert page.view.worker == "a"


def test_the_summary_in_a_script_is_of_the_next_trace(
    cut_first: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nbprof.show(cut_first)
    assert "worker worker0" in capsys.readouterr().out
    with pytest.raises(TraceFormatError, match="cut off"):
        nbprof.show(cut_first, worker="a")


def test_where_no_file_can_be_read_the_error_is_raised(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.pt.trace.json").write_text(CUT)
    with pytest.raises(TraceFormatError, match="cut off"):
        nbprof.show(tmp_path)
