"""Saved state answers without Python what Python answers, value for value."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.widgets.requests.conditions import MOST, SHOWN
from nbprof.widgets.saved import content
from nbprof.widgets.saved.parts import SavePlan
from tests.support.programs.offline import answers, header
from tests.support.recordings.runs import RUNS
from tests.widgets.conftest import Page, table_of

if TYPE_CHECKING:
    from pathlib import Path

ALL_ROOM = 20_000_000
SAMPLES = ("gpu_resnet_synthetic", "torch_cpu_convnet")
GROUPED = [
    *(("operators", by) for by in ("name", "name+shape", "name+stack")),
    *(("kernels", by) for by in ("name", "name+stack", "properties", "launch")),
]
OF_MEMORY = ("memory_operators", "memory_events", "memory_peak_holders", "memory_curve")
SEARCHES = ("conv", "CONV", "/^aten::(?P<what>conv|add)/", "no such name", "ß", "/\\Aaten.*_\\z/")
#: Conditions on columns; in tables without these columns they are plain text.
CONDITIONS = (
    "duration > 100",
    "duration >= 0.1ms & direction = BACKWARD",
    "queue != 0 & name:conv",
    "direction != forward",
    "grid:/^\\[1, /  &  stream = 7",
    "matrix_unit_used = yes",
    "sequence < 20",
    "host_self > 5 & calls = 1",
)


@pytest.fixture(scope="module")
def profile() -> nbprof.Profile:
    return nbprof.load(RUNS)


@pytest.fixture(params=SAMPLES)
def page(request: pytest.FixtureRequest, open_page: Any, profile: nbprof.Profile) -> Page:
    return open_page(profile, run=request.param)


def made(page: Page, **options: Any) -> bytes:
    view = page.view
    plan = SavePlan(options.pop("max_bytes", ALL_ROOM), most_rows=1_000_000, **options)
    return content.make(view._session, view._state(), plan)


def plain(values: list[Any]) -> list[Any]:
    """Return a column as the browser reads it, where NaN is nothing."""
    return [None if isinstance(v, float) and math.isnan(v) else v for v in values]


def same(offline: Any, python: Any, where: str) -> None:
    """Compare values; sums may differ in their last digits, being added up in another order."""
    if isinstance(python, dict):
        assert isinstance(offline, dict), where
        for key in python:
            same(offline.get(key), python[key], f"{where}.{key}")
    elif isinstance(python, float) and offline is not None:
        assert offline == pytest.approx(python, rel=1e-12), where
    else:
        assert offline == python, where


def compare(page: Page, folder: Path, requests: list[tuple[str, dict[str, Any]]]) -> None:
    """Ask Python and the saved state the same, and expect the same."""
    state = page.state(**page.view.filter)
    asked = [(op, {"state": state, **params}) for op, params in requests]
    found = answers(made(page), folder, asked)
    for (op, params), reply in zip(asked, found, strict=True):
        where = f"{op} { ({k: v for k, v in params.items() if k != 'state'}) }"
        python, buffers = page.ask(op, **params)
        assert "error" not in reply, (where, reply)
        same(reply["result"], python["result"], where)
        assert len(reply["buffers"]) == len(buffers), where
        for own, data in zip(reply["buffers"], buffers, strict=True):
            if op == "csv":
                assert own["text"] == data.decode(), where
                continue
            table = table_of(data)
            assert list(own["rows"]) == table.column_names, where
            for name in table.column_names:
                assert own["rows"][name] == plain(table[name].to_pylist()), (where, name)


def sorts(page: Page, table: str, group_by: str, **params: Any) -> list[tuple[str, str]]:
    _, buffers = page.ask("page", state=page.state(), table=table, group_by=group_by, **params)
    return [(name, way) for name in table_of(buffers[0]).column_names for way in ("asc", "desc")]


def test_tables_sorted_by_every_column(page: Page, tmp_path: Path) -> None:
    compare(
        page,
        tmp_path,
        [
            ("page", {"table": table, "group_by": by, "sort": sort, "limit": 1000})
            for table, by in GROUPED
            for sort in (None, *sorts(page, table, by))
        ],
    )


def test_tables_searched_and_cut_into_pages(page: Page, tmp_path: Path) -> None:
    requests = [
        ("page", {"table": table, "group_by": by, "search": search, "offset": 3, "limit": 5})
        for table, by in GROUPED
        for search in (*SEARCHES, *CONDITIONS)
    ]
    # Python counts rows of an empty answer with its own words, which are tested here too
    compare(page, tmp_path, requests)


def test_how_values_are_spread(page: Page, tmp_path: Path) -> None:
    of_memory = [("memory_events", ""), ("memory_operators", ""), ("memory_curve", "")]
    tables = [*GROUPED, ("key_averages", "name+stack5"), *of_memory]
    asked = [("spreads", {"table": table, "group_by": by}) for table, by in tables]
    compare(page, tmp_path, asked)
    found = [page.result(op, state=page.state(), **params)["spreads"] for op, params in asked]
    assert sum(map(bool, found)) > len(found) / 2


def test_nothing_is_spread_where_rows_are_missing(page: Page, tmp_path: Path) -> None:
    view = page.view
    saved = content.make(view._session, view._state(), SavePlan(ALL_ROOM, most_rows=60))
    state = page.state()
    asked = [(op, {"state": state, "table": "operators"}) for op in ("page", "spreads")]
    rows, found = answers(saved, tmp_path, asked)
    assert rows["result"]["total"] == 60 < rows["result"]["of"]
    assert found["result"]["spreads"] == {}


def test_memory_by_device_and_size(page: Page, tmp_path: Path) -> None:
    devices = page.result("memory", state=page.state())["devices"]
    keys = ["", "no such device", *(device["key"] for device in devices)]
    keys += ["all"] if len(devices) > 1 else []
    lenses = [
        *({"device": key, "range": None} for key in keys),
        {"device": "", "range": None, "sizes": [1000, 100_000]},
    ]
    compare(
        page,
        tmp_path,
        [
            ("page", {"table": table, "group_by": "", "memory": lens, "limit": 1000, "sort": sort})
            for table in OF_MEMORY
            for lens in lenses
            for sort in (None, sorts(page, table, "", memory=lens)[-1])
        ],
    )
    asked = [("memory", {"state": page.state(), "memory": {"device": key}}) for key in keys]
    for (_, params), reply in zip(asked, answers(made(page), tmp_path, asked), strict=True):
        python = page.result("memory", **params)
        for field in ("devices", "device", "peaks", "records"):
            assert reply["result"][field] == python[field]
        assert (reply["result"]["plane"] is None) == (python["plane"] is None)


def test_modules_open_and_close(page: Page, tmp_path: Path) -> None:
    trees = [
        {"search": "", "all": None, "folds": {}},
        {"search": "", "all": True, "folds": {}},
        {"search": "", "all": False, "folds": {"0": True, "1": True}},
        {"search": "conv", "all": None, "folds": {}},
        {"search": "/(/", "all": None, "folds": {"1": False}},
    ]
    compare(
        page,
        tmp_path,
        [
            ("page", {"table": "modules", "group_by": "", "tree": tree, "sort": sort})
            for tree in trees
            for sort in (None, ("name", "asc"), ("host_total_us", "desc"))
        ],
    )


def test_stacks_and_csv(page: Page, tmp_path: Path) -> None:
    _, (data,) = page.ask("page", state=page.state(), table="operators", group_by="name")
    names = table_of(data)["name"].to_pylist()[:20]
    requests: list[tuple[str, dict[str, Any]]] = [
        ("stacks", {"table": "operators", "name": name}) for name in names
    ]
    requests += [("csv", {"table": table, "group_by": by, "part": 0}) for table, by in GROUPED[1:5]]
    requests += [
        ("csv", {"table": name, "group_by": "", "part": 0}) for name in ("steps", "modules")
    ]
    shares = {"group_by": "name", "shares": True}
    requests += [("page", {"table": name, **shares}) for name in ("operators", "kernels")]
    compare(page, tmp_path, requests)


def test_no_cell_of_a_file_runs_as_a_formula(open_page: Any, logs: Path, tmp_path: Path) -> None:
    page = open_page(logs)
    asked = ("csv", {"table": "operators", "group_by": "name", "part": 0})
    compare(page, tmp_path, [asked])
    text = page.ask("csv", state=page.state(), **asked[1])[1][0].decode()
    assert "'=cmd" in text


def test_the_flame_graph_and_its_search(page: Page, tmp_path: Path) -> None:
    screen = {"width": 1600, "range": None}
    compare(
        page,
        tmp_path,
        [
            ("flame", {"by": by, "order": order, **screen})
            for by in ("auto", "host", "bytes")
            for order in ("left_heavy", "time")
        ],
    )
    (reply,) = answers(
        made(page), tmp_path, [("flame", {"state": page.state(), "search": "conv", **screen})]
    )
    python = page.result("flame", state=page.state(), search="conv", **screen)
    assert reply["result"]["found"] == python["found"] > 0
    assert reply["result"]["search_valid"] is True


def test_the_overview_and_the_filter_on_screen(page: Page, tmp_path: Path) -> None:
    page.save(filter={"name": "conv", "steps": [2, 4]})
    asked = {"table": "kernels", "group_by": "name"}
    compare(
        page, tmp_path, [("page", {**asked, "search": "c"}), ("page", {**asked, "shares": True})]
    )
    state = page.state(**page.view.filter)
    saved = made(page)
    assert header(saved)["filter"] == page.view.filter
    other = page.state(name="add", threads=[1])
    asked = [("overview", {"state": state}), ("page", {"state": other, "table": "kernels"})]
    overview, refused = answers(saved, tmp_path, asked)
    python, buffers = page.ask("overview", state=state)
    assert overview["result"]["facts"] == python["result"]["facts"]
    assert set(overview["result"]["figures"]) == set(python["result"]["figures"])
    for name, index in python["result"]["tables"].items():
        own = overview["buffers"][overview["result"]["tables"][name]]["rows"]
        table = table_of(buffers[index])
        assert own == {column: plain(table[column].to_pylist()) for column in table.column_names}
    assert refused["error"]["type"] == "NeedsPython"


def test_nothing_is_said_of_another_trace(page: Page, tmp_path: Path) -> None:
    state = page.state()
    others = [state | change for change in ({"run": "b"}, {"worker": "b"}, {"span": 99})]
    requests = [
        (op, {"state": other, "table": "operators"})
        for other in others
        for op in ("page", "overview", "trace", "csv")
    ]
    for reply in answers(made(page), tmp_path, requests):
        assert reply["error"]["type"] == "NeedsPython"


def test_an_expression_that_is_none_is_refused(page: Page, tmp_path: Path) -> None:
    asked = {"state": page.state(), "table": "operators", "search": "/(/"}
    (reply,) = answers(made(page), tmp_path, [("page", asked)])
    assert reply["error"]["type"] == page.error("page", **asked)["type"] == "FilterError"


def test_searches_that_are_refused_are_refused_alike(page: Page, tmp_path: Path) -> None:
    searches = (
        *("name = a & " * MOST + end for end in ("name = b", "b")),
        *("calls > " + letter * (SHOWN + 1) for letter in "x\U0001f525"),
        *("calls : 7", "calls > 7ms", "name > 7"),
    )
    asked = [{"state": page.state(), "table": "operators", "search": text} for text in searches]
    replies = answers(made(page), tmp_path, [("page", one) for one in asked])
    for one, reply in zip(asked, replies, strict=True):
        python = page.error("page", **one)
        assert python["type"] == "FilterError", one["search"]
        same(reply["error"], {"type": "FilterError", "message": python["message"]}, one["search"])
    most = "name = a & " * (MOST - 1) + "name = b"
    compare(page, tmp_path, [("page", {"table": "operators", "search": most})])


def test_a_graph_and_a_tree_wait_for_the_rest_of_an_expression(page: Page, tmp_path: Path) -> None:
    # What is no expression may be one that is still being typed: nothing is found yet.
    for search in ("/(?<=a)b/", "/(/"):
        screen = {"search": search, "width": 600, "range": None}
        tree = {"table": "modules", "tree": {"search": search}}
        requests = [
            (op, {"state": page.state(), **asked})
            for op, asked in (("flame", screen), ("page", tree))
        ]
        for (op, asked), reply in zip(
            requests, answers(made(page), tmp_path, requests), strict=True
        ):
            python = page.result(op, **asked)
            assert reply["result"].get("found") == python.get("found")
            assert reply["result"].get("rows") == python.get("rows")
