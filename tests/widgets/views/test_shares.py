"""Shares of the filter, and of the whole trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.support.recordings.runs import RUNS
from tests.widgets.conftest import table_of

if TYPE_CHECKING:
    from tests.widgets.conftest import Page


@pytest.fixture
def page(open_page: Any) -> Page:
    found: Page = open_page(RUNS, run="gpu_resnet_synthetic")
    return found


FILTERS: list[dict[str, Any]] = [
    {},
    {"name": "conv"},
    {"steps": [2, 3]},
    {"steps": [2, 3], "name": "conv"},
]


@pytest.mark.parametrize("filter_", FILTERS)
@pytest.mark.parametrize("group_by", ["name", "name+shape"])
def test_each_share_is_the_time_over_the_sum(
    page: Page, filter_: dict[str, Any], group_by: str
) -> None:
    params = {"table": "operators", "group_by": group_by, "limit": 1000, "shares": True}
    reply, (data,) = page.ask("page", state=page.state(**filter_), **params)
    rows = table_of(data).to_pylist()
    whole = page.view.trace.operators().to_pylist()
    assert reply["result"]["shares"] == ["device_self_us", "host_self_us"]
    for side in ("device", "host"):
        of_filter = sum(row[f"{side}_self_us"] for row in rows)
        of_all = sum(row[f"{side}_self_us"] for row in whole)
        for row in rows:
            time = row[f"{side}_self_us"]
            assert row[f"{side}_self_of_filter_pct"] == pytest.approx(100 * time / of_filter)
            assert row[f"{side}_self_of_all_pct"] == pytest.approx(100 * time / of_all)
        assert (of_filter == pytest.approx(of_all)) == (not filter_)


def test_kernels_have_their_share_of_the_filter_already(page: Page) -> None:
    params: dict[str, Any] = {"table": "kernels", "group_by": "name", "limit": 1000, "shares": True}
    _, (data,) = page.ask("page", state=page.state(name="gemm"), **params)
    rows = table_of(data)
    assert "total_of_filter_pct" not in rows.column_names
    assert sum(rows["pct"].to_pylist()) == pytest.approx(100)
    assert 0 < sum(rows["total_of_all_pct"].to_pylist()) < 100
    params = {**params, "search": "no such kernel"}
    _, (data,) = page.ask("page", state=page.state(name="gemm"), **params)
    assert table_of(data).num_rows == 0


def test_they_are_sorted_and_exported_like_other_columns(page: Page) -> None:
    params = {"table": "kernels", "group_by": "name", "shares": True}
    sort = ["total_of_all_pct", "asc"]
    _, (data,) = page.ask("page", state=page.state(), sort=sort, **params)
    shares = table_of(data)["total_of_all_pct"].to_pylist()
    assert shares == sorted(shares)
    text = page.ask("csv", state=page.state(), part=0, **params)[1][0].decode()
    assert "total_of_all_pct" in text.splitlines()[0]
    plain = page.ask("csv", state=page.state(), part=0, **{**params, "shares": False})[1][0]
    assert b"of_all" not in plain


def test_tables_without_times_that_add_up_have_none(page: Page) -> None:
    reply, (data,) = page.ask("page", state=page.state(), table="steps", shares=True)
    assert reply["result"]["shares"] == []
    assert not [name for name in table_of(data).column_names if "_of_" in name]
