"""The notebook about clusters runs from top to bottom and finds the slow rank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import ROOT
from tests.docs.test_notebooks import VIEW, data, run, text
from tests.support.recordings.jobs import build_ranks

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    pytest.importorskip("distributed", reason="needs the extra nbprof[dask]")
    folder: Path = tmp_path_factory.mktemp("cluster")
    (folder / "benchmarks").symlink_to(ROOT / "benchmarks", target_is_directory=True)
    # The workers are processes of their own: they find the package where this checkout is.
    before = f"import os\nos.environ['PYTHONPATH'] = {str(ROOT)!r}"
    return run(ROOT / "notebooks" / "cluster.ipynb", folder, before)


def test_nothing_fails(cells: dict[str, Any]) -> None:
    for name, cell in cells.items():
        assert all(output.output_type != "error" for output in cell.outputs), name


def test_all_ranks_are_there(cells: dict[str, Any]) -> None:
    assert "64 traces" in text(cells["load"])
    assert text(cells["cluster"]).startswith("64 ranks read")


def test_the_slow_rank_is_found_and_shown(cells: dict[str, Any]) -> None:
    slow = f"rank{build_ranks.slow_rank(64)}"
    assert text(cells["steps"]).split("\n")[2].startswith(slow)
    assert slow in text(cells["device-time"])
    assert any(VIEW in one for one in data(cells["show"]))


def test_one_and_two_workers_are_compared(cells: dict[str, Any]) -> None:
    assert data(cells["scaling"])[0]["text/html"].count("<tr") == 3
    assert "10,000 ranks of 200 MB are 2 TB" in text(cells["estimate"])
