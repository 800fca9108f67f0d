"""The quickstart notebook runs from top to bottom, with and without PyTorch."""

from __future__ import annotations

import copy
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
VIEW = "application/vnd.jupyter.widget-view+json"

# What a notebook without PyTorch finds, wherever the tests run: nothing to import.
WITHOUT_TORCH = """
import importlib.util
import sys

sys.modules["torch"] = None
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "torch" else found(name, *rest)
"""


def read(path: Path) -> Any:
    nbformat = pytest.importorskip("nbformat")
    return nbformat.read(path, as_version=4)


def run(path: Path, folder: Path, before: str = "") -> dict[str, Any]:
    """Execute a copy of the notebook beside the samples; return the cells by id."""
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    shutil.copytree(ROOT / "notebooks", folder / "notebooks")
    (folder / "samples").symlink_to(ROOT / "samples", target_is_directory=True)
    notebook = copy.deepcopy(read(path))
    setup = f"import sys\nsys.path.insert(0, {str(ROOT)!r})\n{before}"
    notebook.cells.insert(0, nbformat.v4.new_code_cell(setup))
    client = nbclient.NotebookClient(
        notebook,
        timeout=180,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder / "notebooks")}},
    )
    client.execute()
    return {cell.id: cell for cell in notebook.cells if cell.cell_type == "code"}


def data(cell: Any) -> list[dict[str, str]]:
    return [output.data for output in cell.outputs if "data" in output]


def text(cell: Any) -> str:
    streams = [output.text for output in cell.outputs if output.output_type == "stream"]
    return "".join(streams + [one.get("text/plain", "") for one in data(cell)])


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_is_committed_without_outputs(path: Path) -> None:
    notebook = read(path)
    pytest.importorskip("nbformat").validate(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert cell.outputs == []
            assert cell.execution_count is None
            assert cell.source.strip()


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    path = ROOT / "notebooks" / "quickstart.ipynb"
    return run(path, tmp_path_factory.mktemp("quickstart"), WITHOUT_TORCH)


@pytest.mark.parametrize("name", ["show", "record", "filtered-view", "diff-show", "single"])
def test_views_are_drawn(cells: dict[str, Any], name: str) -> None:
    assert any(VIEW in one for one in data(cells[name]))


def test_nothing_complains(cells: dict[str, Any]) -> None:
    for name, cell in cells.items():
        for output in cell.outputs:
            assert output.output_type != "error", name
            assert output.get("name") != "stderr", (name, output.text)


def test_the_gpu_sample_comes_first(cells: dict[str, Any]) -> None:
    assert "gpu_gpt" in text(cells["show"])


def test_without_pytorch_the_sample_stands_in(cells: dict[str, Any]) -> None:
    assert "PyTorch is not installed here" in text(cells["record"])


def test_tables_have_rows(cells: dict[str, Any]) -> None:
    for name in ("filter", "operators", "kernels", "steps", "changes"):
        # on a slow machine a progress bar may stand beside the table
        assert any(one.get("text/html", "").count("<tr") > 2 for one in data(cells[name])), name
    assert text(cells["advice"]).count("[") >= 3
    assert "kernel running" in text(cells["meaning"])


def test_figures_are_drawn(cells: dict[str, Any]) -> None:
    assert any("application/vnd.bokehjs_exec.v0+json" in one for one in data(cells["layout"]))
    assert "cdn.bokeh.org" not in str(cells["bokeh"].outputs)


def test_records_where_pytorch_is(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="needs PyTorch to record a profile")
    assert sys.modules["torch"]
    cells = run(ROOT / "notebooks" / "quickstart.ipynb", tmp_path)
    assert "not installed" not in text(cells["record"])
    assert any(VIEW in one for one in data(cells["record"]))
