"""The functions view: its tables, its chart, and what is kept of it without Python."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.widgets.views.functions.icicle import RECURSIVE, package_of
from tests.support.programs.offline import answers
from tests.support.recordings.python_profiles import recorded
from tests.widgets.conftest import table_of
from tests.widgets.saved.test_page_filters import kept
from tests.widgets.saved.test_saved_answers import compare

if TYPE_CHECKING:
    from pathlib import Path

    from tests.widgets.conftest import Page


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> nbprof.Profile:
    return nbprof.load(recorded(tmp_path_factory.mktemp("python")), progress=False)


@pytest.fixture
def page(open_page: Any, profile: nbprof.Profile) -> Page:
    return open_page(profile)


def name_of(page: Page, function: str) -> str:
    table = page.view.table
    return next(row["name"] for row in table.to_pylist() if row["function"] == function)


def test_it_is_shown_first(page: Page) -> None:
    assert page.view.active == "functions"
    assert page.view.table.num_rows > 5
    info = page.result("trace", state=page.state())
    assert info["has"]["functions"]
    assert not info["has"]["stacks"]


def test_show_opens_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = recorded(tmp_path)
    assert nbprof.show(source).active == "functions"
    assert nbprof.show(source, view="overview").active == "overview"
    heading, facts, *_ = (lines := capsys.readouterr().out).splitlines()
    assert heading.startswith("Run ")
    assert re.fullmatch(r"[\d,]+ events", facts)  # neither steps nor a length
    assert "Functions by self time" in lines


def test_other_views_say_why_they_are_empty(page: Page) -> None:
    for table in ("operators", "kernels", "modules"):
        empty = page.result("page", state=page.state(), table=table)["empty"]
        assert "torch.profiler" in f"{empty['title']} {empty['text']}"


def test_traces_say_how_functions_are_recorded(open_page: Any, logs: Path) -> None:
    page = open_page(nbprof.load(logs))
    assert page.view.active == "overview"
    result = page.result("page", state=page.state(), table="functions")
    assert "cProfile" in f"{result['empty']['title']} {result['empty']['text']}"
    assert "cProfile" in page.result("icicle", state=page.state(), width=100)["empty"]


def test_rows_open_to_their_lines(page: Page) -> None:
    _, buffers = page.ask("page", state=page.state(), table="functions", limit=1000)
    rows = table_of(buffers[0]).to_pylist()
    leaf = next(row for row in rows if row["function"] == "leaf")
    assert leaf["call_stack"] == leaf["name"]
    assert leaf["file"] == f"python_profiles.py:{leaf['line']}"
    assert next(row["file"] for row in rows if row["function"].startswith("{")) == "~"


def test_callers_and_callees(page: Page) -> None:
    leaf = name_of(page, "leaf")
    asked = {"table": "function_callers", "state": page.state(), "limit": 1000}
    result, buffers = page.ask("page", **asked, calls={"of": leaf, "side": "callers"})
    assert result["result"]["keys"] == ["name"]
    callers = table_of(buffers[0])
    assert {name.split(": ")[-1] for name in callers["name"].to_pylist()} == {"short", "long"}
    _, buffers = page.ask("page", **asked, calls={"of": leaf, "side": "callees"})
    callees = table_of(buffers[0])["name"].to_pylist()
    assert {"{built-in method builtins.sum}", "{built-in method builtins.sorted}"} <= set(callees)
    work = {"of": name_of(page, "work"), "side": "callers"}
    assert page.result("page", **asked, calls=work)["empty"]["title"] == "No callers"
    page.view.selection = [{"name": leaf}]
    assert page.view.selected["function"].to_pylist() == ["leaf"]


@pytest.mark.parametrize("calls", [3, {}, {"of": "", "side": "callers"}, {"of": "x", "side": "y"}])
def test_broken_requests(page: Page, calls: Any) -> None:
    asked = {"table": "function_callers", "state": page.state(), "calls": calls}
    assert page.error("page", **asked)["type"] == "RequestError"


def test_chart(page: Page, profile: nbprof.Profile) -> None:
    ask = {"state": page.state(), "width": 100_000 // 100}
    whole = page.result("icicle", **ask)
    assert whole["total"] == pytest.approx(sum(profile.trace().functions()["self_us"].to_pylist()))
    assert any(name.endswith(f": fibonacci{RECURSIVE}") for name in whole["names"])
    assert (
        page.result("icicle", search="leaf", **ask)["found"] == 3
    )  # in short, in long, and in short in long
    selected = [name_of(page, "fibonacci")]
    _, buffers = page.ask("icicle", selected=selected, **ask)
    matching = [row for row in table_of(buffers[0]).to_pylist() if row["match"]]
    assert {whole["names"][row["name"]] for row in matching if row["name"] >= 0} <= {
        f"{selected[0]}{RECURSIVE}"
    }
    assert matching
    assert "filter" in page.result("icicle", state=page.state(name="nobody"), width=100)["empty"]


def test_without_python(page: Page, tmp_path: Path) -> None:
    names = [name_of(page, one) for one in ("leaf", "work", "fibonacci")]
    sides = ("callees", "callers")
    calls = [{"of": name, "side": side} for name in names for side in sides]
    calls.remove({"of": names[1], "side": "callers"})  # none; the words differ without Python
    compare(
        page,
        tmp_path,
        [
            *(
                ("page", {"table": "functions", "sort": [column, "desc"], "search": search})
                for column in ("self_us", "calls", "function")
                for search in ("", "python_profiles", "/: (leaf|short)$/")
            ),
            *(("page", {"table": "function_callers", "calls": one}) for one in calls),
            ("icicle", {"width": 1600}),
            ("icicle", {"width": 1600, "search": "leaf", "selected": names}),
        ],
    )


def test_filtered_without_python(page: Page, tmp_path: Path) -> None:
    state = page.state(name="leaf")
    asked = [("page", {"state": state, "table": "functions"}), ("icicle", {"state": state})]
    functions, icicle = answers(kept(page), tmp_path, asked)
    assert "result" in functions, functions
    assert functions["result"]["total"] == 1
    assert "without Python" in icicle["error"]["message"]


def test_private_pages_have_no_paths(page: Page, tmp_path: Path) -> None:
    page.view.to_html(tmp_path / "page.html", private=True)
    assert "/tests/support" not in (tmp_path / "page.html").read_text()


def test_summary(page: Page) -> None:
    summary = page.view.static()
    assert "Functions by self time" in summary.text
    assert "ncalls" in summary.text
    assert "Whole recording" not in summary.text
    html = summary._repr_html_()
    assert "leaf" in html
    assert "No steps" not in html


@pytest.mark.parametrize(
    ("name", "package"),
    [
        ("{built-in method builtins.len}", "builtins"),
        ("{method 'item' of 'torch._C.TensorBase' objects}", "torch"),
        ("{method 'append' of 'list' objects}", "builtins"),
        ("torch/nn/modules/conv.py(4): forward", "torch"),
        ("/usr/lib/python3.12/threading.py(4): wait", "threading.py"),
        ("<string>(1): <module>", "<string>"),
    ],
)
def test_colors_are_of_packages(name: str, package: str) -> None:
    assert package_of(name) == package
