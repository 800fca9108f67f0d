"""Filters of steps and names on a page give the differences of Python, on both sides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.widgets.saved.page import page_state
from nbprof.widgets.views.diff.choices import CHOICES
from tests.conftest import ROOT
from tests.diffs.runs import NET, Op, changed, run, run_of_steps
from tests.support.programs.offline import answers
from tests.support.recordings.runs import RUNS
from tests.widgets.saved.test_page_filters import close, compare_rows

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

ROOM = 20_000_000
#: Tables that follow any steps, and those that follow names as well.
BY_NAME = (
    "holder",
    "kernel",
    "kernel+stream",
    "launch",
    "memory",
    "operator",
    "operator+shape",
)
BY_STEP = (*BY_NAME, "category", "collective", "idle", "step")
NAMES = (None, "conv", "/^aten::(add|mm)_?$/", "kernel", "no such name")
#: What says something else on a page, and the sentence that only Python writes.
WORDS = ("empty", "reason")


def asked(page: Any, op: str, **params: Any) -> tuple[str, dict[str, Any]]:
    filter_ = params.pop("filter")
    state = {**page.state(**filter_), "baseline": page.view.baseline}
    return op, {"state": state, **params}


def filters(page: Any) -> list[dict[str, Any]]:
    numbers = page.view.trace.model.steps.number.tolist()
    first, last = numbers[0], numbers[-1]
    steps = [None, (first, last), (first, first), (numbers[1], last), (last - 2, last), (900, 901)]
    return [
        {key: value for key, value in (("steps", one), ("name", name)) if value is not None}
        for one in steps
        for name in NAMES
    ]


def saved_of(page: Any) -> bytes:
    view = page.view
    return page_state(view._session, view._state(), "diff", ROOM, {"time_unit": "auto"})


def compare(page: Any, folder: Path, requests: list[tuple[str, dict[str, Any]]]) -> None:
    for (op, params), reply in zip(
        requests, answers(saved_of(page), folder, requests), strict=True
    ):
        where = (op, params.get("group_by"), params["state"]["filter"])
        message, buffers = page.ask(op, **params)
        assert "error" not in reply, (where, reply)
        unlike = (*WORDS, *(("maxima",) if "tree" in params else ()))  # those of levels
        python = {key: of for key, of in message["result"].items() if key not in unlike}
        if "missing" in reply["result"]:
            python = {k: v for k, v in python.items() if k not in ("parts", "bars")}
        close_all(reply["result"], python, where)
        if op == "page":
            compare_rows(reply["buffers"][0]["rows"], buffers[0], where)


def close_all(offline: Any, python: Any, where: object) -> None:
    """Compare also the items of lists."""
    if isinstance(python, dict):
        for key, value in python.items():
            close_all(offline.get(key), value, (where, key))
    elif isinstance(python, list):
        assert len(offline) == len(python), (where, offline, python)
        for at, (one, other) in enumerate(zip(offline, python, strict=True)):
            close_all(one, other, (where, at))
    else:
        close(offline, python, where)


def requests_of(
    page: Any, kept: list[dict[str, Any]], words: tuple[str, ...] = BY_STEP
) -> list[tuple[str, dict[str, Any]]]:
    found = []
    for filter_ in kept:
        found.append(asked(page, "diff", filter=filter_))
        for word in BY_NAME if "name" in filter_ else words:
            table = {"table": "differences", "group_by": word, "limit": 1000}
            found.append(asked(page, "page", filter=filter_, **table))
    return found


def trees_of(
    page: Any, kept: list[dict[str, Any]], table: str = "diff_tree"
) -> list[tuple[str, dict[str, Any]]]:
    """Return requests of all rows of the tree, and of those that are open at first."""
    asks = {"table": table, "group_by": "", "limit": 10_000}
    trees = ({"search": "", "all": True, "folds": {}}, {"search": "", "all": None, "folds": {}})
    return [asked(page, "page", filter=one, tree=tree, **asks) for one in kept for tree in trees]


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Two runs of different length with a slower, a renamed and an added operator."""
    ops = changed(changed(NET, 0, device=90.0), 5, name="aten::mul_")
    folder = tmp_path / "runs"
    run(folder / "before", NET, steps=6)
    run(folder / "after", [*ops, *NET[-1:]], steps=7, first=4, seed=2)
    return folder


def test_tables_follow_steps_and_names(open_page: Any, runs: Path, tmp_path: Path) -> None:
    page = open_page(runs, view="diff", run="after", baseline={"run": "before"})
    requests = requests_of(page, filters(page), (*BY_STEP, "module"))
    kept = [one for one in filters(page) if "name" not in one]
    compare(page, tmp_path, [*requests, *trees_of(page, kept)])


def test_kernels_of_different_devices_follow_steps_and_names(
    open_page: Any, tmp_path: Path
) -> None:
    """They are compared through their operators, and filtered by their own names."""
    run(tmp_path / "runs" / "a", NET)
    run(tmp_path / "runs" / "b", changed(NET, 0, kernel="Cijk_é"), device="AMD MI300X", seed=2)
    page = open_page(tmp_path / "runs", view="diff", run="b", baseline={"run": "a"})
    kernels = {"table": "differences", "group_by": "kernel", "limit": 1000}
    kept = filters(page)
    compare(page, tmp_path, [asked(page, "page", filter=one, **kernels) for one in kept])


def test_tables_of_a_sample_follow_steps_and_names(open_page: Any, tmp_path: Path) -> None:
    page = open_page(
        nbprof.load(RUNS),
        view="diff",
        run="torch_cpu_convnet",
        worker="worker0",
        baseline={"run": "torch_cpu_convnet", "worker": "worker1"},
    )
    kept = [{"steps": (3, 4)}, {"steps": (2, 2)}, {"steps": (2, 3), "name": "conv"}]
    compare(page, tmp_path, requests_of(page, kept))


