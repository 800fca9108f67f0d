"""Every failure is reported: in the reply and in `view.errors`."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path
from typing import Any

import pytest

import nbprof
from nbprof.widgets.requests import router as router_module
from nbprof.widgets.requests.operations import Operation
from nbprof.widgets.requests.protocol import MAX_REPLY_BYTES, Reply
from tests.widgets.conftest import Page, write_trace

#: Requests with something wrong, and the type and a word of the answer.
BAD = [
    ("trace", {}, "RequestError", "state"),
    ("trace", {"state": []}, "RequestError", "state"),
    ("trace", {"state": {"run": 3}}, "RequestError", "run"),
    ("trace", {"state": {"filter": [1]}}, "RequestError", "filter"),
    ("trace", {"state": {"run": "no"}}, "UnknownNameError", "runA"),
    ("trace", {"state": {"run": "runA", "worker": "no"}}, "UnknownNameError", "worker0"),
    ("trace", {"state": {"run": "runA", "span": 9}}, "UnknownNameError", "span"),
    ("page", {"state": {}, "table": "no"}, "UnknownNameError", "operators"),
    ("page", {"state": {}, "table": "kernels", "group_by": "no"}, "UnknownNameError", "properties"),
    ("page", {"state": {}, "table": "steps", "group_by": "name"}, "UnknownNameError", "cannot"),
    ("page", {"state": {}, "table": "kernels", "sort": "calls"}, "RequestError", "sort"),
    ("page", {"state": {}, "table": "kernels", "sort": ["calls", "up"]}, "RequestError", "asc"),
    ("page", {"state": {}, "table": "kernels", "limit": -1}, "RequestError", "-1"),
    ("page", {"state": {}, "table": "kernels", "offset": 1.5}, "RequestError", "1.5"),
    ("page", {"state": {}, "table": "kernels", "search": "/(/"}, "FilterError", "regular"),
    ("page", {"state": {"filter": {"name": "/(/"}}, "table": "kernels"}, "FilterError", "regular"),
    (
        "page",
        {"state": {"filter": {"steps": [3, 1]}}, "table": "steps"},
        "FilterError",
        "backwards",
    ),
    ("page", {"state": {"filter": {"stepz": [3, 1]}}, "table": "steps"}, "FilterError", "'steps'"),
    *(
        ("page", {"state": {}, "table": "kernels", "group_by": bad}, "RequestError", "group_by")
        for bad in ([], ["x"], {"x": 1}, 7, 0, False, 1e308, "\ud800")
    ),
    ("csv", {"state": {}, "table": "kernels", "group_by": ["x"]}, "RequestError", "group_by"),
    ("timeline", {"state": {}, "width": 300, "group_by": ["x"]}, "RequestError", "group_by"),
    *(
        ("flame", {"state": {}, "width": 300, "rows": bad}, "RequestError", "rows")
        for bad in (
            1e308,
            True,
            {},
            {"x": 1},
            "ab",
            [],
            [1],
            [1, 2, 3],
            [2, 1],
            [0, 1e308],
            [None, 1],
        )
    ),
    *(
        ("script", {"script": bad} if bad != 0 else {}, "RequestError", "script")
        for bad in (None, 0, [], ["kernels"], {}, 1e308, "\ud800")
    ),
    ("script", {"script": "../widget"}, "ScriptError", "no script"),
    ("charts", {"state": {}, "view": "kernels", "templates": 7}, "RequestError", "templates"),
    ("overview", {"state": {}, "width": float("nan")}, "RequestError", "width"),
    ("stacks", {"state": {}, "table": "kernels", "name": "\ud800"}, "RequestError", "name"),
    ("stacks", {"state": {}}, "RequestError", "name"),
    ("stacks", {"state": {}, "name": "aten::add"}, "UnknownNameError", "no table None"),
    ("overview", {"state": {}, "theme": "pink"}, "RequestError", "pink"),
    ("overview", {"state": {}, "width": "wide"}, "RequestError", "wide"),
    ("overview", {"state": {}, "part": "half"}, "RequestError", "half"),
    ("charts", {"state": {}, "view": "no"}, "UnknownNameError", "kernels"),
    ("charts", {"state": {}, "view": "kernels", "top": 0}, "RequestError", "slices"),
]


@pytest.mark.parametrize(("op", "params", "kind", "word"), BAD)
def test_a_bad_request_is_answered_with_its_reason(
    page: Page, op: str, params: dict[str, Any], kind: str, word: str
) -> None:
    error = page.error(op, **params)
    assert error["type"] == kind
    assert word in error["message"]
    assert error["hint"]
    assert "bug in nbprof" not in error["hint"]
    assert error["details"] == ""
    assert type(page.view.errors[-1].error).__name__ == kind
    assert page.view.errors[-1].op == op


def test_a_fault_of_ours_brings_details(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> Reply:
        return {}["missing"]

    monkeypatch.setitem(page.view._router._operations, "hello", Operation(broken))
    error = page.error("hello")
    assert error["type"] == "KeyError"
    assert error["message"] == "KeyError: 'missing'"
    assert "bug in nbprof" in error["hint"]
    assert "broken" in error["details"]
    assert page.result("bokehjs")["version"], "the next request is answered"


def test_an_answer_that_is_no_json_is_an_error(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    operations = page.view._router._operations
    said = Operation(lambda *_: Reply({"x": float("nan")}))
    monkeypatch.setitem(operations, "hello", said)
    assert page.error("hello")["type"] == "ValueError"


def test_an_answer_that_is_too_large_is_not_sent(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    operations = page.view._router._operations
    large = Operation(lambda *_: Reply({}, [bytes(MAX_REPLY_BYTES)]))
    monkeypatch.setitem(operations, "hello", large)
    error = page.error("hello")
    assert error["type"] == "ReplyTooLargeError"
    assert "4.0 MiB" in error["message"]


def test_errors_are_kept_up_to_a_number_and_without_frames(page: Page) -> None:
    for _ in range(router_module.KEPT_ERRORS + 5):
        page.error("stacks", state=page.state())
    errors = page.view.errors
    assert len(errors) == router_module.KEPT_ERRORS
    assert all(kept.error.__traceback__ is None for kept in errors)


def test_a_file_that_breaks_is_told_and_the_others_stay(open_page: Any, logs: Path) -> None:
    page = open_page(logs)
    broken = next((logs / "runA").glob("worker0*1.pt.trace.json"))
    broken.write_text("not a trace any more")
    error = page.error("overview", state=page.state())
    assert error["type"] == "TraceFormatError"
    assert broken.name in error["message"]
    skipped = page.result("catalog")["skipped"]
    assert broken.name in [Path(row["path"]).name for row in skipped]
    other = {"run": "runB", "worker": "cpu0", "span": 1, "filter": {}}
    assert page.result("trace", state=other)["events"] > 0


def test_a_file_that_is_gone_is_told(open_page: Any, logs: Path) -> None:
    page = open_page(logs)
    next((logs / "runA").glob("worker0*1.pt.trace.json")).unlink()
    error = page.error("trace", state=page.state())
    assert error["message"]
    assert error["hint"]
    assert "bug in nbprof" not in error["hint"]


@pytest.mark.parametrize(
    ("traits", "word"),
    [
        ({"filter": {"name": "/(/"}}, "regular"),
        ({"filter": {"steps": [9, 1]}}, "backwards"),
        ({"filter": {"stepz": 1}}, "'steps'"),
        ({"filter": "conv"}, "Filter"),
        ({"time_range": [2, 1]}, "backwards"),
        ({"active": "unknown"}, "timeline"),
        ({"window": [2, 1]}, "backwards"),
        ({"window": [2, 2]}, "is empty"),
        ({"active": "operators", "group_by": "colour"}, "name+shape"),
        ({"selection": [{"colour": 1}]}, "colour"),
        ({"selection": "all"}, "key columns"),
        ({"run": "runZ"}, "runA"),
        ({"theme": "pink"}, "dark"),
    ],
)
def test_a_trait_that_cannot_be_used_is_told_in_the_page_and_undone(
    page: Page, traits: dict[str, Any], word: str
) -> None:
    before = {name: getattr(page.view, name) for name in traits}
    messages = page.save(**traits)
    custom = [m["content"] for m, _ in messages if m.get("method") == "custom"]
    assert len(custom) == 1
    assert (custom[0]["id"], custom[0]["ok"]) == (None, False)
    assert word in custom[0]["error"]["message"]
    assert {name: getattr(page.view, name) for name in traits} == before
    told = {}
    for message, _ in messages:
        if message.get("method") == "update":
            told |= message["state"]
    assert told == before, "the page shows again what holds"
    assert page.view.errors[-1].op == "traits"


def test_an_empty_directory_is_a_state_and_refresh_mends_it(open_page: Any, tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    page = open_page(folder, run="runA", steps=(1, 2))
    view = page.view
    assert isinstance(view.errors[0].error, nbprof.TraceNotFoundError)
    catalog = page.result("catalog")
    assert catalog["runs"] == []
    assert catalog["failure"]["type"] == "TraceNotFoundError"
    assert str(folder) in catalog["failure"]["message"]
    assert page.error("overview", state=page.state())["type"] == "TraceNotFoundError"
    with pytest.raises(nbprof.TraceNotFoundError):
        _ = view.table
    write_trace(folder / "runA" / "worker0.1700000000001.pt.trace.json")
    assert "failure" not in page.result("refresh")
    assert (view.run, view.worker, view.span) == ("runA", "worker0", 1)
    assert view.table.num_rows == 9


def test_a_directory_without_a_readable_trace_names_what_is_there(
    open_page: Any, tmp_path: Path
) -> None:
    (tmp_path / "other.json").write_text('{"a": 1}')
    failure = open_page(tmp_path).result("catalog")["failure"]
    assert failure["type"] == "TraceFormatError"
    assert "other.json" in failure["message"]


def test_a_closed_view_says_so_and_keeps_nothing_alive(open_page: Any, logs: Path) -> None:
    page = open_page(logs)
    view = page.view
    for op in ("overview", "trace"):
        page.result(op, state=page.state())
    page.result("page", state=page.state(), table="kernels")
    page.error("page", state=page.state(), table="nothing")
    assert view.figures
    alive = [
        weakref.ref(view.trace.model),
        weakref.ref(view.table),
        weakref.ref(view.profile),
    ]
    view.close()
    gc.collect()
    assert [ref() for ref in alive] == [None] * len(alive)
    with pytest.raises(nbprof.NbprofError, match="closed"):
        _ = view.table
    assert "closed" in repr(view)
