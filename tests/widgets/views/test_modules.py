"""The module tree as the browser requests it, and the selection of its rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from traitlets import TraitError

import nbprof
from nbprof.widgets.views.modules.rows import with_share
from nbprof.widgets.views.trees import TreeQuery, tree_lines
from tests.support.recordings.runs import RUNS
from tests.widgets.conftest import table_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.widgets.conftest import Page

#: number, parent, name, device time forward and backward
ROWS = [
    (0, None, "A", 100.0, 100.0),
    (1, 0, "B", 20.0, 40.0),
    (2, 1, "C", 5.0, 5.0),
    (3, 1, "D", 15.0, 30.0),
    (4, 0, "E", 80.0, 0.0),
    (5, None, "F", 0.0, 200.0),
    (6, 99, "G", 0.0, 0.0),
]


def small(rows: list[Any] = ROWS, *, device: bool = True) -> pa.Table:
    numbers, parents, names, forward, backward = zip(*rows, strict=True)
    times = {"total": forward, "backward": backward}
    none = [None] * len(rows)
    host = {key: [value * 10 for value in values] for key, values in times.items()}
    return pa.table(
        {
            "module_id": pa.array(numbers, pa.int64()),
            "parent_id": pa.array(parents, pa.int64()),
            "name": names,
            "device_total_us": pa.array(forward if device else none, pa.float64()),
            "backward_device_us": pa.array(backward if device else none, pa.float64()),
            "host_total_us": pa.array(host["total"], pa.float64()),
            "backward_host_us": pa.array(host["backward"], pa.float64()),
        }
    )


def shown(lines: pa.Table) -> str:
    """Write lines as ``1A+ 2B- 3C``: the level, the name, whether it is open."""
    rows = lines.to_pylist()
    sign = {True: "+", False: "-", None: ""}
    return " ".join(f"{row['level']}{row['name']}{sign[row['expanded']]}" for row in rows)


@pytest.mark.parametrize(
    ("query", "sort", "expected"),
    [
        (TreeQuery(), None, "1A+ 2B+ 3C 3D 2E 1F 1G"),
        (TreeQuery(everything=False), None, "1A- 1F 1G"),
        (TreeQuery(everything=True), None, "1A+ 2B+ 3C 3D 2E 1F 1G"),
        (TreeQuery(everything=False, folds=((0, True),)), None, "1A+ 2B- 2E 1F 1G"),
        (TreeQuery(folds=((1, False), (77, True))), None, "1A+ 2B- 2E 1F 1G"),
        (TreeQuery(search="d", everything=False), None, "1A+ 2B+ 3C 3D 2E 1F 1G"),
        (TreeQuery(search="/^E$/", everything=False), None, "1A+ 2B- 2E 1F 1G"),
        (TreeQuery(search="/(/", everything=False), None, "1A- 1F 1G"),
        (TreeQuery(), ("backward_device_us", "desc"), "1F 1A+ 2B+ 3D 3C 2E 1G"),
        (TreeQuery(), ("name", "desc"), "1G 1F 1A+ 2E 2B+ 3D 3C"),
    ],
)
def test_lines_are_those_whose_parents_are_open(
    query: TreeQuery, sort: tuple[str, str] | None, expected: str
) -> None:
    assert shown(tree_lines(small(), query, sort)) == expected


def test_a_large_tree_opens_as_many_levels_as_fit() -> None:
    rows = [(0, None, "top", 1.0, 1.0)]
    rows += [(1 + at, 0, f"block{at}", 1.0, 1.0) for at in range(5)]
    rows += [(10 + at, 1 + at % 5, f"leaf{at}", 1.0, 1.0) for at in range(30)]
    lines = tree_lines(small(rows), TreeQuery(), None)
    assert lines.num_rows == 6
    found = tree_lines(small(rows), TreeQuery(search="leaf7"), None)
    assert [row["name"] for row in found.to_pylist() if row["match"]] == ["leaf7"]
    assert found.num_rows == 6 + 6


@pytest.mark.parametrize("device", [True, False])
def test_shares_are_of_what_is_at_the_top(device: bool) -> None:
    shares = with_share(small(device=device))
    values = dict(zip(shares["name"].to_pylist(), shares["share_pct"].to_pylist(), strict=True))
    assert values["A"] + values["F"] + values["G"] == pytest.approx(100)
    assert values["B"] == pytest.approx(100 * 60 / 400)
    meaning = shares.schema.field("share_pct").metadata[b"meaning"].decode()
    assert meaning.startswith("Device" if device else "Host")
    none = with_share(small([(0, None, "A", 0.0, 0.0)], device=device))
    assert none["share_pct"].to_pylist() == [None]


def test_a_tree_is_asked_for_in_a_form() -> None:
    query = TreeQuery.parse({"search": " x ", "all": True, "folds": {"7": False, "2": True}})
    assert query == TreeQuery("x", everything=True, folds=((2, True), (7, False)))
    assert TreeQuery.parse(None) is None
    for broken in ("all", {"folds": [1]}, {"folds": {"a": True}}):
        with pytest.raises(ValueError, match="tree is requested"):
            TreeQuery.parse(broken)


@pytest.fixture
def sample(open_page: Any) -> Page:
    return open_page(RUNS, run="torch_cpu_convnet", view="modules")


def test_a_page_of_the_tree(sample: Page) -> None:
    tree = {"search": "conv2d_3", "all": False, "folds": {}}
    reply, buffers = sample.ask("page", state=sample.state(), table="modules", tree=tree)
    result, lines = reply["result"], table_of(buffers[0])
    table = sample.view.table
    assert table.equals(sample.view.trace.modules())
    assert (result["of"], result["all"]) == (table.num_rows, table.num_rows)
    assert result["total"] == lines.num_rows < table.num_rows
    assert lines["name"].to_pylist()[result["match"]] == "Conv2d_3"
    assert lines["name"].to_pylist()[0] == "DistributedDataParallel_0"
    assert result["keys"] == ["module_id", "name"]
    assert {"device_total_us", "backward_device_us"} <= set(result["hidden"])
    assert result["maxima"]["host_total_us"] == max(table["host_total_us"].to_pylist())
    assert len(result["slots"]) == lines.num_rows


def test_rows_are_selected_by_number_and_name_or_either(sample: Page) -> None:
    view = sample.view
    view.selection = [{"name": "Conv2d_3"}]
    assert view.selected["name"].to_pylist() == ["Conv2d_3"]
    view.selection = {"module_id": 0}
    assert view.selected["name"].to_pylist() == ["DistributedDataParallel_0"]
    with pytest.raises(TraitError, match="module_id, name"):
        view.selection = [{"operator": "aten::add"}]
    with pytest.raises(TraitError, match="not grouped"):
        view.group_by = "name"


def test_the_filter_narrows_to_modules(sample: Page) -> None:
    pattern = r"/^(?:nn\.Module: |\[pl\]\[module\])?Conv2d_3$/"
    sample.view.filter = {"name": pattern}
    assert sample.view.table["name"].to_pylist() == ["Conv2d_3"]


def test_without_modules_the_option_is_named(open_page: Any, logs: Path) -> None:
    page = open_page(logs, view="modules")
    tree = {"search": "", "all": None, "folds": {}}
    result = page.result("page", state=page.state(), table="modules", tree=tree)
    assert result["total"] == result["of"] == 0
    empty = result["empty"]
    words = "No modules recorded. Record them with profile(with_stack=True, with_modules=True)."
    assert f"{empty['title']}. {empty['text']}" == words


def test_frames_are_a_table_too(sample: Page) -> None:
    flame = {"by": "bytes", "order": "time"}
    reply, buffers = sample.ask("page", state=sample.state(), table="flame", flame=flame)
    rows = table_of(buffers[0])
    table = sample.view.trace.flame(by="bytes", order="time")
    assert reply["result"]["total"] == table.num_rows
    assert reply["result"]["sort"] == ["total_bytes", "desc"]
    assert rows["total_bytes"][0].as_py() == max(table["total_bytes"].to_pylist())


def test_kernels_have_stacks(open_page: Any) -> None:
    page = open_page(RUNS, run="gpu_resnet_synthetic", view="kernels")
    stacks = page.view.trace.kernels(group_by="name+stack")
    name = next(
        row["name"] for row in stacks.to_pylist() if "train_resnet.py" in (row["call_stack"] or "")
    )
    reply, buffers = page.ask("stacks", state=page.state(), table="kernels", name=name)
    found = table_of(buffers[0])
    own = stacks.filter(pc.equal(stacks["name"], name))
    assert reply["result"]["total"] == found.num_rows >= own.num_rows
    tops = [line for line in found.to_pylist() if line["depth"] == 0]
    assert sum(line["calls"] for line in tops) == sum(own["calls"].to_pylist())
    times = [line["total_us"] for line in tops]
    assert times == sorted(times, reverse=True)
    assert page.error("stacks", state=page.state(), table="steps", name=name)["type"] == (
        "UnknownNameError"
    )


def test_a_view_of_its_own() -> None:
    view = nbprof.ModulesView(RUNS, run="torch_cpu_convnet")
    assert repr(view).startswith("<nbprof.ModulesView torch_cpu_convnet")
    view.close()
