"""Notebooks run by nbclient and papermill: the outputs left for readers."""

from __future__ import annotations

import base64
import contextlib
import getpass
import re
import uuid
import zlib
from typing import TYPE_CHECKING, Any

import nbformat
import pytest

from tests.support.recordings.hostile import UNKNOWN, hostile_logs
from tests.support.recordings.runs import RUNS

if TYPE_CHECKING:
    from pathlib import Path

nbclient = pytest.importorskip("nbclient")
papermill = pytest.importorskip("papermill")

SAMPLES = str(RUNS)
VIEW = "application/vnd.jupyter.widget-view+json"
STATE = "application/vnd.jupyter.widget-state+json"


def notebook(*cells: str) -> nbformat.NotebookNode:
    """Make a notebook; the first cell holds its parameters, as papermill calls them."""
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    made.cells[0].metadata.tags = ["parameters"]
    made.metadata.kernelspec = {
        "name": "python3",
        "display_name": "Python 3",
        "language": "python",
    }
    return made


def shown(cell: Any) -> dict[str, str]:
    """Return what a cell displays, by kind."""
    (output,) = [
        out for out in cell.outputs if out.output_type in {"execute_result", "display_data"}
    ]
    return output["data"]


def assert_readable(ran: nbformat.NotebookNode) -> None:
    """Hold that the output of every view says what it shows, in text and in HTML."""
    cells = [cell for cell in ran.cells if "nbprof.show" in cell.source]
    assert cells
    for cell in cells:
        data = shown(cell)
        assert "Run gpu_resnet_synthetic" in data["text/plain"]
        assert "38.4" in data["text/plain"]  # ms, the average step
        assert max(map(len, data["text/plain"].splitlines())) <= 100
        assert len(data["text/plain"].splitlines()) <= 60
        assert "gpu_resnet_synthetic" in data["text/html"]
        assert "<table" in data["text/html"]
        assert "data:image/svg+xml;base64," in data["text/html"]
        assert len(data["text/html"].encode()) <= 200_000
    text = nbformat.writes(ran)
    assert "model not found" not in text
    assert "Error displaying widget" not in text


CELLS = (
    f"folder = {SAMPLES!r}\nname = None",
    "import nbprof\nnbprof.show(folder, name=name)",
    "nbprof.diagnose()",
)


def test_nbclient_keeps_text_html_and_state() -> None:
    ran = notebook(*CELLS)
    nbclient.NotebookClient(ran, timeout=120, kernel_name="python3").execute()
    assert_readable(ran)
    data = shown(ran.cells[1])
    state = ran.metadata.widgets[STATE]["state"]
    assert data[VIEW]["model_id"] in state
    assert "asked; this line changes" in shown(ran.cells[2])["text/plain"]


# Papermill asks traitlets and the standard library in ways that newer ones advise against.
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_papermill_fills_in_parameters_and_keeps_text_and_html(tmp_path: Path) -> None:
    source, target = tmp_path / "report.ipynb", tmp_path / "made.ipynb"
    nbformat.write(notebook(*CELLS), source)
    given = {"folder": SAMPLES, "name": "conv"}
    papermill.execute_notebook(source, target, parameters=given, progress_bar=False)
    ran = nbformat.read(target, as_version=4)
    assert_readable(ran)
    assert ran.metadata.widgets[STATE]["state"]
    assert "conv" in shown(next(c for c in ran.cells if "nbprof.show" in c.source))["text/plain"]


def test_a_static_report_has_no_widget_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NBPROF_RENDERER", "static")
    ran = notebook(*CELLS[:2])
    nbclient.NotebookClient(ran, timeout=120, kernel_name="python3").execute()
    assert_readable(ran)
    assert VIEW not in shown(ran.cells[1])
    assert not ran.metadata.get("widgets", {}).get(STATE, {}).get("state")


def test_a_saved_notebook_tells_nothing_that_was_not_passed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = str(uuid.uuid4())
    monkeypatch.setenv("NBPROF_TEST_SECRET", secret)
    monkeypatch.setenv("NBPROF_CACHE_DIR", str(tmp_path / "cache"))
    folder = tmp_path / "a-private-place"
    hostile_logs(folder / "logs")
    cells = (
        "import nbprof\nview = nbprof.show('logs')\nview",
        "nbprof.TimelineView('logs')",
        "view.static()",
    )
    ran = notebook(*cells)
    resources = {"metadata": {"path": str(folder)}}
    client = nbclient.NotebookClient(ran, timeout=120, kernel_name="python3", resources=resources)
    client.execute()
    text = nbformat.writes(ran)
    state = ran.metadata.widgets[STATE]["state"]
    buffers = [buffer["data"] for model in state.values() for buffer in model.get("buffers", [])]
    kept = b"".join(_unpacked(base64.b64decode(data)) for data in buffers)
    assert b"aten::" in kept
    for word in (secret, "a-private-place", "NBPROF_TEST_SECRET", UNKNOWN, getpass.getuser() + "@"):
        assert word not in text, word
        assert word.encode() not in kept, word
    assert "logs" in text


def _unpacked(data: bytes) -> bytes:
    """Return bytes with what is compressed in them: plain Arrow and JSON, to look for names in."""
    found = [data]
    for start in (hit.start() for hit in re.finditer(rb"\x78[\x01\x5e\x9c\xda]", data)):
        with contextlib.suppress(zlib.error):
            found.append(zlib.decompressobj().decompress(data[start:]))
    return b"".join(found)
