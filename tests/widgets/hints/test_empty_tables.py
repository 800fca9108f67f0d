"""Messages of empty tables: their counts and suggested filters are true."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from nbprof.analysis.operators.operators import operators
from nbprof.widgets.hints.hints import hint
from nbprof.widgets.requests.pages import hidden_columns
from tests.analysis.advice.test_defects import call, kernel, op
from tests.support.models import make_model

if TYPE_CHECKING:
    from tests.widgets.conftest import Page


def empty(page: Page, table: str, search: str = "", **fields: Any) -> dict[str, Any]:
    params = {"table": table, "search": search}
    result = page.result("page", state=page.state(**fields), **params)
    assert result["total"] == 0
    return result["empty"]


def rows(page: Page, table: str, action: dict[str, Any]) -> int:
    return page.result("page", state=page.state(**action["filter"]), table=table)["total"]


def test_a_name_that_almost_matches_is_proposed(page: Page) -> None:
    words = empty(page, "kernels", name="convv", steps=[1, 2])
    assert words["title"] == "No kernel matches both filters"
    assert words["text"] == "“conv” matches 1 of 2 kernels in these steps."
    use, clear = words["actions"]
    assert use == {"label": "Use “conv”", "filter": {"steps": [1, 2], "name": "conv"}}
    assert clear == {"label": "Clear name filter", "filter": {"steps": [1, 2]}}
    assert rows(page, "kernels", use) == 1
    assert rows(page, "kernels", clear) == 2


def test_a_name_that_is_nowhere(page: Page) -> None:
    words = empty(page, "operators", name="zzz")
    assert words["title"] == "No operator matches the filter"
    assert words["text"] == "None of 3 operators in this trace contains “zzz”."
    assert [a["label"] for a in words["actions"]] == ["Clear name filter"]
    pattern = empty(page, "operators", name="/^zz/", steps=2)
    assert pattern["text"] == "None of 3 operators in this step matches “/^zz/”."


def test_steps_that_are_not_there(page: Page) -> None:
    words = empty(page, "kernels", steps=[8, 9], name="conv")
    assert words["title"] == "No kernel in steps 8 to 9"
    assert words["text"] == "This trace has steps 1 to 3."
    assert words["actions"] == [{"label": "Clear step filter", "filter": {"name": "conv"}}]


@pytest.mark.parametrize(
    ("fields", "title", "text", "label"),
    [
        (
            {"streams": [99]},
            "No kernel matches the filter",
            "Without filters there are 2 kernels.",
            "Reset filters",
        ),
        (
            {"streams": [99], "steps": [1, 1]},
            "No kernel matches both filters",
            "Without the stream filter there are 2 kernels.",
            "Clear stream filter",
        ),
        (
            {"streams": [99], "steps": [1, 1], "kinds": ["kernel"]},
            "No kernel matches all 3 filters",
            "Without the stream filter there are 2 kernels.",
            "Clear stream filter",
        ),
    ],
)
def test_filters_that_leave_nothing(
    page: Page, fields: dict[str, Any], title: str, text: str, label: str
) -> None:
    words = empty(page, "kernels", **fields)
    assert (words["title"], words["text"]) == (title, text)
    assert words["actions"][0]["label"] == label
    assert rows(page, "kernels", words["actions"][0]) == int(re.search(r"\d+", text)[0])


def test_a_search_that_finds_nothing_is_not_the_filter(page: Page) -> None:
    words = empty(page, "kernels", search="zz", name="conv")
    assert words["title"] == "No kernel contains “zz”"
    assert words["text"] == "Searched 1 kernel by name."
    action = {"label": "Clear search", "filter": {"name": "conv"}, "search": ""}
    assert words["actions"] == [action]


def test_a_trace_without_kernels_names_the_option(page: Page) -> None:
    page.view.run = "runB"
    words = empty(page, "kernels")
    assert words["title"] == "No kernels recorded"
    assert "ProfilerActivity.CUDA" in words["text"]
    assert words["actions"] == []
    words = empty(page, "kernels", steps=[1, 1], name="conv")
    assert words["title"] == "No kernels recorded", "no filter is to blame"


def test_an_option_that_was_on_is_no_advice() -> None:
    model = make_model(metadata={"profile_memory": 1, "with_stack": 0})
    assert hint(model, "memory") == (
        "No memory was recorded. profile_memory was on, but the trace holds none."
    )
    assert (
        hint(model, "stacks")
        .split(", for a few")[0]
        .endswith("Record them with profile(with_stack=True)")
    )


def test_columns_of_units_that_nobody_knows_are_hidden() -> None:
    host = [op("aten::mm", 0, 50), call(5, 9, 1, name="launch")]
    for name, shown in (("merge", False), ("hmma", True)):
        table = operators(make_model(host, [kernel(60, 80, 1, name=name)]))
        assert ("tensor_core_eligible" not in hidden_columns(table)) == shown
        assert "device_self_us" not in hidden_columns(table)
