"""Kernels by name say which operators launched them, compared with plain loops."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from hypothesis import given

from nbprof.analysis.kernels.kernels import kernels
from tests.analysis import slow
from tests.analysis.generated import filters, traces
from tests.support.models import make_model

if TYPE_CHECKING:
    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.model import TraceModel


@given(traces(), filters())
def test_they_are_those_that_launched_it_in_the_whole_recording(
    model: TraceModel, filter_: Filter
) -> None:
    times: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    host = slow.rows_of(model, "host")
    for row in slow.rows_of(model, "device"):
        operator = model.links.operator[row.index]
        if row.kind == "kernel" and operator >= 0:
            times[row.name][host[operator].name] += row.duration
    for row in kernels(model, filter_).to_pylist():
        found = (row["operators"] or "").partition(" and ")[0].split(", ")
        own = times.get(row["name"], {})
        assert {*found} - {""} <= {*own}
        assert bool(row["operators"]) is bool(own)
        ranked = sorted(own.values(), reverse=True)[:3]
        assert [own[name] for name in found if name] == ranked


def test_of_many_the_first_three_are_named() -> None:
    host, work = [], []
    for number in range(5):
        at = 100 * number
        host.append({"name": f"aten::op{number}", "start": at, "end": at + 50})
        call = {"name": "cudaLaunchKernel", "kind": "runtime", "correlation": number + 1}
        host.append({**call, "start": at + 1, "end": at + 2})
        work.append(
            {"name": "gemm", "start": at + 5, "end": at + 10 + number, "correlation": number + 1}
        )
    model = make_model(host, work)
    [row] = kernels(model).to_pylist()
    assert row["operators"] == "aten::op4, aten::op3, aten::op2 and 2 more"
    assert "operators" not in kernels(model, group_by="properties").column_names
