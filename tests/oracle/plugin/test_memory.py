"""Memory tables compared with the TensorBoard plugin, with reasons for the differences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from nbprof.model.links.nesting import nearest_ancestor
from nbprof.model.names.roles import named
from tests.oracle.differences import complaints, load
from tests.oracle.plugin import memory as plugin_memory
from tests.oracle.plugin.memory import TOOL, memory_figures
from tests.oracle.test_reasons import differing, without
from tests.oracle.traces import EXACT, MEMORY, open_oracle

if TYPE_CHECKING:
    from pathlib import Path

    from tests.oracle.traces import Oracle

EVALUATE = "autograd::engine::evaluate_function: "
#: Nodes whose forward operators are in a module.
INSIDE = (
    "AddBackward0",
    "AddmmBackward0",
    "ConvolutionBackward0",
    "MeanBackward1",
    "NativeBatchNormBackward0",
    "ReluBackward0",
    "TBackward0",
    "ViewBackward0",
)
#: And in another trace, those whose are in none.
OUTSIDE = ("MeanBackward0", "PowBackward0")


@pytest.mark.parametrize("trace", MEMORY)
def test_all_differences_are_known(trace: str, shared_oracle: Path, shared_data: Path) -> None:
    oracle = open_oracle(TOOL, trace, shared_oracle, shared_data)
    figures = list(memory_figures(oracle))
    assert len(figures) > 300
    assert complaints(TOOL, trace, figures) == []


def test_nothing_is_listed_for_the_exact_traces() -> None:
    traces = {place.trace for place in load() if place.tool == TOOL}
    assert traces <= set(MEMORY) - set(EXACT)
    assert not any(trace.startswith("tracelens") for trace in traces)


def without_backward(oracle: Oracle, names: tuple[str, ...]) -> Oracle:
    """Remove the backward slices of some autograd nodes, as the plugin in effect does."""
    found = named(
        oracle.model,
        "host",
        lambda name: name.startswith(tuple(EVALUATE + one for one in names)),
    )
    inside = nearest_ancestor(oracle.model.nesting.parent, found) >= 0
    return without(oracle, "host", found | inside)


def test_moved_backward(shared_oracle: Path, shared_data: Path) -> None:
    oracle = open_oracle(TOOL, "torchcpu_convnet_dl", shared_oracle, shared_data)
    assert len(differing(plugin_memory.operators(oracle))) > 30
    assert differing(plugin_memory.operators(without_backward(oracle, INSIDE))) == []


def test_lost_backward(shared_oracle: Path, shared_data: Path) -> None:
    oracle = open_oracle(TOOL, "torchcpu_memtimeline", shared_oracle, shared_data)
    assert len(differing(memory_figures(oracle))) > 30
    assert differing(memory_figures(without_backward(oracle, OUTSIDE))) == []


def test_memory_in_no_total(shared_oracle: Path, shared_data: Path) -> None:
    """Without its records the curve is theirs, but for the corners that they draw for them."""
    oracle = open_oracle(TOOL, "torchcpu_convnet_dl", shared_oracle, shared_data)
    memory = oracle.model.tables["memory"]
    change, total = (memory[name].to_numpy() for name in ("bytes", "total_allocated"))
    zero = (total == 0) & np.isin(np.abs(change), (64, 55296))
    assert zero.sum() == 10
    figures = list(plugin_memory.peak(without(oracle, "memory", zero)))
    assert len(figures) == 2
    assert differing(figures) == []
