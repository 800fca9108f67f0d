"""Tables compared with the TensorBoard plugin on every trace with its output."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.oracle.differences import complaints, load
from tests.oracle.plugin.figures import plugin_figures
from tests.oracle.traces import EXACT, PLUGIN, open_oracle

if TYPE_CHECKING:
    from pathlib import Path

TOOL = "kineto_plugin"


@pytest.mark.parametrize("trace", EXACT)
def test_every_figure_of_resnet50_is_equal(
    trace: str, shared_oracle: Path, shared_data: Path
) -> None:
    figures = list(plugin_figures(open_oracle(TOOL, trace, shared_oracle, shared_data)))
    assert len(figures) > 3000
    assert [figure for figure in figures if not figure.equal] == []


@pytest.mark.parametrize("trace", [name for name in PLUGIN if name not in EXACT])
def test_all_differences_are_known(trace: str, shared_oracle: Path, shared_data: Path) -> None:
    figures = list(plugin_figures(open_oracle(TOOL, trace, shared_oracle, shared_data)))
    assert len(figures) > 400
    assert complaints(TOOL, trace, figures) == []


def test_nothing_is_listed_for_traces_that_are_not_compared() -> None:
    traces = {place.trace for place in load() if place.tool == TOOL}
    assert traces <= set(PLUGIN) - set(EXACT)