def test_peaks_of_memory_follow_steps(open_page: Any, tmp_path: Path) -> None:
    """Each step has its own peak; of several workers, the largest counts."""
    profile = nbprof.load(ROOT / "tests/samples/gpu_resnet_synthetic")
    one, *_ = workers = list(dict.fromkeys(trace.worker for trace in profile))
    both = profile.filter(workers=workers)
    for diff in (
        nbprof.diff(profile.trace(worker=one), profile.trace(worker=workers[-1])),
        nbprof.diff(both, both.filter(steps=(3, 5))),
    ):
        page = open_page(diff, view="diff")
        words = [{"group_by": word, "limit": 1000} for word in ("memory", "holder")]
        asks = [
            asked(page, "page", filter=one, table="differences", **word)
            for one in filters(page)
            for word in words
        ]
        compare(page, tmp_path, asks)
        assert page.view.table is not None


def test_idle_times_follow_steps(open_page: Any, tmp_path: Path) -> None:
    """Those at the borders of steps are cut there, on one or several devices and workers."""
    profile = nbprof.load(ROOT / "tests/samples/gpu_resnet_synthetic")
    one, *_ = workers = list(dict.fromkeys(trace.worker for trace in profile))
    both = profile.filter(workers=workers)
    npu = nbprof.load(ROOT / "samples" / "npu_convnet_synthetic").trace()
    runs = tmp_path / "runs"  # in steps without work the device waits from one to the next
    run_of_steps(runs / "before", [NET, [], [], NET[1:], NET[::-1], []])
    run_of_steps(runs / "after", [[], NET, NET[2:], [], NET, NET[:1]])
    for diff in (
        nbprof.diff(profile.trace(worker=one), profile.trace(worker=workers[-1])),
        nbprof.diff(both, both.filter(steps=(3, 5))),
        nbprof.diff(npu, npu),
        nbprof.diff(runs / "before", runs / "after"),
    ):
        page = open_page(diff, view="diff")
        numbers = page.view.trace.model.steps.number.tolist()
        kept = [{"steps": (a, b)} for a in numbers for b in numbers if a <= b]
        table = {"table": "differences", "group_by": "idle", "limit": 1000}
        compare(page, tmp_path, [asked(page, "page", filter=one, **table) for one in kept])


def test_conditions_of_one_side_stay_with_it(runs: Path, open_page: Any, tmp_path: Path) -> None:
    trace = nbprof.load(runs / "before").trace()
    other = nbprof.load(runs / "after").trace()
    diff = nbprof.diff(trace.filter(steps=(4, 7)), other.filter(steps=(5, 9)))
    page = open_page(diff, view="diff")
    kept = [{"steps": (5, 9)}, {"steps": (6, 10)}, {"steps": (6, 10), "name": "conv"}]
    compare(page, tmp_path, requests_of(page, kept))


def test_what_takes_the_traces_says_so(open_page: Any, runs: Path, tmp_path: Path) -> None:
    page = open_page(runs, view="diff", run="after", baseline={"run": "before"})
    name = {"name": "conv"}
    tree = {"table": "diff_tree", "group_by": "", "tree": {"all": True}}
    words = [word for word in CHOICES if word not in BY_NAME]
    requests = [
        asked(page, "page", filter=name, **tree),
        *(
            asked(page, "page", filter=name, table="differences", group_by=word)
            for word in words
            if not word.startswith(("memory", "holder"))
        ),
    ]
    for reply in answers(saved_of(page), tmp_path, requests):
        assert reply["error"]["type"] == "NeedsPython"
        assert "without Python" in reply["error"]["message"]
    [overview] = answers(saved_of(page), tmp_path, [asked(page, "diff", filter=name)])
    assert "without Python" in overview["result"]["missing"]


def test_trees_of_steps_that_differ_are_aligned_anew(open_page: Any, tmp_path: Path) -> None:
    page = open_page(
        nbprof.load(RUNS),
        view="diff",
        run="torch_cpu_convnet",
        worker="worker0",
        baseline={"run": "torch_cpu_convnet", "worker": "worker1"},
    )
    numbers = page.view.trace.model.steps.number.tolist()
    kept = [{"steps": (first, last)} for at, first in enumerate(numbers) for last in numbers[at:]]
    assert len(kept) > 5
    modules = {"table": "differences", "group_by": "module", "limit": 1000}
    requests = [asked(page, "page", filter=one, **modules) for one in kept]
    compare(page, tmp_path, [*trees_of(page, kept), *requests])


def test_trees_of_unlike_runs_are_aligned_anew(open_page: Any, tmp_path: Path) -> None:
    """Steps in which calls come, go, move, and are renamed, on either side."""
    folder = tmp_path / "runs"
    steps: list[Sequence[Op]] = [
        NET,
        NET[1:],
        [NET[1], NET[0], *NET[2:]],
        changed(NET, 2, name="aten::mm", shapes="[[9]]"),
        [*NET, Op("aten::dropout", 12, 15, module=("Net", "Dropout"))],
        [],
        NET[::-1],
    ]
    run_of_steps(folder / "before", steps)
    run_of_steps(folder / "after", [*steps[3:], *steps[:4]])
    page = open_page(folder, view="diff", run="after", baseline={"run": "before"})
    numbers = page.view.trace.model.steps.number.tolist()
    kept = [{"steps": (one, other)} for one in numbers for other in numbers if one <= other]
    modules = {"table": "differences", "group_by": "module", "limit": 1000}
    requests = [asked(page, "page", filter=one, **modules) for one in kept]
    compare(page, tmp_path, [*trees_of(page, kept), *requests])
