"""The filter `within` compared with plain loops, and with odd names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nbprof.analysis.memory.records import kept_records
from nbprof.model.filters import selection
from nbprof.model.filters.filter import Filter, exact, exact_name
from nbprof.model.filters.within import match_within
from nbprof.model.links.backward import linked_forward_rows
from nbprof.model.trace import kinds
from tests.analysis.generated import traces
from tests.analysis.modules.generated import a_training_step, op, traces_with_modules
from tests.model.links.test_npu_links import ARROWS, KERNEL, QUEUED
from tests.support.models import make_model
from tests.support.npu import make_npu

if TYPE_CHECKING:
    import numpy as np

    from nbprof.model.trace.model import TraceModel

Row = dict[str, Any]

#: Names as compilers, users and recorders write them.
ODD_NAMES = (
    "aten::mm",
    "a/b",
    "/slashes/",
    "=equals",
    "==",
    "(un|balanced",
    r"back\slash\E",
    "void f<(int)3, float*>(T&&)",
    "two\nlines",
    " spaces ",
    "Ünïcode … “quoted”",
    "x",
    "X",
)
WITHIN = st.sampled_from(["aten", "=aten::mm", "=A", "a", "/^x$/", "=x", "=forward", "=nothing"])


def passing_host_rows(model: TraceModel, within: str) -> list[bool]:
    """Go by the definition, row by row."""
    host = [
        {**row, "end_ns": row["start_ns"] + row["duration_ns"]}
        for row in model.tables["host"].to_pylist()
    ]
    matches = dict(
        zip(
            model.values("host", "name"),
            match_within(model.values("host", "name"), within),
            strict=True,
        )
    )
    forward = linked_forward_rows(model).tolist()

    def lies_in(row: Row, other: Row) -> bool:
        ends = row["start_ns"] < other["end_ns"] and row["end_ns"] <= other["end_ns"]
        return row["thread"] == other["thread"] and other["start_ns"] <= row["start_ns"] and ends

    no_scopes = "runtime", "overhead"
    scopes = [matches[row["name"]] and row["kind"] not in no_scopes for row in host]
    passes = scopes
    while True:
        of_backward = [at >= 0 and passes[at] for at in forward]
        found = [
            scopes[i] or of_backward[i] or any(
                lies_in(row, other)
                for j, other in enumerate(host)
                if scopes[j] or of_backward[j]
            )
            for i, row in enumerate(host)
        ]  # fmt: skip
        if found == passes:
            return found
        passes = found


def passing_device_rows(model: TraceModel, host: list[bool]) -> list[bool]:
    links = zip(model.links.launch.tolist(), model.links.operator.tolist(), strict=True)
    found = []
    for launch, operator in links:
        source = launch if launch >= 0 else operator
        found.append(source >= 0 and host[source])
    return found


def passing_records(model: TraceModel, host: list[bool]) -> list[bool]:
    """A record was made in the deepest slice that was running on its thread.

    A frame that was not closed ran until the end of the frame in which it began.
    """
    rows, ends = model.tables["host"].to_pylist(), model.nesting.end.tolist()
    found = []
    for record in model.tables["memory"].to_pylist():
        running = [
            i
            for i, row in enumerate(rows)
            if row["thread"] == record["thread"] and row["start_ns"] <= record["time_ns"] < ends[i]
        ]
        found.append(bool(running) and host[max(running)])
    return found


@given(model=st.one_of(traces(), traces_with_modules()), within=WITHIN)
@example(model=a_training_step(), within="=Linear_0")
def test_rows_pass_as_defined(model: TraceModel, within: str) -> None:
    filter_ = Filter(within=within)
    host = passing_host_rows(model, within)
    assert selection.host_rows(model, filter_).tolist() == host
    assert selection.device_rows(model, filter_).tolist() == passing_device_rows(model, host)
    assert kept_records(model, filter_).tolist() == passing_records(model, host)


def test_a_frame_that_was_not_closed_holds_no_later_memory() -> None:
    frames = [("nn.Module: A", 0, 203), ("nn.Module: B", 101, 507)]
    host = [{"name": n, "kind": "module", "start": a, "end": b} for n, a, b in frames]
    memory = [{"time_ns": at, "thread": 0, "bytes": 8, "address": at} for at in (150, 300)]
    model = make_model(host, memory=memory)
    assert kept_records(model, Filter(within="=B")).tolist() == [True, False]
    assert passing_records(model, passing_host_rows(model, "=B")) == [True, False]


@given(model=traces(), within=WITHIN)
def test_it_is_one_more_condition(model: TraceModel, within: str) -> None:
    others = Filter(name="gemm", threads=[1], time_us=(0, 0.04))
    both = others.replace(within=within)
    for rows in (selection.host_rows, selection.device_rows):
        alone = rows(model, Filter(within=within))
        assert (rows(model, both) == rows(model, others) & alone).all()
    assert (selection.window(model, both) or [None])[0] == (
        selection.window(model, others) or [None]
    )[0]


def names_of(model: TraceModel, mask: np.ndarray) -> list[str]:
    names = model.tables["host"]["name"].to_pylist()
    return [name for name, keep in zip(names, mask.tolist(), strict=True) if keep]


def test_the_backward_pass_of_a_module_passes() -> None:
    model = a_training_step()
    assert names_of(model, selection.host_rows(model, Filter(within=exact("Linear_0")))) == [
        "nn.Module: Linear_0",
        "aten::linear",
        "aten::addmm",
        "cudaLaunchKernel",
        "aten::add",
        "cudaLaunchKernel",
        "nn.Module: Linear_0",
        "cudaLaunchKernel",
        "aten::mul",
        "evaluate",
        "AddmmBackward0",
        "cudaLaunchKernel",
    ]


def test_ranges_that_cross_frames_keep_what_was_called_in_them() -> None:
    model = make_model(
        [
            op("frame", 0, 10, kind="python"),
            op("range", 5, 20, kind="annotation"),
            op("aten::a", 6, 9),
            op("aten::b", 9, 12),
            op("aten::c", 12, 20),
            op("aten::d", 20, 20),
            op("elsewhere", 6, 9, tid=2),
        ]
    )
    found = names_of(model, selection.host_rows(model, Filter(within="=range")))
    assert found == ["range", "aten::a", "aten::b", "aten::c"]


def test_the_backward_pass_of_a_backward_pass_passes() -> None:
    first = {"sequence": 1, "forward_thread": 0}
    model = make_model(
        [
            op("scope", 0, 10, kind="annotation"),
            op("aten::f", 1, 2, **first),
            op("FBackward", 20, 29, tid=2, sequence=1, forward_thread=1),
            op("aten::g", 21, 22, tid=2, sequence=2, forward_thread=0),
            op("GBackward", 40, 49, tid=3, sequence=2, forward_thread=2),
            op("aten::h", 41, 42, tid=3),
        ]
    )
    assert selection.host_rows(model, Filter(within="=scope")).all()


def test_scopes_inside_each_other_pass_what_the_outer_one_holds() -> None:
    rows = [
        op("outer", 0, 30, kind="annotation"),
        op("outer", 5, 10, kind="annotation"),
        op("aten::a", 12, 20),
        op("aten::b", 28, 31),
    ]
    keep = selection.host_rows(make_model(rows), Filter(within="=outer"))
    assert keep.tolist() == [True, True, True, False]


@pytest.mark.parametrize("arrows", [ARROWS, ARROWS[:2]])
def test_queued_work_passes_with_the_operator_that_asked_for_it(arrows: list[Row]) -> None:
    model = make_npu(QUEUED, [KERNEL], flows=arrows)
    for within, passes in (("=aten::mm", True), ("=step", True), ("=aten::add", False)):
        assert selection.device_rows(model, Filter(within=within)).tolist() == [passes]


def test_calls_of_the_runtime_are_no_scope() -> None:
    model = make_model([op("cudaLaunchKernel", 0, 5, kind="runtime", correlation=1)])
    assert not selection.host_rows(model, Filter(within="cuda")).any()


@pytest.mark.parametrize("name", ODD_NAMES)
def test_an_exact_name_is_that_name_alone(name: str) -> None:
    texts = [*ODD_NAMES, None]
    assert exact_name(exact(name)) == name
    found = match_within(texts, exact(name))
    assert [text for text, fits in zip(texts, found, strict=True) if fits] == [name]
    filter_ = Filter(within=exact(name))
    assert Filter.from_dict(filter_.to_dict()) == filter_
    assert filter_.describe() == [("within", f"within “{name}”")]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_an_exact_name_finds_its_rows(name: str) -> None:
    model = make_model([op(one, 10 * at, 10 * at + 5) for at, one in enumerate(ODD_NAMES)])
    assert names_of(model, selection.host_rows(model, Filter(within=exact(name)))) == [name]


def test_other_forms_are_those_of_names() -> None:
    assert match_within(["aten::MM", "x"], "mm").tolist() == [True, False]
    assert match_within(["aten::mm", "mm"], "/^mm/").tolist() == [False, True]
    assert Filter(within="mm").describe() == [("within", "within names that match “mm”")]
    assert Filter(within="/mm/").describe() == [("within", "within names that match “/mm/”")]
    assert not Filter(within="")


def test_modules_are_known_by_what_tables_show() -> None:
    texts = ["nn.Module: Linear_0", "Linear_0", "nn.Module: Linear_01"]
    assert match_within(texts, exact("Linear_0")).tolist() == [True, True, False]
    assert match_within(texts, exact("nn.Module: Linear_0")).tolist() == [True, False, False]


def test_steps_and_phases_are_scopes() -> None:
    rows = [
        op("ProfilerStep#3", 0, 10, kind="step"),
        op("aten::a", 1, 9),
        op("infer_shape", 2, 3, kind="phase"),
        op("aten::b", 20, 21),
    ]
    model = make_model(rows)
    keep = selection.host_rows(model, Filter(within="=ProfilerStep#3"))
    assert keep.tolist() == [True, True, True, False]
    assert len(kinds.HOST_KINDS) == 9  # a new kind is a scope or is not: see `within.py`
    assert selection.host_rows(model, Filter(within="infer")).tolist() == [
        False, False, True, False
    ]  # fmt: skip
