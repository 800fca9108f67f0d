"""The magics and `nbprof.profile` in a real kernel, with PyTorch itself."""

from __future__ import annotations

from typing import Any

import nbformat
import pytest

from tests.conftest import ROOT

nbclient = pytest.importorskip("nbclient")
pytest.importorskip("torch", reason="needs PyTorch to record profiles")

VIEW = "application/vnd.jupyter.widget-view+json"
CELLS = (
    f"import sys; sys.path.insert(0, {str(ROOT)!r})\n%load_ext nbprof",
    "import torch\nlayer = torch.nn.Linear(8, 8)",
    "%%nbprof -n 2 -o kept\nloss = layer(torch.ones(4, 8)).sum()\nloss.backward()\n20 + 1",
    "print(_, type(loss).__name__, nbprof.load(kept).trace().steps()['step'].to_pylist())",
    "%%nbprof\nreached = True\nlayer(torch.ones(4, 8))\n1 / 0",
    "print(reached)",
    "import nbprof\nwith nbprof.profile() as recording:\n    layer(torch.ones(4, 8))",
    "with nbprof.profile() as recording:\n    layer(torch.ones(4, 8))\nrecording",
    "nbprof.show(recording)",
)


@pytest.fixture(scope="module")
def cells() -> list[Any]:
    code = [nbformat.v4.new_code_cell(text) for text in CELLS]
    code[3].source = "import nbprof\n" + code[3].source
    notebook = nbformat.v4.new_notebook(cells=code)
    client = nbclient.NotebookClient(
        notebook, timeout=180, kernel_name="python3", allow_errors=True
    )
    client.execute()
    found: list[Any] = notebook.cells
    return found


def shown(cell: Any) -> int:
    """Return how many views are in the output of a cell."""
    return sum(VIEW in output.get("data", {}) for output in cell.outputs)


def printed(cell: Any) -> str:
    return "".join(output.get("text", "") for output in cell.outputs)


def test_a_cell_shows_its_profile_and_its_value(cells: list[Any]) -> None:
    assert shown(cells[2]) == 1
    assert cells[2].outputs[-1]["data"]["text/plain"] == "21"
    assert "21 Tensor [0, 1]" in printed(cells[3])


def test_a_cell_that_fails_shows_what_ran_and_the_error(cells: list[Any]) -> None:
    assert shown(cells[4]) == 1
    (error,) = [output for output in cells[4].outputs if output.output_type == "error"]
    assert error["ename"] == "ZeroDivisionError"
    assert "cell_code" not in "".join(error["traceback"])
    assert "True" in printed(cells[5])


def test_a_block_shows_itself_once(cells: list[Any]) -> None:
    assert shown(cells[6]) == 1
    assert shown(cells[7]) == 1, "the recording itself is text"
    assert "1 span recorded" in cells[7].outputs[-1]["data"]["text/plain"]
    assert shown(cells[8]) == 1
