"""Filters of steps and names on a page give the tables of Python."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.widgets.requests.spreads import FEW_ROWS
from nbprof.widgets.saved.page import page_state
from tests.support.programs.offline import answers, header
from tests.support.recordings.runs import RUNS
from tests.widgets.conftest import EPOCH, Page, table_of, write_trace

if TYPE_CHECKING:
    from pathlib import Path

ROOM = 20_000_000
SAMPLES = ("gpu_resnet_synthetic", "torch_cpu_convnet")
TABLES = [
    *(("operators", by) for by in ("name", "name+shape", "name+stack")),
    *(("kernels", by) for by in ("name", "name+stack", "properties", "launch")),
    ("memory_operators", ""),
]
NAMES = (None, "conv", "/^aten::(add|mul)_?$/", "gemm", "no such name")
#: What says something else where the rows are counted by other means.
WORDS = ("empty", "notes")


@pytest.fixture(scope="module")
def profile() -> nbprof.Profile:
    return nbprof.load(RUNS)


@pytest.fixture(params=SAMPLES)
def page(request: pytest.FixtureRequest, open_page: Any, profile: nbprof.Profile) -> Page:
    return open_page(profile, run=request.param)


def kept(page: Page, **fields: Any) -> bytes:
    view = page.view
    view.filter = fields
    state = view._state()
    return page_state(view._session, state, "overview", ROOM, {"time_unit": "auto"})


def close(offline: Any, python: Any, where: object) -> None:
    if isinstance(python, dict):
        for key in python:
            close(offline.get(key), python[key], (where, key))
    elif isinstance(python, float) and offline is not None and math.isfinite(python):
        # the order of a sum may differ, and gaps are added to steps
        assert offline == pytest.approx(python, rel=1e-9, abs=1e-9), where
    else:
        nothing = isinstance(python, float) and math.isnan(python)
        assert offline == (None if nothing else python), where


def compare_rows(own: dict[str, list[Any]], data: bytes, where: object) -> None:
    table = table_of(data)
    assert list(own) == table.column_names, where
    for name in table.column_names:
        for one, other in zip(own[name], table[name].to_pylist(), strict=True):
            close(one, other, (where, name))


def compare(page: Page, saved: bytes, folder: Path, requests: list[Any]) -> None:
    for (op, params), reply in zip(requests, answers(saved, folder, requests), strict=True):
        where = (op, {k: v for k, v in params.items() if k != "state"}, params["state"]["filter"])
        message, buffers = page.ask(op, **params)
        python = message["result"]
        assert "error" not in reply, (where, reply)
        if op == "page":
            said = {k: v for k, v in python.items() if k not in WORDS}
            close(reply["result"], said, where)
            compare_rows(reply["buffers"][0]["rows"], buffers[0], where)
            continue
        for name, place in reply["result"]["tables"].items():
            given = buffers[python["tables"][name]]
            compare_rows(reply["buffers"][place]["rows"], given, (where, name))


def ranges(page: Page) -> list[tuple[int, int] | None]:
    numbers = page.view.trace.model.steps.number.tolist()
    first, last = numbers[0], numbers[-1]
    return [None, (first, last), (first, first), (numbers[1], last), (last, last), (900, 901)]


def test_tables_follow_steps_and_names(page: Page, tmp_path: Path) -> None:
    wanted = [
        {k: v for k, v in (("steps", steps), ("name", name)) if v is not None}
        for steps in ranges(page)
        for name in NAMES
    ]
    requests = [
        (
            "page",
            {
                "state": page.state(**filter_),
                "table": table,
                "group_by": by,
                "limit": 1000,
                **({"memory": {"device": "all"}} if table == "memory_operators" else {}),
            },
        )
        for filter_ in wanted
        for table, by in TABLES
        if not (table == "kernels" and page.view.run == "torch_cpu_convnet" and by != "name")
    ]
    compare(page, kept(page), tmp_path, requests)


def test_how_values_are_spread_follows_steps_and_names(page: Page, tmp_path: Path) -> None:
    numbers = page.view.trace.model.steps.number.tolist()
    requests = [
        ("spreads", {"state": page.state(**filter_), "table": "operators", "group_by": by})
        for filter_ in ({"name": "a"}, {"steps": numbers[:2]}, {"name": "c", "steps": numbers[:2]})
        for by in ("name", "name+stack")
    ]
    found = answers(kept(page), tmp_path, requests)
    for (op, params), reply in zip(requests, found, strict=True):
        python = page.result(op, **params)["spreads"]
        where = (params["state"]["filter"], params["group_by"])
        assert reply["result"]["spreads"] == python, where
        assert bool(python) == (page.result("page", **params)["total"] > FEW_ROWS), where


def test_operators_of_paddle_follow_steps_and_names(
    open_page: Any, profile: nbprof.Profile, tmp_path: Path
) -> None:
    """They have mean, most, least and share, too."""
    page = open_page(profile, run="paddle_cpu_convnet")
    page_of = {"table": "operators", "group_by": "name", "limit": 1000}
    requests = [
        ("page", {"state": page.state(**filter_), **page_of})
        for steps in ranges(page)
        for filter_ in ({"steps": steps} if steps else {}, {"name": "conv"})
    ]
    compare(page, kept(page), tmp_path, requests)


def test_the_overview_follows_steps(page: Page, tmp_path: Path) -> None:
    requests = [
        ("overview", {"state": page.state(**({"steps": steps} if steps else {})), "width": 600})
        for steps in ranges(page)
    ]
    saved = kept(page)
    compare(page, saved, tmp_path, requests)
    found = answers(saved, tmp_path, requests)
    assert "missing" in found[1]["result"]
    for reply in found[1:]:
        assert "overview" in reply["result"]["tables"]
        assert list(reply["result"]["missing"]) == ["recommendations"]
    assert found[0]["result"]["missing"] == {}


def test_all_else_of_a_filter_stays(page: Page, tmp_path: Path) -> None:
    thread = page.view.trace.model.tables["threads"]["tid"].to_pylist()[0]
    fixed = {"threads": [thread]}
    saved = kept(page, **fixed, name="conv")
    assert header(saved)["filter"] == fixed
    steps = ranges(page)[2]
    requests = [
        ("page", {"state": page.state(**fixed, **more), "table": "operators", "group_by": "name"})
        for more in ({}, {"steps": steps}, {"name": "conv"}, {"steps": steps, "name": "conv"})
    ]
    compare(page, saved, tmp_path, requests)
    other = [("page", {"state": page.state(), "table": "operators", "group_by": "name"})]
    assert answers(saved, tmp_path, other)[0]["error"]["type"] == "NeedsPython"


def test_what_launched_the_work_stays_and_changes_with_python_alone(
    page: Page, tmp_path: Path
) -> None:
    fixed = {"within": "=aten::convolution"}
    saved = kept(page, **fixed)
    assert header(saved)["filter"] == fixed
    steps = ranges(page)[2]
    requests = [
        ("page", {"state": page.state(**fixed, **more), "table": table, "group_by": "name"})
        for more in ({}, {"steps": steps}, {"name": "conv"})
        for table in ("operators", "kernels")
    ]
    compare(page, saved, tmp_path, requests)
    for other in ({}, {"within": "=aten::relu"}):
        asked = [("page", {"state": page.state(**other), "table": "kernels", "group_by": "name"})]
        assert answers(saved, tmp_path, asked)[0]["error"]["type"] == "NeedsPython"


def test_what_no_sum_tells_says_so(page: Page, tmp_path: Path) -> None:
    steps = page.state(steps=ranges(page)[2])
    name = page.state(name="conv")
    requests = [
        ("page", {"state": name, "table": "steps", "group_by": ""}),
        ("memory", {"state": steps, "memory": {"device": ""}}),
        ("page", {"state": steps, "table": "modules", "group_by": ""}),
        ("flame", {"state": steps, "by": "host", "order": "left_heavy", "width": 600}),
    ]
    for reply in answers(kept(page), tmp_path, requests):
        assert reply["error"]["type"] == "NeedsPython"
        assert "without Python" in reply["error"]["message"]


def test_the_overview_stays_that_of_all_work_under_a_name_and_says_so(
    page: Page, tmp_path: Path
) -> None:
    states = [page.state(), page.state(name="conv")]
    whole, named = answers(kept(page), tmp_path, [("overview", {"state": one}) for one in states])
    assert named["result"]["of_all"] is True
    assert "of_all" not in whole["result"]
    assert named["result"]["tables"] == whole["result"]["tables"]
    for at in named["result"]["tables"].values():
        assert named["buffers"][at] == whole["buffers"][at]


def test_a_table_that_is_cut_is_not_filtered(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows that are missing may be the ones that a filter leaves."""
    monkeypatch.setattr("nbprof.widgets.saved.page.MOST_ROWS", 25)
    saved = kept(page)
    assert any("are included" in sentence for sentence in header(saved)["left_out"])
    steps = page.state(steps=ranges(page)[2])
    requests: list[Any] = [
        ("page", {"state": state, "table": table, "group_by": by})
        for state in (steps, page.state(name="conv"))
        for table, by in [*TABLES[:-1], ("steps", "")]
    ]
    found = answers(saved, tmp_path, [*requests, ("overview", {"state": steps})])
    refused = [reply["error"]["type"] for reply in found if "error" in reply]
    assert refused
    assert set(refused) == {"NeedsPython"}
    whole = [one for one, reply in zip(requests, found, strict=False) if "error" not in reply]
    compare(page, saved, tmp_path, whole)


