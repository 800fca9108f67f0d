"""Computing tables does not import pandas, which takes longer than opening a small trace."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.house.test_house import PACKAGE, ROOT, SOURCES
from tests.support.syntax import tree_of

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("pandas")

SAMPLES = sorted(path for path in (ROOT / "samples").rglob("*") if any(path.glob("worker*")))

#: Asks for every table of every grouping, and prints what was asked for when pandas came.
EVERY_TABLE = """
import json, sys, warnings
warnings.simplefilter("ignore")
import nbprof
from nbprof.tables import TABLES
from nbprof.tables.methods import has

def ask(profile):
    for trace in list(profile)[:1]:  # another worker has the same tables
        _ = trace.model.nesting, trace.model.links, trace.model.steps
        yield "load"
        end = trace.metadata["end_ns"] / 1000
        for filter_ in ({}, {"time_us": (end / 3, end / 2)}, {"name": "a"}, {"within": "conv"}):
            for spec in TABLES.specs():
                for group_by in spec.groupings or [None]:
                    if has("trace", spec):
                        options = {"group_by": group_by} if group_by else {}
                        trace.filter(**filter_).table(spec.name, **options)
                        yield [spec.name, group_by, filter_]
    for spec in TABLES.specs():
        if has("profile", spec):
            profile.table(spec.name)
            yield spec.name

counts = []
for path in sys.argv[1:]:
    counts.append(0)
    for what in ask(nbprof.load(path, cache=False, progress=False)):
        counts[-1] += 1
        if "pandas" in sys.modules:
            print(json.dumps({"at": [path, what], "asked": counts}))
            sys.exit()
print(json.dumps({"at": None, "asked": counts}))
"""

#: Names after which pyarrow imports pandas, with what is used instead.
INSTEAD = {
    "pa.array": "arrow_array",
    "pa.scalar": "arrow_scalar",
    "pa.Table.from_pylist": "table_of_rows",
    "pa.Table.from_pydict": "table_of",
    "pa.record_batch": "pa.RecordBatch.from_arrays",
    "pc.index": "an arrow_scalar",
}
#: Methods of Arrow's objects after which it does.
METHODS = {"to_numpy": "joined", "fill_null": "filled", "empty_table": "empty_table"}
#: Functions of pyarrow.compute after which it does when an argument is a Python constant.
WITH_CONSTANTS = {"equal", "not_equal", "if_else", "add", "add_checked", "multiply"}
#: The last part of every name that is looked for.
LOOKED_FOR = {*METHODS, "table", *WITH_CONSTANTS, *(name.rpartition(".")[2] for name in INSTEAD)}


def run(*command: str) -> str:
    """Run Python, and return what it printed."""
    done = subprocess.run(
        [sys.executable, *command], check=True, capture_output=True, text=True, cwd=ROOT
    )
    return done.stdout


def test_no_table_imports_pandas() -> None:
    """Every table of every grouping and kind of filter is made without it."""
    found = json.loads(run("-c", EVERY_TABLE, *map(str, SAMPLES)).splitlines()[-1])
    assert found["at"] is None
    assert len(found["asked"]) == len(SAMPLES)
    assert min(found["asked"]) > 100


#: Asks for every table of differences and for what the view of them answers first.
EVERY_DIFFERENCE = """
import json, sys
import nbprof
from nbprof.diffs.lookup import words
from nbprof.widgets.requests.tables import page
from nbprof.widgets.views.diff.choices import CHOICES
from nbprof.widgets.views.diff.requests import diff as both

def ask(diff):
    for word in words():
        diff.table(word)
        yield word
    view = nbprof.Explorer(diff)
    state = {"run": view.run, "worker": view.worker, "span": view.span, "baseline": view.baseline}
    quiet = lambda *_: None
    both(view._session, {"state": state}, quiet)
    yield "view"
    page(view._session, {"state": state, "table": "diff_tree", "tree": {}}, quiet)
    yield "tree"
    for place in ("size", "first"):
        asked = {"state": state, "table": "differences", "ends": place}
        for word in CHOICES:
            page(view._session, {**asked, "group_by": word}, quiet)
            yield word, place

profiles = [nbprof.load(path, cache=False, progress=False) for path in sys.argv[1:]]
print(json.dumps([what for what in ask(nbprof.diff(*profiles)) if "pandas" in sys.modules][:1]))
"""


def test_no_difference_imports_pandas() -> None:
    """Neither the tables of differences nor their view need it."""
    paths = [str(ROOT / "tests/samples/gpu_resnet_synthetic")] * 2
    assert json.loads(run("-c", EVERY_DIFFERENCE, *paths).splitlines()[-1]) == []


#: Runs commands one after the other, and prints their statuses and whether pandas came.
EVERY_COMMAND = """
import json, sys
from nbprof.cli import main

statuses = [main(words) or 0 for words in json.loads(sys.argv[1])]
print(json.dumps([statuses, "pandas" in sys.modules]))
"""
COMMANDS = (
    ("kernels",),
    ("operators", "--format", "csv", "--group-by", "name+shape"),
    ("overview", "--format", "json"),
    ("steps", "--all", "--format", "arrow"),
    ("runs",),
)


def test_command_line_imports_no_pandas(tmp_path: Path) -> None:
    """Nothing that ``nbprof table`` writes needs it."""
    sample = str(ROOT / "tests/samples/gpu_resnet_synthetic")
    outs = [tmp_path / command[0] for command in COMMANDS]
    words = [
        ["table", sample, *command, "-o", str(out)]
        for command, out in zip(COMMANDS, outs, strict=True)
    ]
    found = json.loads(run("-c", EVERY_COMMAND, json.dumps(words)).splitlines()[-1])
    assert found == [[0] * len(COMMANDS), False]
    assert all(out.stat().st_size > 0 for out in outs)


def calls_of(path: Path) -> list[tuple[str, int, str]]:
    """Return calls that make pyarrow import pandas: the function, the line, and what to use."""
    found = []
    for node in ast.walk(tree_of(path)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr not in LOOKED_FOR:
            continue
        name = ast.unparse(node.func)
        if name in INSTEAD and not (name == "pc.index" and "arrow_scalar" in ast.unparse(node)):
            found.append((name, node.lineno, INSTEAD[name]))
        elif node.func.attr in METHODS:
            found.append((name, node.lineno, METHODS[node.func.attr]))
        elif name == "pa.table" and node.args and isinstance(node.args[0], (ast.Dict, ast.BinOp)):
            found.append((name, node.lineno, "table_of"))
        elif name.startswith("pc.") and name[3:] in WITH_CONSTANTS:
            constants = (ast.Constant, ast.JoinedStr)
            if any(isinstance(argument, constants) for argument in node.args):
                found.append((name, node.lineno, "arrow_scalar"))
    return found


def test_arrow_is_built_in_one_module() -> None:
    """All of the package builds Arrow data with `nbprof.model.building`."""
    found = {
        f"{path.relative_to(ROOT)}:{line}: {name}; use {instead}"
        for path in SOURCES
        if path != PACKAGE / "model" / "building.py"
        for name, line, instead in calls_of(path)
    }
    assert not found
