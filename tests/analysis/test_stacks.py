"""Call stacks of kernels."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from hypothesis import given

from nbprof import analysis
from nbprof.model.call_stacks import call_stacks
from tests.analysis import slow
from tests.analysis.generated_modules import a_training_step, traces_with_modules
from tests.support.models import make_model

if TYPE_CHECKING:
    from nbprof.model.trace_model import TraceModel


def test_kernels_by_the_stack_of_their_operator() -> None:
    table = analysis.kernels(a_training_step(), group_by="name+stack").to_pylist()
    net = "net.py(3): forward;nn.Module: Net_0"
    assert [(row["call_stack"], row["calls"], round(row["total_us"] * 1000)) for row in table] == [
        (None, 2, 52),
        (f"nn.Module: Linear_0;{net}", 3, 49),
        (net, 1, 11),
        ("nn.Module: Linear_0;nn.Module: Net_0", 1, 0),
    ]


def test_recorded_stacks_of_kernels() -> None:
    recorded = "a.py(1): f;b.py(2): g"
    model = make_model(
        [
            {"name": "aten::mm", "start": 0, "end": 9, "call_stack": recorded},
            {"name": "cudaLaunchKernel", "kind": "runtime", "start": 1, "end": 2, "correlation": 1},
        ],
        [{"name": "gemm", "start": 5, "end": 8, "correlation": 1}],
    )
    (row,) = analysis.kernels(model, group_by="name+stack").to_pylist()
    assert list(row)[:3] == ["name", "call_stack", "calls"]
    assert row["call_stack"] == recorded


@given(traces_with_modules())
def test_kernels_by_stack(model: TraceModel) -> None:
    stacks = call_stacks(model)

    def stack(row: int) -> str | None:
        return stacks.texts[stacks.code[row]] if row >= 0 and stacks.code[row] >= 0 else None

    groups: dict[tuple[str, str | None], list[int]] = defaultdict(list)
    for row in slow.rows_of(model, "device"):
        links = model.links
        found = stack(int(links.operator[row.index])) or stack(int(links.launch[row.index]))
        groups[row.name, found].append(row.duration)
    table = analysis.kernels(model, group_by="name+stack").to_pylist()
    ours = {(row["name"], row["call_stack"]): row for row in table}
    assert set(ours) == set(groups)
    for key, times in groups.items():
        assert ours[key]["calls"] == len(times)
        assert round(ours[key]["total_us"] * 1000) == sum(times)
