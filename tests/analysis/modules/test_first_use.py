"""The tree of modules is computed when something of modules is asked for, not on loading."""

from __future__ import annotations

import nbprof
from nbprof.analysis.modules.modules import modules
from nbprof.widgets.hints.hints import holdings
from tests.conftest import ROOT


def test_modules_wait_for_their_first_use() -> None:
    """Neither the first tables nor the list of what a trace holds needs them."""
    trace = nbprof.load(ROOT / "samples" / "torch_cpu_convnet", cache=False).trace()
    model = trace.model
    _ = model.nesting, model.links, model.steps
    for table in ("steps", "overview", "device_summary", "operators", "kernels"):
        trace.table(table)
    assert holdings(model)["modules"]
    assert "module tree" not in model._cache
    assert modules(model).num_rows
    assert "module tree" in model._cache
