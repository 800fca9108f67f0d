"""The trait `averages_by`: the grouping of PyTorch's table, in saved state and in summaries."""

from __future__ import annotations

import re
from typing import Any

import pytest
from traitlets import TraitError

import nbprof
from tests.conftest import ROOT

SAMPLE = ROOT / "samples" / "torch_cpu_convnet"


def test_it_is_checked_observed_and_saved() -> None:
    view = nbprof.Explorer(SAMPLE, view="operators")
    assert view.averages_by == ""
    seen: list[Any] = []
    view.observe(lambda change: seen.append(change["new"]), "averages_by")
    view.averages_by = "name+shape"
    assert seen == ["name+shape"]
    assert view.get_state()["averages_by"] == "name+shape"
    with pytest.raises(TraitError, match=re.escape("averages_by")):
        view.averages_by = "shape"
    assert nbprof.OperatorsView(SAMPLE, averages_by="name").averages_by == "name"


def test_the_summary_has_the_first_rows() -> None:
    view = nbprof.Explorer(SAMPLE, view="operators")
    averages = view.trace.key_averages()
    shown = view.static()._repr_html_()
    assert f"As PyTorch prints it: {averages.num_rows} rows" in shown
    assert f"and {averages.num_rows - 5} rows more" in shown
