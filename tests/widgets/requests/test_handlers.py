"""Every operation of the protocol, requested as by the browser."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import bokeh
import pyarrow.compute as pc
import pytest
from bokeh.models import ColumnDataSource

from nbprof.widgets.requests import tables as handlers_tables
from nbprof.widgets.requests.catalog import _label
from nbprof.widgets.requests.protocol import MAX_REPLY_BYTES
from tests.support.traces import op, write
from tests.widgets.conftest import STACK, Page, table_of, write_trace

#: The charts of the stages of a step, beside those of all steps.
STAGE_FIGURES = ("stage_summary_host", "stage_summary_device")


def test_hello_tells_versions(page: Page) -> None:
    result = page.result("hello")
    assert result["protocol"] == 1
    assert result["bokeh"] == bokeh.__version__
    assert result["version"]


def test_catalog_lists_runs_workers_and_spans(page: Page, logs: Path) -> None:
    result = page.result("catalog")
    runs = {run["run"]: run["workers"] for run in result["runs"]}
    assert [w["worker"] for w in runs["runA"]] == ["worker0", "worker1"]
    assert [[s["span"] for s in w["spans"]] for w in runs["runA"]] == [[1, 2], [1]]
    span = runs["runB"][0]["spans"][0]
    assert span["path"].startswith("logs/runB/")
    assert span["bytes"] == (logs.parent / span["path"]).stat().st_size
    assert [Path(s["path"]).name for s in result["skipped"]] == ["notes.json"]
    assert result["skipped"][0]["reason"]
    assert result["skipped_count"] == 1
    assert "*.pt.trace.json" in result["looked_for"]


@pytest.mark.parametrize(
    ("files", "labels"),
    [
        (
            [
                f"17390{i}.6-TP-0-{stage}.trace.json.gz"
                for i, stage in enumerate(("EXTEND", "DECODE"))
            ],
            ["EXTEND", "DECODE"],
        ),
        (["logs/w0.1700000000001.pt.trace.json", "logs/w0.1700000000002.pt.trace.json"], []),
        (["a-warmup-part1.json", "a-warmup-part2.json"], ["part1", "part2"]),
        (["a-prefill.json", "a.json"], []),
        (["only-EXTEND.json"], []),
    ],
)
def test_spans_are_named_by_the_words_that_tell_their_files_apart(
    files: list[str], labels: list[str]
) -> None:
    spans: list[dict[str, Any]] = [{"path": path} for path in files]
    _label(spans)
    assert [span["label"] for span in spans if "label" in span] == labels


def test_refresh_sees_files_that_have_come_and_gone(page: Page, logs: Path) -> None:
    write_trace(logs / "runC" / "worker0.1700000000001.pt.trace.json")
    for file in (logs / "runA").iterdir():
        file.unlink()
    assert [r["run"] for r in page.result("catalog")["runs"]] == ["runA", "runB"]
    before = len(page.comm.sent)
    assert [r["run"] for r in page.result("refresh")["runs"]] == ["runB", "runC"]
    assert (page.view.run, page.view.worker, page.view.span) == ("runB", "cpu0", 1)
    assert page.updates(before) == {"run": "runB", "worker": "cpu0"}


def test_the_profiler_is_named_among_the_threads(open_page: Any, tmp_path: Path) -> None:
    own = {"cat": "overhead", "pid": -1, "tid": 0}
    path = write(tmp_path / "w.pt.trace.json", [op("a"), op("b", 50), op("Buffer Flush", **own)])
    page = open_page(str(path))
    threads = page.result("trace", state=page.state())["threads"]
    assert [one["label"] for one in threads] == ["thread 1", "profiler 0"]


def test_trace_describes_the_whole_trace_whatever_the_filter(page: Page) -> None:
    result = page.result("trace", state=page.state(steps=[2, 2], name="nothing"))
    steps = {"recorded": True, "first": 1, "last": 3, "count": 3, "complete": 3}
    assert result["steps"] == {**steps, "by": []}
    assert result["streams"] == [7]
    assert [(d["device"], d["label"]) for d in result["devices"]] == [(0, "GPU 0")]
    assert [t["tid"] for t in result["threads"]] == [1]
    assert "1" in result["threads"][0]["label"]
    assert result["has"]["kernels"]
    assert result["has"]["shapes"]
    assert not result["has"]["memory"]
    assert set(result["hints"]) == {"memory", "modules", "functions"}
    assert "profile(profile_memory=True)" in result["hints"]["memory"]
    assert result["duration_us"] == pytest.approx(2900)


def test_trace_of_a_cpu_run_names_the_options_that_record_more(page: Page) -> None:
    state = {"run": "runB", "worker": "cpu0", "span": 1, "filter": {}}
    hints = page.result("trace", state=state)["hints"]
    for thing, option in (
        ("kernels", "ProfilerActivity.CUDA"),
        ("device", "ProfilerActivity.CUDA"),
        ("shapes", "record_shapes=True"),
        ("stacks", "with_stack=True"),
        ("modules", "with_modules=True"),
    ):
        assert option in hints[thing]


def test_overview_brings_tables_figures_and_facts(page: Page) -> None:
    reply, buffers = page.ask(
        "overview", state=page.state(), theme="dark", unit="ms", width={"summary": 300, "": 600}
    )
    result = reply["result"]
    trace = page.view.trace
    assert list(result["tables"]) == [
        "overview",
        "steps",
        "device_summary",
        "device_time",
        "recommendations",
    ]
    for name, index in result["tables"].items():
        assert table_of(buffers[index]).equals(trace.table(name))
    assert set(result["figures"]) == {"summary", "steps", "idle_by_host", *STAGE_FIGURES}
    cards = [card["name"] for card in result["cards"]]
    assert cards == ["idle", "longest_gaps", "stages", "user_events"]
    for item in result["figures"].values():
        assert item["version"] == bokeh.__version__
        assert json.loads(item["root"])["name"] == "Figure"
    facts = dict(result["facts"])
    assert facts["GPU 0"] == "Test GPU"
    assert facts["Memory"] == "16.00 GiB"
    assert facts["Compute capability"] == "8.0"


def test_the_cards_of_the_overview_can_come_after_its_own_charts(page: Page) -> None:
    look = {"state": page.state(), "width": 600}
    whole = page.result("overview", **look)
    own = page.result("overview", **look, part="own")
    cards = page.result("charts", **look, view="overview", part="cards")
    assert (own["cards"], list(own["figures"])) == ([], ["summary", "steps"])
    assert set(cards["figures"]) == set(whole["figures"]) - set(own["figures"])
    named = [[card["name"] for card in one["cards"]] for one in (cards, whole)]
    assert named[0] == named[1] != []


def test_overview_under_a_filter_is_that_of_the_filter(page: Page) -> None:
    reply, buffers = page.ask("overview", state=page.state(steps=[2, 2]), width=400)
    steps = table_of(buffers[reply["result"]["tables"]["steps"]])
    assert steps["step"].to_pylist() == [2]
    assert dict(reply["result"]["facts"])["GPU 0"] == "Test GPU"


@pytest.mark.parametrize(
    ("view", "names"),
    [
        ("operators", {"device_self", "device_total", "host_self", "host_total"}),
        ("kernels", {"total_time", "tensor_cores"}),
        ("overview", {"summary", "steps", "idle_by_host", *STAGE_FIGURES}),
    ],
)
@pytest.mark.parametrize("top", [1, 7, None])
def test_charts_are_the_figures_of_a_view(
    page: Page, view: str, names: set[str], top: int | None
) -> None:
    params = {"view": view, "top": top, "theme": "light", "width": 320, "unit": "auto"}
    figures = page.result("charts", state=page.state(), **params)["figures"]
    assert set(figures) == names


def test_a_name_that_nothing_has_leaves_the_charts_and_mutes_all_of_them(page: Page) -> None:
    state = page.state(name="nothing like it")
    charts = [page.result("charts", state=one, view="kernels") for one in (page.state(), state)]
    assert list(charts[0]["figures"]) == list(charts[1]["figures"]) != []
    assert "(0.0 % in the filter)" in json.dumps(charts[1]["figures"]["total_time"])


def test_charts_of_nothing_are_none(page: Page) -> None:
    nothing = {"figures": {}, "cards": [], "notes": []}
    for empty in ({"devices": [7]}, {"time_us": [1e9, 2e9]}):
        assert page.result("charts", state=page.state(**empty), view="kernels") == nothing


def test_charts_and_rows_keep_their_colours_under_a_filter(page: Page) -> None:
    def drawn(**fields: Any) -> dict[str, str]:
        page.view.filter = fields
        figure = page.view.figures["host_self"]
        data = figure.select_one({"name": "slices", "type": ColumnDataSource}).data
        return dict(zip(data["name"], data["color"], strict=True))

    def slots(**fields: Any) -> dict[str, int]:
        reply, buffers = page.ask("page", state=page.state(**fields), table="operators")
        names = table_of(buffers[0])["name"].to_pylist()
        return dict(zip(names, reply["result"]["slots"], strict=True))

    page.view.active = "operators"
    for colours in (drawn, slots):
        everything, narrowed = colours(), colours(name="add")
        # charts keep what the filter leaves out, and mute it
        assert set(narrowed) <= set(everything)
        assert {name: everything[name] for name in narrowed} == narrowed


def test_percentages_of_total_times_ignore_the_name_filter(page: Page) -> None:
    def drawn(**fields: Any) -> dict[str, float]:
        page.view.filter = fields
        figure = page.view.figures["host_total"]
        data = figure.select_one({"name": "slices", "type": ColumnDataSource}).data
        return dict(zip(data["name"], data["pct"], strict=True))

    page.view.active = "operators"
    everything = drawn()
    name = next(iter(everything))
    assert len(everything) > 1
    assert drawn(name=f"/^{name}$/") == everything


def test_kernels_within_a_name_are_those_that_it_launched(page: Page) -> None:
    def kernels(**filter_: Any) -> dict[str, Any]:
        return page.result("page", state=page.state(**filter_), table="kernels", group_by="name")

    names = {within: kernels(within=within)["total"] for within in ("=aten::conv2d", "=aten::add")}
    assert names == {"=aten::conv2d": 1, "=aten::add": 1}
    assert kernels(within="=forward")["total"] == 2
    assert kernels(within="=forward", name="conv")["total"] == 1
    [empty] = [kernels(within="=aten::mm")["empty"]]
    assert empty["title"] == "No kernel matches the filter"
    empty = kernels(within="=aten::mm", devices=[0])["empty"]
    assert empty["text"] == "Without the within filter there are 2 kernels."
    assert empty["actions"] == [{"label": "Clear within filter", "filter": {"devices": [0]}}]


def test_page_gives_rows_and_what_is_said_of_all(page: Page) -> None:
    reply, buffers = page.ask("page", state=page.state(name="aten"), table="operators", limit=1)
    result = reply["result"]
    table = page.view.trace.filter(name="aten").operators()
    assert result["total"] == 2
    assert result["all"] == 3
    assert result["rows"] == 1
    assert result["calls"] == 6
    assert result["sort"] == ["device_self_us", "desc"]
    assert result["keys"] == ["name"]
    rows = table_of(buffers[0])
    assert rows["name"].to_pylist() == ["aten::conv2d"]
    assert rows.schema.field("calls").metadata[b"meaning"]
    assert len(result["slots"]) == 1
    assert result["maxima"]["host_self_us"] == pc.max(table["host_self_us"]).as_py()
    assert result["sums"]["device_self_us"] == pytest.approx(3 * 200 + 51 + 52 + 53)


def test_page_of_a_cpu_trace_sorts_by_host_time_and_hides_device_columns(page: Page) -> None:
    state = {"run": "runB", "worker": "cpu0", "span": 1, "filter": {}}
    result = page.result("page", state=state, table="operators")
    assert result["sort"] == ["host_self_us", "desc"]
    assert {"device_self_us", "device_total_us"} <= set(result["hidden"])
    assert "ProfilerActivity.CUDA" in result["notes"]["device_self_us"]
    shaped = page.result("page", state=state, table="operators", group_by="name+shape")
    assert shaped["notes"].get("input_shapes", "record_shapes").count("record_shapes") == 1


def test_page_takes_a_sort_that_its_grouping_lacks_for_the_default(page: Page) -> None:
    params = {"table": "kernels", "sort": ["operator", "asc"]}
    assert page.result("page", state=page.state(), **params)["sort"] == ["total_us", "desc"]
    params["group_by"] = "properties"
    result = page.result("page", state=page.state(), **params)
    assert result["sort"] == ["operator", "asc"]
    assert result["keys"][:2] == ["name", "operator"]


def test_page_shrinks_to_what_fits(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    params = {"state": page.state(), "table": "operators"}
    _, one = page.ask("page", limit=1, **params)
    monkeypatch.setattr("nbprof.widgets.requests.arrow.PAGE_BYTES", len(one[0]))
    reply, buffers = page.ask("page", **params)
    assert (reply["result"]["total"], reply["result"]["rows"]) == (3, 1)
    assert buffers == one
    monkeypatch.setattr("nbprof.widgets.requests.arrow.PAGE_BYTES", 100)
    assert page.error("page", **params)["type"] == "ReplyTooLargeError"


def test_stacks_are_those_of_one_operator(page: Page) -> None:
    reply, buffers = page.ask("stacks", state=page.state(), table="operators", name="aten::conv2d")
    assert reply["result"] == {"total": 1, "rows": 1}
    rows = table_of(buffers[0])
    assert rows["frames"].to_pylist() == [";".join(reversed(STACK.split(";")))]
    assert rows["calls"].to_pylist() == [3]
    state = {"run": "runB", "worker": "cpu0", "span": 1, "filter": {}}
    assert (
        "with_stack=True"
        in page.result("stacks", state=state, table="operators", name="aten::conv2d")["hint"]
    )


def test_csv_is_what_the_table_shows_and_runs_nowhere(page: Page) -> None:
    params = {"table": "operators", "sort": ["name", "asc"], "search": ""}
    reply, buffers = page.ask("csv", state=page.state(), **params)
    assert reply["result"]["filename"] == "runA-worker0-operators.csv"
    rows = list(csv.reader(io.StringIO(buffers[0].decode())))
    assert rows[0] == page.view.trace.operators().column_names
    assert [row[0] for row in rows[1:]] == ["'=cmd|'/c calc'!A1", "aten::add", "aten::conv2d"]
    params["search"] = "CONV"
    _, buffers = page.ask("csv", state=page.state(), **params)
    assert len(buffers[0].decode().splitlines()) == 2


def test_csv_comes_in_parts_on_request(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    _, whole = page.ask("csv", state=page.state(), table="operators")
    monkeypatch.setattr(handlers_tables, "PAGE_BYTES", 64)
    error = page.error("csv", state=page.state(), table="operators")
    assert error["type"] == "ReplyTooLargeError"
    first, _ = page.ask("csv", state=page.state(), table="operators", part=0)
    count = first["result"]["parts"]
    asked = [page.ask("csv", state=page.state(), table="operators", part=n) for n in range(count)]
    assert b"".join(buffers[0] for _, buffers in asked) == whole[0]


def test_bokehjs_is_that_of_the_installed_package(page: Page) -> None:
    reply, buffers = page.ask("bokehjs")
    assert reply["result"] == {"version": bokeh.__version__}
    assert [len(b) > 500_000 for b in buffers] == [True]
    assert bokeh.__version__.encode() in buffers[0]
    assert sum(map(len, buffers)) < MAX_REPLY_BYTES
