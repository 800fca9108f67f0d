"""The reasons in `differences.toml` hold: with the other tool's defect, differences vanish."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING

import numpy as np
import pytest

from nbprof.analysis.devices import device_intervals, kernel_occupancy
from nbprof.analysis.steps import breakdown
from nbprof.model.names.roles import named
from nbprof.model.trace import kinds
from nbprof.model.trace.model import TraceModel
from tests.oracle.differences import load
from tests.oracle.plugin import figures as plugin
from tests.oracle.plugin import modules as plugin_modules
from tests.oracle.plugin import tables as plugin_tables
from tests.oracle.tracelens_figures import tracelens_figures
from tests.oracle.traces import Oracle, open_oracle

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from tests.oracle.figures import Figure

TEN_NAMES = {
    f"{backend}:{call}"
    for backend in ("nccl", "gloo")
    for call in ("broadcast", "reduce", "all_reduce", "all_gather", "reduce_scatter")
}


@pytest.fixture
def opened(shared_oracle: Path, shared_data: Path):  # noqa: ANN201 a factory
    def open_one(trace: str, tool: str = "kineto_plugin") -> Oracle:
        return open_oracle(tool, trace, shared_oracle, shared_data)

    return open_one


@pytest.fixture
def ten_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Recognise communication as the plugin does: ten names, and kernels by External id."""

    def on_host(model: TraceModel) -> npt.NDArray[np.bool_]:
        ranges = np.isin(model.column("host", "kind"), (kinds.OPERATOR, kinds.ANNOTATION))
        return ranges & named(model, "host", TEN_NAMES.__contains__)

    def on_device(model: TraceModel) -> npt.NDArray[np.bool_]:
        ids = model.column("host", "external_id")[on_host(model)]
        is_kernel = model.column("device", "kind") == kinds.KERNEL
        return is_kernel & np.isin(model.column("device", "external_id"), ids[ids > 0])

    monkeypatch.setattr(breakdown, "host_communication", on_host)
    monkeypatch.setattr(breakdown, "device_communication", on_device)


def without(oracle: Oracle, table: str, rows: npt.NDArray[np.bool_]) -> Oracle:
    """Leave rows of a table out of the trace."""
    tables = {**oracle.model.tables, table: oracle.model.tables[table].filter(~rows)}
    return dataclasses.replace(
        oracle, model=TraceModel(tables, oracle.model.metadata, dialect=oracle.model.dialect)
    )


def fresh(oracle: Oracle) -> Oracle:
    """Forget what was computed from the trace."""
    model = TraceModel(oracle.model.tables, oracle.model.metadata, dialect=oracle.model.dialect)
    return dataclasses.replace(oracle, model=model)


def is_kind(oracle: Oracle, kind: int) -> npt.NDArray[np.bool_]:
    return oracle.model.column("host", "kind") == kind


def driver_calls(oracle: Oracle) -> npt.NDArray[np.bool_]:
    by_name = named(oracle.model, "host", lambda name: re.match(r"cu[A-Z]", name) is not None)
    return by_name & is_kind(oracle, kinds.RUNTIME)


def differing(figures: object) -> list[Figure]:
    return [figure for figure in figures if not figure.equal]  # type: ignore[attr-defined]


@pytest.mark.usefixtures("ten_names")
@pytest.mark.parametrize(
    "trace",
    [
        "hta_trace_diff_control",
        "hta_trace_diff_test",
        "torchcpu_ddp_gloo_rank0",
        "torchcpu_ddp_gloo_rank1",
    ],
)
def test_communication(trace: str, opened) -> None:  # noqa: ANN001
    oracle = fresh(opened(trace))
    assert differing(plugin.steps(oracle)) == []
    assert differing(plugin.overview(oracle)) == []


@pytest.mark.usefixtures("ten_names")
def test_communication_with_device_copies_of_annotations(opened) -> None:  # noqa: ANN001
    """What is left is their copies of the annotations on the device (kineto.md §13.2)."""
    left = differing(plugin.steps(fresh(opened("hta_nccl_data"))))
    assert {figure.column for figure in left} == {"communication_us"}
    assert all(0 < figure.theirs - figure.ours < 4 for figure in left)


@pytest.mark.parametrize("trace", ["tracelens_h100_bert-small", "tracelens_h100_Qwen1.5-0.5B"])
def test_driver(trace: str, opened) -> None:  # noqa: ANN001
    oracle = opened(trace)
    oracle = without(oracle, "host", driver_calls(oracle))
    assert differing(plugin.steps(oracle)) == []
    left = differing(
        [*plugin_tables.operator_tables(oracle), *plugin_tables.operator_totals(oracle)]
    )
    # What is left is attention, whose kernels the plugin does not know by name.
    assert all(figure.column.startswith(("tensor_core", "tc_")) for figure in left)
    own = [f for f in left if f.column in {"tensor_core_self_pct", "tc_self_us"}]
    assert all("attention" in str(figure.key) or figure.key == "all" for figure in own)


