"""User rules for communication names: tables follow them, and caches do not mix them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbprof.analysis.devices.device_time import device_time
from nbprof.analysis.kernels.communication import communication_calls, device_communication
from nbprof.analysis.ranks.calls import rank_calls
from nbprof.analysis.ranks.steps import rank_steps
from nbprof.analysis.steps.overview import overview
from nbprof.analysis.steps.steps import steps
from nbprof.model.trace.model import TraceModel
from nbprof.timeline.slice_categories import CATEGORIES
from nbprof.timeline.slices import Slices
from tests.analysis.advice.test_defects import call, kernel, op, step
from tests.analysis.generated import filters, traces
from tests.support.models import make_model

if TYPE_CHECKING:
    from nbprof.model.filters.filter import Filter


def renamed(model: TraceModel, table: str, old: str, new: str) -> TraceModel:
    """Return the trace as if some rows had been recorded under another name."""
    rows = model.tables[table]
    at = rows.schema.get_field_index("name")
    names = [new if name == old else name for name in rows["name"].to_pylist()]
    encoded = pa.array(names, pa.utf8()).dictionary_encode().cast(rows.schema.field(at).type)
    rows = rows.set_column(at, rows.schema.field(at), encoded)
    return TraceModel({**model.tables, table: rows}, model.metadata, dialect=model.dialect)


def tables(model: TraceModel, filter_: Filter) -> list[list[dict[str, Any]]]:
    made = (
        steps(model, filter_),
        overview(model, filter_),
        device_time(model, filter_),
        rank_steps(model, filter_),
    )
    return [table.to_pylist() for table in made]


@given(traces(), filters(), st.booleans())
def test_a_kernel_under_a_rule_is_one_of_a_known_name(
    model: TraceModel, filter_: Filter, warm: bool
) -> None:
    if warm:  # what was made without rules, or under others, is not taken for this
        tables(model, filter_)
        tables(model.under(("elementwise",)), filter_)
    filter_ = filter_.replace(name=None)  # the name is another one
    before = tables(model, filter_)
    known = renamed(model, "device", "sgemm", "nccl_s")
    assert tables(model.under(("SGEMM",)), filter_) == tables(known, filter_)
    assert tables(model.under(("/^sg.*m$/", "no such")), filter_) == tables(known, filter_)
    assert tables(model, filter_) == before


@given(traces(), filters())
def test_what_an_operator_under_a_rule_launches_communicates(
    model: TraceModel, filter_: Filter
) -> None:
    known = renamed(model, "host", "aten::mm", "c10d::mm")
    filter_ = filter_.replace(name=None)
    ours = device_time(model.under(("/^aten::mm$/",)), filter_)
    assert ours.equals(device_time(known, filter_))


@pytest.fixture
def exchange() -> TraceModel:
    """A step in which an operator of the user's exchanges, and a kernel without one."""
    host = [
        step(1, 0, 100),
        {**op("mine::exchange", 5, 20), "input_shapes": "[[4, 4]]", "input_types": '["float"]'},
        call(6, 8, 1),
        op("aten::mm", 30, 40),
        call(31, 32, 2),
        call(50, 51, 3),
    ]
    device = [
        kernel(10, 30, 1, name="void mine::push<float>(float*)"),
        kernel(20, 60, 2, name="sgemm"),
        kernel(60, 80, 3, name="void mine::pull<float>(float*)"),
    ]
    return make_model(host, device)


def test_rules_are_counted_in_the_metadata(exchange: TraceModel) -> None:
    assert "communication_names" not in exchange.metadata
    told = exchange.under(("exchange", "/::pu/", "tpyo")).metadata["communication_names"]
    assert told == {"exchange": 1, "/::pu/": 2, "tpyo": 0}


def test_no_more_than_the_last_rules_are_kept(exchange: TraceModel) -> None:
    mine, yours = exchange.under(("mine",)), exchange.under(("yours",))
    assert device_communication(mine).tolist() == [True, False, True]
    assert not device_communication(yours).any()
    assert exchange.under(("yours",)).cached("x", lambda: 1) == 1
    assert exchange.under(("yours",)).cached("x", lambda: 2) == 1
    assert exchange.under(("mine",)).cached("x", lambda: 3) == 3
    assert exchange.under(("yours",)).cached("x", lambda: 4) == 4
    assert mine.under(()) is exchange
    assert mine.nesting is exchange.nesting
    assert mine.links is exchange.links


def test_calls_by_name_have_no_bytes(exchange: TraceModel) -> None:
    """What an operator that only a rule names is given need not be what it sends."""
    assert rank_calls(exchange).num_rows == 0
    model = exchange.under(("mine",))
    assert communication_calls(model).sum() == 1
    found = rank_calls(model).to_pylist()
    assert [row["name"] for row in found] == ["mine::exchange", "mine::pull"]
    assert [row["duration_ns"] for row in found] == [20_000, 20_000]
    for row in found:
        assert row["bytes"] is row["message_bytes"] is row["latency_us"] is None


def test_colors_follow(exchange: TraceModel) -> None:
    def colors(model: TraceModel) -> list[str]:
        return [CATEGORIES[code] for code in Slices.of(model).category[-3:].tolist()]

    assert colors(exchange) == ["kernel"] * 3
    assert colors(exchange.under(("mine",))) == ["communication", "kernel", "communication"]
