"""Replies fit into a message whatever the recording has: long texts are cut, long lists too."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest

from nbprof.widgets.requests.fitting import fitted, is_shown_as
from nbprof.widgets.requests.protocol import MAX_REPLY_BYTES
from nbprof.widgets.requests.trace import LONGEST, MOST_LISTED
from nbprof.widgets.views.registry import VIEWS
from tests.support.traces import kernel, op, write
from tests.widgets.conftest import table_of

if TYPE_CHECKING:
    from pathlib import Path

#: Longer than all but absurd names; a hundred of them do not fit into a message.
LONG: Final = "x" * 60_000
MANY: Final = 100


def named_thread(number: int) -> dict[str, Any]:
    args = {"name": f"{number}{LONG}"}
    return {"ph": "M", "name": "thread_name", "pid": 1, "tid": number, "args": args}


#: Recordings of which one kind of thing has very long names, or is there very often.
RECORDINGS: Final[dict[str, Any]] = {
    "names of threads": [
        *(op("aten::a", number, 5, tid=number) for number in range(MANY)),
        *map(named_thread, range(MANY)),
    ],
    "names of kernels": [
        op("aten::mm", 1, 9000),
        *(kernel(f"{number}_{LONG}", 5 + 9 * number, 3) for number in range(MANY)),
    ],
    "names of operators": [op(f"aten::{at}_{LONG}", 10 * at, 5) for at in range(MANY)],
    "names of modules": [
        op(f"nn.Module: {at}_{LONG}", 10 * at, 5, cat="python_function") for at in range(MANY)
    ],
    "names of devices": {
        "deviceProperties": [{"id": at, "name": f"{at}{LONG}"} for at in range(MANY)],
        "traceEvents": [
            op("aten::a", 1, 5),
            *(kernel("k", 5 + at, 1, device=at) for at in range(MANY)),
        ],
    },
    "threads": [op("aten::a", at, 5, tid=at) for at in range(100_000)],
}


@pytest.mark.parametrize("name", RECORDINGS)
def test_every_view_opens(open_page: Any, tmp_path: Path, name: str) -> None:
    content = RECORDINGS[name]
    text = json.dumps(content) if isinstance(content, dict) else content
    write(tmp_path / "a.pt.trace.json", text)
    page = open_page(tmp_path)
    for view in VIEWS.specs():
        own = {"state": page.state(), "view": view.name, "table": view.main_table}
        params = {**own, "width": 300, "limit": 100, "offset": 0, "rows": [0, 30]}
        for operation in ("trace", *view.operations):
            reply, _ = page.ask(operation, **params)
            error = reply.get("error", {})
            assert error.get("type") != "ReplyTooLargeError", (view.name, operation)


def test_a_filter_lists_the_busiest_threads_and_says_so(open_page: Any, tmp_path: Path) -> None:
    events = [op("aten::a", at, 5, tid=at) for at in range(MOST_LISTED + 7)]
    events += [op("aten::b", 10 + at, 5, tid=MOST_LISTED + 3) for at in range(3)]
    write(tmp_path / "a.pt.trace.json", events)
    page = open_page(tmp_path)
    found = page.result("trace", state=page.state())
    assert len(found["threads"]) == MOST_LISTED
    assert found["threads"][0]["tid"] == MOST_LISTED + 3
    assert found["of"] == {"threads": MOST_LISTED + 7}
    (said,) = [one for one in found["warnings"] if "does not list" in one["kind"]]
    assert (said["kind"].split()[0], said["count"]) == ("threads", 7)
    assert "typed into the field Name" in said["example"]


@pytest.mark.parametrize("kind", ["thread", "device", "stream"])
def test_what_a_filter_does_not_list_is_found_by_its_name(
    open_page: Any, tmp_path: Path, kind: str
) -> None:
    last = MOST_LISTED + 5
    if kind == "thread":
        events = [op("aten::a", at, 5, tid=at) for at in range(last + 1)]
    else:
        place = {"device": 0, "stream": 7}
        events = [op("aten::a", 1, 5)]
        events += [kernel("k", at, **{**place, kind: at}) for at in range(last + 1)]
    write(tmp_path / "a.pt.trace.json", events)
    page = open_page(tmp_path)
    found = page.result("names", state=page.state(), text=str(last))
    assert [one[1:] for one in found["names"]] == [[kind, last]]
    state = page.state(**{f"{kind}s": [last]})
    table = "operators" if kind == "thread" else "kernels"
    assert page.result("page", state=state, table=table)["total"] == 1


def test_places_that_a_filter_lists_are_not_suggested(open_page: Any, tmp_path: Path) -> None:
    write(tmp_path / "a.pt.trace.json", [op("aten::a", at, 5, tid=70 + at) for at in range(9)])
    page = open_page(tmp_path)
    assert page.result("names", state=page.state(), text="7") == {"names": [], "total": 0}


def test_a_part_of_a_long_name_is_suggested(open_page: Any, tmp_path: Path) -> None:
    write(tmp_path / "a.pt.trace.json", [op(f"aten::{LONG}", 1, 5), op("aten::b", 9, 5)])
    page = open_page(tmp_path)
    suggested, _, _ = page.result("names", state=page.state(), text="xx")["names"][0]
    assert suggested == f"aten::{LONG}"[:LONGEST]
    state = page.state(name=suggested)
    assert page.result("page", state=state, table="operators")["total"] == 1


@pytest.mark.parametrize("table", ["kernels", "operators"])
def test_the_row_of_a_long_name_has_it_whole(open_page: Any, tmp_path: Path, table: str) -> None:
    """What a page copies is the name of the row, however many rows have long names."""
    write(tmp_path / "a.pt.trace.json", RECORDINGS[f"names of {table}"])
    page = open_page(tmp_path)
    name = f"{{}}_{LONG}" if table == "kernels" else f"aten::{{}}_{LONG}"
    found: list[str] = []
    while len(found) < MANY:
        params = {"state": page.state(), "table": table, "offset": len(found), "limit": 100}
        reply, buffers = page.ask("page", **params)
        assert reply["ok"]
        found += table_of(buffers[0])["name"].to_pylist()
    assert sorted(found) == sorted(name.format(at) for at in range(MANY))


def test_the_details_of_a_slice_have_its_long_name_whole(open_page: Any, tmp_path: Path) -> None:
    write(tmp_path / "a.pt.trace.json", RECORDINGS["names of kernels"])
    page = open_page(tmp_path)
    asked = {"state": page.state(), "group_by": "thread"}
    host_rows = page.result("timeline", **asked)["host_rows"]
    details = page.result("slice", **asked, slice=host_rows + 7)
    assert details["name"] == f"7_{LONG}"


def test_a_row_that_does_not_fit_alone_is_cut(open_page: Any, tmp_path: Path) -> None:
    frames = ";".join("é" * 50_000 for _ in range(40))
    write(tmp_path / "a.pt.trace.json", [op("aten::a", 1, 5, args={"Call stack": frames})])
    page = open_page(tmp_path)
    reply, buffers = page.ask("stacks", state=page.state(), table="operators", name="aten::a")
    assert reply["ok"]
    assert sum(map(len, buffers)) < MAX_REPLY_BYTES
    (shown,) = table_of(buffers[0])["frames"].to_pylist()
    assert shown.startswith("é")


def test_only_texts_of_replies_that_do_not_fit_are_cut() -> None:
    small = {"op": "a", "result": {"names": [LONG, "b"]}}
    assert fitted(small, []) is small
    long = {"op": "a", "result": {"names": [LONG] * MANY, "key": "short", "number": 1}}
    found = fitted(long, [])["result"]
    assert (found["key"], found["number"]) == ("short", 1)
    assert all(is_shown_as(LONG, one) and len(one) < len(LONG) for one in found["names"])
    assert not is_shown_as("another", found["names"][0])
    assert is_shown_as("b", "b")
