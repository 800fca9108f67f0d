"""The notebook about Ascend NPUs and Paddle runs from top to bottom and shows what it says."""

from __future__ import annotations

from typing import Any

import pytest

import nbprof
from tests.docs.test_notebooks import ROOT, VIEW, data, run, text

VIEWS = (
    "npu-show",
    "npu-kernels-view",
    "npu-memory-view",
    "distributed-show",
    "timeline-show",
    "paddle-show",
    "paddle-operators",
)
#: Cells with a table, and how many rows it has.
TABLES = {
    "npu-steps": 3,
    "npu-operators": 6,
    "npu-kernels": 5,
    "npu-memory": 4,
    "distributed-tables": 3,
    "distributed-ops": 2,
    "paddle-stages": 3,
    "torch-stages": 6,
    "paddle-phases": 6,
    "paddle-memory": 5,
}


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return run(ROOT / "notebooks" / "npu_and_paddle.ipynb", tmp_path_factory.mktemp("notebook"))


def test_nothing_complains(cells: dict[str, Any]) -> None:
    for name, cell in cells.items():
        for output in cell.outputs:
            assert output.output_type != "error", name
            assert output.get("name") != "stderr", (name, output.text)


def test_every_cell_shows_something(cells: dict[str, Any]) -> None:
    named = {name for name in cells if "-" in name}
    assert named == set(VIEWS) | set(TABLES)


@pytest.mark.parametrize("name", VIEWS)
def test_views_are_drawn(cells: dict[str, Any], name: str) -> None:
    shown = data(cells[name])[-1]
    assert shown.keys() == {VIEW, "text/html", "text/plain"}
    run_name = "paddle_cpu_convnet" if name.startswith("paddle") else "npu_convnet_synthetic"
    assert shown["text/plain"].startswith(f"Run {run_name}, ")


@pytest.mark.parametrize("name", TABLES)
def test_tables_have_rows(cells: dict[str, Any], name: str) -> None:
    body = data(cells[name])[-1]["text/html"].partition("<tbody>")[2]
    assert body.count("<tr") == TABLES[name]
    assert "NaN" not in body


def test_the_figures_are_those_of_the_samples(cells: dict[str, Any]) -> None:
    trace = nbprof.load(ROOT / "samples" / "npu_convnet_synthetic", progress=False).trace()
    free = trace.npu_steps()["free_us"][0].as_py()
    assert f"{free:.3f}" in text(cells["npu-steps"])
    # The faster NPU waits for the slower one, as the notebook says.
    waits = data(cells["distributed-tables"])[-1]["text/plain"].splitlines()[2:]
    assert all(float(row.split()[1]) > float(row.split()[2]) for row in waits)


def test_the_text_has_what_the_view_has(cells: dict[str, Any]) -> None:
    shown = text(cells["npu-show"])
    assert "the NPU is idle" in shown
    assert "NPU by its recorder, mean of 3 steps\n" in shown
    assert "  computing 1.3 ms, only communicating 0.1 ms, both <0.1 ms, free 1.2 ms" in shown
