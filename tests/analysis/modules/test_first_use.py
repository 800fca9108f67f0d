"""The module tree is computed on first use, not while loading."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import nbprof
from nbprof.analysis.modules.modules import modules
from nbprof.widgets.hints.hints import holdings
from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path


def test_modules_wait_for_their_first_use(tmp_path: Path) -> None:
    """Neither the first tables nor the list of what a trace holds needs them."""
    # A copy: profiles of one file share what was read and computed of it.
    logs = shutil.copytree(ROOT / "samples" / "torch_cpu_convnet", tmp_path / "logs")
    trace = nbprof.load(logs, cache=False).trace()
    model = trace.model
    _ = model.nesting, model.links, model.steps
    for table in ("steps", "overview", "device_summary", "operators", "kernels"):
        trace.table(table)
    assert holdings(model)["modules"]
    assert "module tree" not in model._cache
    assert modules(model).num_rows
    assert "module tree" in model._cache