def test_driver_overhead_and_names_of_tensor_cores(opened) -> None:  # noqa: ANN001
    oracle = opened("tracelens_b200_eager")
    oracle = without(oracle, "host", driver_calls(oracle) | is_kind(oracle, kinds.OVERHEAD))
    left = differing(
        [*plugin_tables.operator_tables(oracle), *plugin_tables.operator_totals(oracle)]
    )
    assert all(figure.column.startswith(("tensor_core", "tc_")) for figure in left)


@pytest.mark.parametrize(
    "trace",
    ["tracelens_h100_bert-small", "tracelens_h100_Qwen1.5-0.5B", "tracelens_b200_eager"],
)
def test_modules_without_driver_and_calls_without_id(trace: str, opened) -> None:  # noqa: ANN001
    oracle = opened(trace)
    oracle = without(oracle, "host", driver_calls(oracle))
    nameless = is_kind(oracle, kinds.RUNTIME) & (oracle.model.column("host", "external_id") < 0)
    taken_out = oracle.model.column("host", "duration_ns")[nameless].sum() / 1000
    (left,) = differing(plugin_modules.modules(without(oracle, "host", nameless)))
    assert left.column == "host_self_us"
    assert left.key.count("/") == 1
    assert left.ours - taken_out == pytest.approx(left.theirs, abs=0.1)


@pytest.mark.parametrize("trace", ["hta_trace_diff_control", "hta_trace_diff_test"])
def test_external_id(trace: str, opened) -> None:  # noqa: ANN001
    """Without any runtime call no kernel has an operator, and own time keeps all."""
    oracle = opened(trace)
    oracle = without(oracle, "host", is_kind(oracle, kinds.RUNTIME))
    left = differing(
        [*plugin_tables.operator_tables(oracle), *plugin_tables.operator_totals(oracle)]
    )
    # The reason "annotation inside" is left, and what it adds to the sum.
    keys = {(figure.key.split()[0], figure.column) for figure in left}
    assert keys <= {("record_param_comms", "host_self_us"), ("all", "host_self_us")}


@pytest.mark.parametrize(
    "trace", sorted({p.trace for p, k in load().items() if k.reason == "made-up step"})
)
def test_made_up_step(trace: str, opened) -> None:  # noqa: ANN001
    oracle = opened(trace)
    gone = is_kind(oracle, kinds.ANNOTATION) | driver_calls(oracle)
    ends = {"start_us", "end_us", "total_us"}
    left = differing(plugin.steps(without(oracle, "host", gone)))
    assert [figure for figure in left if figure.column in ends] == []


def test_pseudo_threads(opened) -> None:  # noqa: ANN001
    """Kernels without a launch are there twice: for the host's step and for the device's copy."""
    oracle = opened("tracelens_h100_Qwen1.5-0.5B")
    assert (oracle.model.links.launch < 0).sum() > 400
    found = {p: k for p, k in load().items() if k.reason == "pseudo-threads"}
    sums = [k for p, k in found.items() if p.column in {"calls", "total_us"}]
    assert len(sums) > 10
    assert all(known.theirs == pytest.approx(2 * known.ours, rel=1e-3) for known in sums)


@pytest.mark.parametrize(("trace", "kept", "all_calls"), [("torchcpu_memtimeline", 630, 693)])
def test_lost_backward(trace: str, kept: int, all_calls: int) -> None:
    """The plugin's own count of what it lost (kineto.md §13.8)."""
    totals = [
        k for p, k in load().items() if p.trace == trace and p[2:] == ("operators", "calls", "all")
    ]
    assert [(known.ours, known.theirs) for known in totals] == [(all_calls, kept)]


@pytest.mark.parametrize("trace", ["tracelens_h100_qwen", "tracelens_mi300_qwen"])
def test_earlier_launches(trace: str, opened) -> None:  # noqa: ANN001
    oracle = opened(trace, "tracelens")
    oracle = without(oracle, "device", oracle.model.links.launch < 0)
    assert differing(tracelens_figures(oracle)) == []


@pytest.mark.parametrize(
    "trace", sorted({p.trace for p, k in load().items() if k.reason == "impossible zero"})
)
def test_impossible_zero(trace: str, opened, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ANN001
    monkeypatch.setattr(kernel_occupancy, "_values", lambda *_: 0.0)
    oracle = fresh(opened(trace))
    by_name, by_properties = plugin_tables.kernels_by_name, plugin_tables.kernels_by_properties
    figures = [*plugin.device_summary(oracle), *by_name(oracle), *by_properties(oracle)]
    left = differing(figure for figure in figures if "occupancy" in figure.column)
    assert all(None in {figure.ours, figure.theirs} for figure in left)


def test_symmetric_memory(opened, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ANN001
    oracle = fresh(opened("tracelens_b200_eager", "tracelens"))

    def by_name(model: TraceModel) -> npt.NDArray[np.bool_]:
        return named(model, "device", lambda name: "nccl" in name)

    monkeypatch.setattr(device_intervals, "device_communication", by_name)
    assert differing(tracelens_figures(oracle)) == []
