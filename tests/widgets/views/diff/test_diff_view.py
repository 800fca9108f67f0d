"""The diff view: its requests, tables, saved state and summary, for two traces of one profile."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.diffs.lookup import words
from nbprof.widgets.session.baseline import OTHER
from nbprof.widgets.views.diff.choices import CHOICES
from nbprof.widgets.views.diff.requests import overview
from tests.diffs.runs import NET, changed, run
from tests.widgets.conftest import table_of, write_trace

if TYPE_CHECKING:
    from pathlib import Path

BASELINE = {"run": "runA", "worker": "worker0", "span": 1}


@pytest.fixture
def slower(tmp_path: Path) -> Path:
    """Two runs of four steps: in the second, kernels are slower and an operator is renamed."""
    folder = tmp_path / "two"
    write_trace(folder / "before" / "w.1700000000001.pt.trace.json", steps=(1, 2, 3, 4))
    write_trace(folder / "after" / "w.1700000000001.pt.trace.json", steps=(1, 2, 3, 4))
    path = folder / "after" / "w.1700000000001.pt.trace.json"
    plain = json.loads(path.read_text())
    for event in plain["traceEvents"]:
        if event.get("cat") == "kernel":
            event["dur"] *= 2
        if event["name"] == "aten::add":
            event["name"] = "aten::added"
    path.write_text(json.dumps(plain))
    return folder


def state_of(page: Any, **fields: Any) -> dict[str, Any]:
    return {**page.state(**fields), "baseline": page.view.baseline}


def rows_of(page: Any, group_by: str, **more: Any) -> tuple[dict[str, Any], Any]:
    state = more.pop("state", None) or state_of(page)
    params = {"state": state, "table": "differences", "group_by": group_by, **more}
    reply, buffers = page.ask("page", **params)
    assert reply["ok"], reply
    return reply["result"], table_of(buffers[0])


def test_the_choices_are_the_words_of_differences() -> None:
    known = words()
    for word, choice in CHOICES.items():
        spec, options = known[word]
        keys = spec.row_keys(options.get("group_by", ""))
        assert choice.keys == keys, word


def test_without_a_baseline_only_the_candidate_is_described(open_page: Any, logs: Path) -> None:
    page = open_page(logs, view="diff")
    result = page.result("diff", state=page.state())
    assert result["baseline"] is None
    assert result["candidate"]["worker"] == "worker0"
    said, table = rows_of(page, "operator", state=page.state())
    assert (said["total"], table.num_rows) == (0, 0)
    assert said["empty"]["title"] == "Nothing to compare with"
    assert page.view.table.num_rows == 0
    assert page.view.figure is None


def test_its_tab_has_content_only_with_something_to_compare(open_page: Any, logs: Path) -> None:
    page = open_page(logs)
    assert page.result("trace", state=page.state())["has"]["comparison"]
    alone = open_page(nbprof.load(logs / "runB"))
    assert not alone.result("trace", state=alone.state())["has"]["comparison"]
    compared = open_page(nbprof.load(logs / "runB"), baseline=logs / "runA")
    assert compared.result("trace", state=compared.state())["has"]["comparison"]
    [run] = compared.result("catalog")["baselines"]
    assert [one["worker"] for one in run["workers"]] == ["worker0", "worker1"]


def test_a_trace_beside_itself_changes_in_nothing(open_page: Any, logs: Path) -> None:
    page = open_page(logs, view="diff", baseline=BASELINE)
    result = page.result("diff", state=state_of(page))
    whole, *parts = result["parts"]
    assert whole["delta_us"] == 0
    assert {part["change"] for part in parts} == {"same"}
    assert [bar["kind"] for bar in result["bars"]] == ["baseline", "rest", "candidate"]
    for word in CHOICES:
        said, table = rows_of(page, word)
        if "change" in table.column_names:
            assert set(table["change"].to_pylist()) <= {"same"}, word
            assert said["changes"]["same"] == table.num_rows == said["total"], word


def test_bars_lead_from_one_step_to_the_other(open_page: Any, slower: Path) -> None:
    page = open_page(slower, view="diff", run="after", baseline="before")
    result = page.result("diff", state=state_of(page))
    first, *changes, last = result["bars"]
    whole, *parts = result["parts"]
    assert (first["to_us"], last["to_us"]) == (whole["baseline_us"], whole["candidate_us"])
    reached = first["to_us"]
    for bar in changes:
        assert bar["from_us"] == pytest.approx(reached)
        reached += bar["delta_us"]
    assert reached == pytest.approx(last["to_us"])
    assert sum(part["delta_us"] for part in parts) == pytest.approx(whole["delta_us"])
    largest = changes[0]
    assert (largest["category"], largest["change"], largest["field"]) == ("Kernel", "up", "within")
    assert result["baseline"]["complete"] == result["candidate"]["complete"] == 4


def test_a_filter_applies_to_both_sides(open_page: Any, slower: Path) -> None:
    page = open_page(slower, view="diff", run="after", baseline="before")
    every = page.result("diff", state=state_of(page))
    some = page.result("diff", state=state_of(page, steps=[2, 3]))
    assert (every["baseline"]["complete"], some["baseline"]["complete"]) == (4, 2)
    assert some["candidate"]["complete"] == 2
    assert any("no estimate of the noise" in note for note in some["notes"])
    field, value = (every["bars"][1][key] for key in ("field", "value"))
    narrowed = page.result("diff", state=state_of(page, **{field: value}))
    kernel = next(part for part in narrowed["parts"] if part["category"] == "kernel")
    assert 0 < kernel["baseline_us"] < kernel["candidate_us"]


def test_rows_of_one_side_come_first_or_last(open_page: Any, slower: Path) -> None:
    page = open_page(slower, view="diff", run="after", baseline="before")
    said, table = rows_of(page, "operator")
    single = {"added", "removed"}
    assert {said["changes"][one] for one in single} == {1}
    before = table["name"].to_pylist()
    assert set(before[:2]) != {"aten::add", "aten::added"}
    for ends in ("first", "last"):
        _, moved = rows_of(page, "operator", ends=ends)
        changes, names = moved["change"].to_pylist(), moved["name"].to_pylist()
        assert set(changes[:2] if ends == "first" else changes[-2:]) == single
        rest = [name for name in before if name not in ("aten::add", "aten::added")]
        assert [name for name in names if name in rest] == rest
    assert "first" in page.error("page", **_query(page, ends="middle"))["message"]


def _query(page: Any, **more: Any) -> dict[str, Any]:
    return {"state": state_of(page), "table": "differences", "group_by": "operator", **more}


def test_the_main_figure_comes_first_and_empty_cells_have_reasons(
    open_page: Any, logs: Path
) -> None:
    page = open_page(logs, view="diff", worker="worker1", baseline=BASELINE)
    said, table = rows_of(page, "operator")
    names = table.column_names
    figure = table.schema.field("change").metadata[b"figure"].decode()
    assert names[1:4] == [f"{side}_{figure}" for side in ("baseline", "candidate", "delta")]
    assert names[4:7] == ["delta_pct", "noise_pct", "change"]
    assert "baseline is 0" in said["notes"]["delta_pct"]
    found, _ = rows_of(page, "operator", search="delta_pct > 1000000")
    assert found["total"] == 0
    text = page.ask("csv", **_query(page))[1][0].decode()
    assert text.splitlines()[0].startswith("name,baseline_")


def test_lines_of_the_tree_open(open_page: Any, slower: Path) -> None:
    page = open_page(slower, view="diff", run="after", baseline="before")

    def lines(**tree: Any) -> tuple[dict[str, Any], Any]:
        query = {"search": "", "all": None, "folds": {}, **tree}
        params = {"state": state_of(page), "table": "diff_tree", "group_by": "", "tree": query}
        reply, buffers = page.ask("page", **params)
        assert reply["ok"], reply
        return reply["result"], table_of(buffers[0])

    said, top = lines(all=False)
    assert set(top["level"].to_pylist()) == {1}
    _, every = lines(all=True)
    assert every.num_rows == said["of"] > top.num_rows
    assert "kernel" in every["kind"].to_pylist()
    opened = next(row for row in top.to_pylist() if row["expanded"] is False)
    _, some = lines(all=False, folds={str(opened["row"]): True})
    inside = [row["parent"] for row in some.to_pylist() if row["level"] == 2]
    assert inside
    assert set(inside) == {opened["row"]}
    found, hits = lines(all=False, search="aten::added")
    assert hits["name"].to_pylist()[found["match"]] == "aten::add → aten::added"
    missed, _ = lines(all=False, search="no such name")
    assert missed["total"] == said["total"]


def test_a_diff_is_shown_with_its_sides_and_filter(logs: Path) -> None:
    profile = nbprof.load(logs)
    diff = profile.diff(run="runA", worker="worker0", to_worker="worker1")
    view = nbprof.Explorer(diff)
    assert (view.active, view.run, view.worker) == ("diff", "runA", "worker1")
    assert view.baseline == {"run": "runA", "worker": "worker0", "span": 1}
    assert view.table.num_rows == diff.operators().num_rows
    assert set(view.figures) == {"waterfall"}
    view = nbprof.Explorer(nbprof.diff(logs / "runA", logs / "runB"), view="overview")
    assert (view.active, view.run) == ("overview", "runB")
    assert view.baseline == {"run": "runA", "worker": "worker0", "span": 1, "source": OTHER}
    trace = profile.trace(run="runA")
    view = nbprof.Explorer(nbprof.diff(trace.filter(steps=(1, 2)), trace.filter(steps=(2, 3))))
    assert view.filter == {"steps": [2, 3]}
    found = overview(view._session, view._state())
    assert (found["baseline"]["filter"], found["candidate"]["filter"]) == ("steps 1 to 2", "")
    assert (found["baseline"]["complete"], found["candidate"]["complete"]) == (2, 2)
    same = nbprof.Explorer(nbprof.diff(trace.filter(name="mm"), trace.filter(name="mm")))
    assert same.filter == {"name": "mm"}


def test_a_summary_says_what_changed(slower: Path) -> None:
    view = nbprof.Explorer(slower, view="diff", run="after", baseline="before")
    static = view.static()
    assert "Compared with baseline before · w" in static.text
    assert "Largest changes" in static.text
    assert "Compared with baseline before · w" in static.html
    assert "Largest changes of the step" in static.html
    assert "slower" in static.html
    view.baseline = {}
    assert "Compared with" not in view.static().text
    assert "Compared with" not in view.static().html


def test_a_summary_has_rows_within_the_noise(slower: Path) -> None:
    """Steps that differ give an estimate of the noise, and differences within it their words."""
    for name, shift in (("before", 0), ("after", 2)):
        path = slower / name / "w.1700000000001.pt.trace.json"
        plain = json.loads((slower / "before" / path.name).read_text())
        kernels = [event for event in plain["traceEvents"] if event.get("cat") == "kernel"]
        for place, event in enumerate(kernels):
            event["dur"] += 5 * ((place + shift) % 4)
        path.write_text(json.dumps(plain))
    view = nbprof.Explorer(slower, view="diff", run="after", baseline="before")
    shown = view.static().html
    assert "Operators with the largest differences" in shown
    assert "within the noise" in shown


def test_the_figure_is_a_waterfall(slower: Path) -> None:
    view = nbprof.Explorer(slower, view="diff", run="after", baseline="before")
    figure = view.figure
    assert figure is not None
    assert view.to_svg().startswith("<svg")


def test_the_tree_opens_along_the_largest_change(open_page: Any, tmp_path: Path) -> None:
    slow = changed(changed(NET, 2, device=400.0), 5, name="aten::mul_")
    run(tmp_path / "runs" / "a", NET)
    run(tmp_path / "runs" / "b", slow, seed=2)
    page = open_page(tmp_path / "runs", view="diff", run="b", baseline={"run": "a"})
    query = {"search": "", "all": None, "folds": {}}
    params = {"state": state_of(page), "table": "diff_tree", "group_by": "", "tree": query}
    reply, buffers = page.ask("page", **params)
    assert reply["ok"], reply
    lines = table_of(buffers[0]).to_pylist()
    marked = lines[reply["result"]["match"]]
    assert marked["name"] == "linear_kernel"
    assert [line["match"] for line in lines].count(True) == 1
    by_row = {line["row"]: line for line in lines}
    above = []
    up = marked["parent"]
    while up is not None:
        above.append(by_row[up]["name"])
        assert by_row[up]["expanded"]
        up = by_row[up]["parent"]
    assert above == ["aten::linear", "Linear_0", "Net_0", "Step"]
    closed = next(line for line in lines if line["name"] == "ReLU_0")
    assert closed["expanded"] is False
    _, buffers = page.ask("page", **{**params, "tree": {**query, "all": False}})
    assert not any(line["match"] for line in table_of(buffers[0]).to_pylist())
