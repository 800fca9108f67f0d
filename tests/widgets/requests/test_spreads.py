"""How the values of columns are spread: bins against plain loops, and the searches for them."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbprof.widgets.requests.pages import search_rows
from nbprof.widgets.requests.spreads import FEW_ROWS, spreads_of
from tests.support.recordings.runs import RUNS

if TYPE_CHECKING:
    from tests.widgets.conftest import Page

FLOATS = st.floats(-1e300, 1e300) | st.floats(0, 1000) | st.none() | st.just(float("nan"))
LAUNCHES = {"table": "kernels", "group_by": "launch"}
WHOLE = st.integers(-(2**60), 2**60) | st.integers(0, 30) | st.none()


@pytest.fixture
def gpu(open_page: Any) -> Page:
    return open_page(RUNS, run="gpu_resnet_synthetic")


def long(**columns: list[Any]) -> pa.Table:
    """Return a table of these values, and of so many rows without any that it is a long one."""
    none = [None] * FEW_ROWS
    return pa.table({name: [*values, *none] for name, values in columns.items()})


@given(st.lists(FLOATS, max_size=40), st.lists(WHOLE, max_size=40))
def test_bins_have_the_rows_that_a_search_for_them_finds(
    floats: list[float | None], whole: list[int | None]
) -> None:
    for kind, values in ((pa.float64(), floats), (pa.int64(), whole)):
        table = pa.table({"a_us": pa.array([*values, *[None] * (FEW_ROWS + 1)], kind)})
        known = {float(value) for value in values if value is not None and not math.isnan(value)}
        found = spreads_of(table)
        if not 0 < max(known, default=0) - min(known, default=0) < 1e300:
            assert not found
            continue
        edges, counts = found["a_us"]["edges"], found["a_us"]["counts"]
        assert sum(counts) == sum(1 for v in values if v is not None and not math.isnan(v))
        assert edges == sorted(set(edges))
        assert len(edges) == len(counts) + 1 <= 22
        for at, count in enumerate(counts):
            end = "<=" if at == len(counts) - 1 else "<"
            search = f"a >= {edges[at]!r} & a {end} {edges[at + 1]!r}"
            assert search_rows(table, search).num_rows == count, search


def test_bins_are_of_one_ratio_where_values_are_far_apart() -> None:
    found = spreads_of(long(far=[1.0, 10.0, 100_000.0], near=[1.0, 2.0, 3.0]))
    far, near = found["far"]["edges"], found["near"]["edges"]
    ratios = [b / a for a, b in itertools.pairwise(far)]
    assert max(ratios) < 1.01 * min(ratios)
    steps = [b - a for a, b in itertools.pairwise(near)]
    assert max(steps) < 1.01 * min(steps)
    assert not found["far"]["single"]
    assert not found["near"]["single"]


def test_few_whole_numbers_have_a_bin_each() -> None:
    found = spreads_of(long(stream=[7, 7, 9], one=[3, 3, 3], text=["a", "b", "c"]))
    edges = [7.0, 8.0, 9.0, 10.0]
    assert found == {"stream": {"edges": edges, "counts": [2, 0, 1], "single": True}}


def test_only_tables_of_many_rows_have_them() -> None:
    assert spreads_of(pa.table({"calls": range(FEW_ROWS)})) == {}
    assert list(spreads_of(pa.table({"calls": range(FEW_ROWS + 1)}))) == ["calls"]


def test_they_are_of_the_filter_and_not_of_the_search(gpu: Page) -> None:
    for filter_ in ({}, {"name": "gemm"}):
        rows = gpu.view.trace.filter(**filter_).kernels(group_by="launch")
        params = {**LAUNCHES, "state": gpu.state(**filter_)}
        found = gpu.result("spreads", **params, search="name : x")["spreads"]
        assert sum(found["duration_us"]["counts"]) == rows.num_rows > FEW_ROWS
        assert found == gpu.result("spreads", **params)["spreads"]


@pytest.mark.parametrize(
    ("table", "group_by"),
    [("operators", "name"), ("kernels", "launch"), ("memory_events", ""), ("key_averages", "name")],
)
def test_the_search_field_of_a_table_finds_the_rows_of_a_bin(
    gpu: Page, table: str, group_by: str
) -> None:
    params = {"state": gpu.state(), "table": table, "group_by": group_by}
    found = gpu.result("spreads", **params)["spreads"]
    assert len(found) > 3
    for column, spread in found.items():
        at = spread["counts"].index(max(spread["counts"]))
        low, high = spread["edges"][at : at + 2]
        end = "<=" if at == len(spread["counts"]) - 1 else "<"
        page = gpu.result("page", **params, search=f"{column} >= {low!r} & {column} {end} {high!r}")
        assert page["total"] == spread["counts"][at], column
