"""Matches kernels to operators, rule by rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.models import make_model
from tests.support.work import calls

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel


def owner(model: TraceModel) -> tuple[str | None, str | None, str | None]:
    """Names behind launch, operator and launched_by of the only device row."""
    names = model.tables["host"].column("name").to_pylist()
    rows = (model.links.launch[0], model.links.operator[0], model.links.launched_by[0])
    return tuple(names[row] if row >= 0 else None for row in rows)  # type: ignore[return-value]


def call(start: int, *, correlation: int = 5, external_id: int = -1, **more: object) -> dict:
    return {
        "name": "cudaLaunchKernel",
        "kind": "runtime",
        "start": start,
        "end": start + 2,
        "correlation": correlation,
        "external_id": external_id,
        **more,
    }


KERNEL = {"name": "k", "start": 50, "end": 60, "correlation": 5}


def test_the_operator_whose_id_the_call_carries() -> None:
    host = [
        {"name": "aten::outer", "start": 0, "end": 30, "external_id": 3},
        {"name": "aten::inner", "start": 5, "end": 20, "external_id": 4},
        call(10, external_id=3),
    ]
    assert owner(make_model(host, [KERNEL])) == ("cudaLaunchKernel", "aten::outer", None)


def test_an_id_that_is_a_correlation_id_is_not_believed() -> None:
    """Recorders of 2022 wrote the correlation id there (kineto.md §13.3)."""
    host = [
        {"name": "aten::elsewhere", "start": 100, "end": 120, "external_id": 5},
        {"name": "aten::mm", "start": 0, "end": 30, "external_id": 900},
        call(10, external_id=5),
    ]
    assert owner(make_model(host, [KERNEL]))[1] == "aten::mm"


def test_an_operator_that_is_over_is_not_believed() -> None:
    """An id that happens to be that of an earlier operator on the same thread."""
    host = [
        {"name": "aten::before", "start": 0, "end": 10, "external_id": 5},
        {"name": "aten::mm", "start": 10, "end": 30, "external_id": 900},
        call(10, external_id=5),
    ]
    assert owner(make_model(host, [KERNEL]))[1] == "aten::mm"


def test_an_operator_of_another_thread_is_not_believed() -> None:
    host = [
        {"name": "aten::other", "start": 0, "end": 90, "external_id": 5, "tid": 2},
        {"name": "aten::mm", "start": 0, "end": 30, "external_id": 9},
        call(10, external_id=5),
    ]
    assert owner(make_model(host, [KERNEL]))[1] == "aten::mm"


def test_a_call_under_an_annotation_is_launched_by_it() -> None:
    host = [
        {"name": "ProfilerStep#3", "kind": "step", "start": 0, "end": 100},
        {"name": "Optimizer.step#SGD.step", "kind": "annotation", "start": 5, "end": 40},
        call(10),
    ]
    found = owner(make_model(host, [KERNEL]))
    assert found == ("cudaLaunchKernel", None, "Optimizer.step#SGD.step")


def test_a_step_is_no_launcher() -> None:
    host = [{"name": "ProfilerStep#3", "kind": "step", "start": 0, "end": 100}, call(10)]
    assert owner(make_model(host, [KERNEL])) == ("cudaLaunchKernel", None, "cudaLaunchKernel")


def test_a_graph_launch_names_itself() -> None:
    host = [
        {"name": "execute", "kind": "annotation", "start": 0, "end": 100},
        call(10, name="hipGraphLaunch"),
    ]
    assert owner(make_model(host, [KERNEL])) == ("hipGraphLaunch", None, "hipGraphLaunch")


def test_one_graph_launch_owns_all_its_kernels() -> None:
    host = [call(10, name="cudaGraphLaunch")]
    model = make_model(host, [KERNEL, {**KERNEL, "start": 60, "end": 70}])
    assert model.links.launch.tolist() == [0, 0]


def test_a_launch_outside_the_trace_stays_unknown() -> None:
    host = [{"name": "aten::mm", "start": 0, "end": 30, "external_id": 3}, call(10, correlation=6)]
    assert owner(make_model(host, [KERNEL])) == (None, None, None)


def test_flows_help_where_correlations_are_missing() -> None:
    host = [{"name": "aten::mm", "start": 0, "end": 30}, call(10, correlation=-1)]
    flows = [
        {"id": 77, "category": "launch", "phase": "s", "time_ns": 10, "pid": 1, "tid": 1},
        {"id": 77, "category": "launch", "phase": "f", "time_ns": 50, "pid": 0, "tid": 7},
    ]
    device = [{**KERNEL, "correlation": -1}]
    found = owner(make_model(host, device, flows=flows))
    assert found == ("cudaLaunchKernel", "aten::mm", None)


def rows_that_share_a_moment(count: int) -> TraceModel:
    host = [call(10, correlation=-1, tid=number % 3) for number in range(count)]
    flows = [
        {"id": 77, "category": "launch", "phase": "s", "time_ns": 10, "pid": 1, "tid": 2},
        {"id": 77, "category": "launch", "phase": "f", "time_ns": 50, "pid": 0, "tid": 7},
    ]
    return make_model(host, [{**KERNEL, "correlation": -1}] * count, flows=flows)


def test_flows_link_rows_that_share_a_moment() -> None:
    model = rows_that_share_a_moment(100)
    launch = model.links.launch
    thread = model.column("host", "thread")[launch[0]]
    assert model.tables["threads"].column("tid")[thread].as_py() == 2
    assert (launch == launch[0]).all()


def test_flows_link_rows_that_share_a_moment_without_a_call_for_each() -> None:
    few, many = (rows_that_share_a_moment(count) for count in (200, 2000))
    assert calls(lambda: many.links.launch) < calls(lambda: few.links.launch) + 100


def test_correlation_zero_links_nothing() -> None:
    host = [call(10, correlation=0)]
    assert owner(make_model(host, [{**KERNEL, "correlation": 0}])) == (None, None, None)
