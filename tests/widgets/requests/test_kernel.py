"""A real kernel: the outputs that a cell with `show` leaves in the notebook."""

from __future__ import annotations

from base64 import b64decode
from pathlib import Path

import nbformat
import pytest

from tests.support.programs.offline import header

nbclient = pytest.importorskip("nbclient")
ROOT = Path(__file__).resolve().parents[3]


def test_a_cell_holds_the_view_and_its_summary(logs: Path) -> None:
    cells = [
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\nimport nbprof",
        f"view = nbprof.show({str(logs)!r}, name='conv')\nview",
        f"nbprof.show({str(logs.parent / 'nothing')!r})",
        "print(view.table.num_rows, view.errors)",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    shown = notebook.cells[1].outputs[-1]["data"]
    assert "application/vnd.jupyter.widget-view+json" in shown
    assert "Run runA, worker worker0, span 1" in shown["text/plain"]
    assert "Filtered to name contains “conv”" in shown["text/plain"]
    empty = notebook.cells[2].outputs[-1]["data"]
    assert "application/vnd.jupyter.widget-view+json" in empty
    assert "nothing" in empty["text/plain"]
    assert notebook.cells[3].outputs[0]["text"] == "9 []\n"
    (state,) = notebook.metadata["widgets"].values()
    kept = {
        buffer["path"][0]: b64decode(buffer["data"])
        for model in state["state"].values()
        for buffer in model.get("buffers", [])
        if buffer["data"]
    }
    assert header(kept["snapshot"])["filter"] == {"name": "conv"}, "kept before the cell ended"
    assert not [o for cell in notebook.cells for o in cell.outputs if o.output_type == "error"]