@pytest.mark.parametrize("room", [30_000, 60_000, 120_000])
def test_it_takes_no_more_than_it_may_with_all_that_it_says(page: Page, room: int) -> None:
    view = page.view
    data = page_state(view._session, view._state(), "overview", room, {"time_unit": "auto"})
    assert len(data) <= room
    assert header(data)["left_out"]


def test_work_between_steps_counts_for_the_devices(open_page: Any, tmp_path: Path) -> None:
    path = tmp_path / "worker0.1700000000001.pt.trace.json"
    content = json.loads(write_trace(path, steps=(1, 2, 3, 4)).read_text())
    for number, busy in ((1, 30), (2, 55), (3, 7)):
        at, link = EPOCH + 1000 * number + 920, {"correlation": 900 + number}
        launch = {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1}
        kernel = {"ph": "X", "cat": "kernel", "name": "between", "pid": 0, "tid": 7}
        device = {"device": 0, "stream": 7, "blocks per SM": 2.5}
        # 20, 10, and a 0 that cannot be with that many blocks and is therefore unknown
        device |= {"est. achieved occupancy %": 30 - 10 * number}
        content["traceEvents"] += [
            launch | {"ts": at, "dur": 4, "args": link},
            kernel | {"ts": at + 10, "dur": busy, "args": link | device},
        ]
    path.write_text(json.dumps(content))
    page = open_page(path)
    pairs = [(first, last) for first in range(1, 5) for last in range(first, 5)]
    requests = [("overview", {"state": page.state(steps=steps)}) for steps in pairs]
    compare(page, kept(page), tmp_path, requests)


def test_a_file_of_some_rows_is_called_a_part(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nbprof.widgets.saved.page.MOST_ROWS", 25)
    params = {"state": page.state(), "table": "operators", "group_by": "name", "part": 0}
    requests = [("csv", params), ("csv", params | {"table": "steps", "group_by": ""})]
    names = [reply["result"]["filename"] for reply in answers(kept(page), tmp_path, requests)]
    assert [name.endswith("-part.csv") for name in names] == [True, False]
