"""The tutorial finds what it says that it finds, and its last run is faster than its first."""

from __future__ import annotations

from typing import Any

import pytest

from tests.docs.test_notebooks import ROOT, VIEW, WITHOUT_TORCH, data, run, text

NOTEBOOK = ROOT / "notebooks" / "tutorial.ipynb"


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    pytest.importorskip("torch", reason="needs PyTorch to record a profile")
    return run(NOTEBOOK, tmp_path_factory.mktemp("tutorial"))


@pytest.mark.parametrize("name", ["before", "python-profile", "fast", "diff"])
def test_views_are_drawn(cells: dict[str, Any], name: str) -> None:
    assert any(VIEW in one for one in data(cells[name]))


def test_each_fault_is_found_where_the_text_says(cells: dict[str, Any]) -> None:
    # By calls: which rows take longest depends on the machine, how often they run does not.
    lines = text(cells["lines-table"]).splitlines()
    for operator in ("aten::mul", "aten::sub", "aten::to"):
        line = next(one for one in lines if f" {operator} " in one)
        assert "<listcomp>" in line or ": prepared" in line
    assert "6144" in text(cells["lines-table"])  # rows of pictures in four steps
    labels = text(cells["labels-table"]).split("host_self_us")[0].splitlines()
    mask = next(line.split() for line in labels if " mask " in line)
    assert float(mask[-1]) > 5  # % of all self time
    memory = text(cells["memory-table"]).splitlines()[1].split()
    assert memory[1] == "aten::mul"
    assert int(memory[2]) > 4 * 8 * 1_000_000
    assert "nonzero" in text(cells["python-table"])


def test_it_is_faster_in_the_end(cells: dict[str, Any]) -> None:
    step = text(cells["diff-table"]).splitlines()[-1].split()
    assert step[-1] == "down"
    assert "2 traces" in text(cells["files"])


def test_without_pytorch_it_says_what_to_do(tmp_path: Any) -> None:
    errors = pytest.importorskip("nbclient.exceptions")
    with pytest.raises(errors.CellExecutionError, match="needs PyTorch"):
        run(NOTEBOOK, tmp_path, WITHOUT_TORCH)
