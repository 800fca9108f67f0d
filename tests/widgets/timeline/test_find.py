"""``find`` and ``slice``: goes to slices by name, and reads their details."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

import nbprof

from .test_timeline import fields

if TYPE_CHECKING:
    from pathlib import Path

    from tests.widgets.conftest import Page


@pytest.fixture
def page(open_page: Any, logs: Path) -> Page:
    return open_page(logs, nbprof.TimelineView)


def hits(page: Page, pattern: str, group_by: str = "thread") -> list[dict[str, Any]]:
    """Return the slices that a search finds by start and row, as the page refers to them."""
    layout = page.result("timeline", state=page.state(), group_by=group_by)
    first = {lane["key"]: lane["first_row"] for lane in layout["lanes"]}
    found = []
    for row in page.view.table.to_pylist():
        if re.search(pattern, row["name"], re.IGNORECASE):
            start, length = (round(row[key] * 1000) for key in ("start_us", "duration_us"))
            number = row["row"] + layout["host_rows"] * (row["side"] == "device")
            place = first[row["lane"]] + row["depth"]
            found.append(
                {"slice": number, "row": place, "start_ns": start, "end_ns": start + length}
            )
    return sorted(found, key=lambda hit: (hit["start_ns"], hit["row"]))


def test_next_and_previous_go_through_all_and_round(page: Page) -> None:
    expected = hits(page, "conv")
    assert len(expected) == 6
    found = page.result(
        "find", state=page.state(), group_by="thread", search="conv", direction=0, from_ns=0
    )
    assert set(found) == fields("Found")
    # The browser adds the name where it knows it.
    assert set(found["hit"]) == fields("SliceRef") - {"name"}
    assert (found["count"], found["index"], found["hit"]) == (6, 1, expected[0])
    at = 0
    for direction in (1, 1, 1, 1, 1, 1, -1, -1, 1):
        at = (at + direction) % 6
        asked = {"search": "conv", "direction": direction, "from": found["hit"]["slice"]}
        found = page.result("find", state=page.state(), group_by="thread", from_ns=0, **asked)
        assert (found["index"], found["hit"]) == (at + 1, expected[at])
    columns = found["columns"]
    assert columns == sorted(set(columns))
    assert len(columns) == 6, "they are far apart"


def test_a_search_starts_at_a_time(page: Page) -> None:
    expected = hits(page, "add")
    for direction, from_ns in ((0, 600_000), (1, 600_000), (-1, 600_000), (1, 10**9), (-1, 0)):
        asked = {"search": "/ADD/", "direction": direction, "from": None, "from_ns": from_ns}
        found = page.result("find", state=page.state(), group_by="thread", **asked)
        later = [hit for hit in expected if hit["start_ns"] >= from_ns]
        earlier = [hit for hit in expected if hit["start_ns"] < from_ns]
        wanted = (earlier or expected)[-1] if direction < 0 else (later or expected)[0]
        assert found["hit"] == wanted


@pytest.mark.parametrize("search", ["", "   ", None, "no such name"])
def test_what_is_not_there_is_not_found(page: Page, search: str | None) -> None:
    found = page.result("find", state=page.state(), search=search, direction=1)
    assert found == {"count": 0, "index": 0, "hit": None, "columns": []}


@pytest.mark.parametrize(
    ("op", "params", "kind", "word"),
    [
        ("find", {"search": "/(/"}, "FilterError", "regular expression"),
        ("find", {"search": 3}, "RequestError", "search: a string is required"),
        ("find", {"direction": 2}, "RequestError", "direction: 2 is out of range"),
        ("find", {"direction": "up"}, "RequestError", "direction"),
        ("find", {"from": 10**6}, "RequestError", "from: 1000000 is out of range"),
        ("find", {"from": "x"}, "RequestError", "from: an integer"),
        ("find", {"from_ns": 0.5}, "RequestError", "from_ns"),
        ("slice", {"slice": None}, "RequestError", "slice: an integer is required, not None"),
        ("slice", {"slice": -1}, "RequestError", "slice: -1 is out of range; there is from 0"),
        ("slice", {"slice": 10**6}, "RequestError", "out of range"),
    ],
)
def test_a_bad_request_is_answered_with_its_reason(
    page: Page, op: str, params: dict[str, Any], kind: str, word: str
) -> None:
    error = page.error(op, **{"state": page.state(), "search": "conv", **params})
    assert error["type"] == kind
    assert word in error["message"]
    assert error["hint"]


def details(page: Page, slice_id: int, group_by: str = "thread") -> dict[str, Any]:
    return page.result("slice", state=page.state(), group_by=group_by, slice=slice_id)


def test_all_that_is_known_of_a_slice(page: Page) -> None:
    (first, *_) = hits(page, "^aten::conv2d$")
    found = details(page, first["slice"])
    assert fields("SliceDetails") - {"align"} <= set(found)
    assert {key: found[key] for key in first} == first
    assert (found["side"], found["category"], found["lane"]) == ("host", "operator", "cpu:1:1")
    rows = page.view.table.to_pylist()
    row = next(r for r in rows if (r["side"], r["row"]) == ("host", found["table_row"]))
    assert found["name"] == row["name"]
    assert found["self_ns"] == round(row["self_us"] * 1000)
    assert any("[8, 3]" in text for _, text in found["facts"]), "its input shapes"
    assert "conv.py(458): forward" in found["call_stack"]
    info = page.result(
        "slices",
        state=page.state(),
        start_ns=0,
        end_ns=3_000_000,
        width=9_000,
        rows=[[0, 5]],
    )
    assert found["slot"] == info["slots"][info["names"].index(found["name"])]
    (kernel, *_) = hits(page, "conv_fwd")
    assert details(page, kernel["slice"])["slot"] is None, "its category gives it its colour"


def test_one_can_go_from_an_operator_to_its_kernel_and_back(page: Page) -> None:
    (operator, *_), (kernel, *_) = hits(page, "^aten::conv2d$"), hits(page, "conv_fwd")
    (launch, *_) = hits(page, "^cudaLaunchKernel$")
    ways = {way["kind"]: way["target"] for way in details(page, operator["slice"])["follow"]}
    assert (ways["launch"], ways["kernel"]) == (launch, kernel)
    of_kernel = details(page, kernel["slice"])
    assert of_kernel["self_ns"] is None
    ways = {way["kind"]: way["target"] for way in of_kernel["follow"]}
    assert (ways["operator"], ways["launch"]) == (operator, launch)
    arrows = [(a["kind"], a["from_row"], a["to_row"], a["to_ns"]) for a in of_kernel["arrows"]]
    assert ("enqueue", launch["row"], kernel["row"], kernel["start_ns"]) in arrows


def test_a_slice_is_where_the_grouping_puts_it(page: Page) -> None:
    layout = page.result("timeline", state=page.state(), group_by="module")
    lanes = {lane["key"]: lane for lane in layout["lanes"]}
    for slice_id in range(layout["slices"]):
        found = details(page, slice_id, "module")
        lane = lanes[found["lane"]]
        assert lane["first_row"] <= found["row"] < lane["first_row"] + lane["depths"]
