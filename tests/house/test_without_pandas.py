"""Computing tables does not import pandas, which takes longer than opening a small trace."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.house.test_house import PACKAGE, ROOT, SOURCES
from tests.support.syntax import tree_of

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("pandas")

SAMPLES = sorted(path for path in (ROOT / "samples").iterdir() if any(path.glob("worker*")))

#: Asks for every table of every grouping, and prints what was asked for when pandas came.
EVERY_TABLE = """
import json, sys, warnings
warnings.simplefilter("ignore")
import nbprof
from nbprof.tables import TABLES
from nbprof.tables.methods import has

found, asked = [], 0
profile = nbprof.load(sys.argv[1], cache=False, progress=False)

def check(what):
    global asked
    asked += 1
    if "pandas" in sys.modules:
        print(json.dumps({"at": what, "asked": asked}))
        sys.exit()

for trace in list(profile)[:1]:  # another worker has the same tables
    _ = trace.model.nesting, trace.model.links, trace.model.steps
    check("load")
    end = trace.metadata["end_ns"] / 1000
    for filter_ in ({}, {"time_us": (end / 3, end / 2)}, {"name": "a"}, {"within": "conv"}):
        for spec in TABLES.specs():
            for group_by in spec.groupings or [None]:
                if has("trace", spec):
                    options = {"group_by": group_by} if group_by else {}
                    trace.filter(**filter_).table(spec.name, **options)
                    check([spec.name, group_by, filter_])
for spec in TABLES.specs():
    if has("profile", spec):
        profile.table(spec.name)
        check(spec.name)
print(json.dumps({"at": None, "asked": asked}))
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


def run(*command: str) -> str:
    """Run Python, and return what it printed."""
    done = subprocess.run(
        [sys.executable, *command], check=True, capture_output=True, text=True, cwd=ROOT
    )
    return done.stdout


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_no_table_imports_pandas(sample: Path) -> None:
    """Every table of every grouping and kind of filter is made without it."""
    found = json.loads(run("-c", EVERY_TABLE, str(sample)).splitlines()[-1])
    assert found["at"] is None
    assert found["asked"] > 100


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
    sample = str(ROOT / "samples" / "gpu_resnet_synthetic")
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
        name = ast.unparse(node.func)
        if name in INSTEAD and not (name == "pc.index" and "arrow_scalar" in ast.unparse(node)):
            found.append((name, node.lineno, INSTEAD[name]))
        elif node.func.attr in METHODS:
            found.append((name, node.lineno, METHODS[node.func.attr]))
        elif name == "pa.table" and node.args and isinstance(node.args[0], (ast.Dict, ast.BinOp)):
            found.append((name, node.lineno, "table_of"))
        elif name.startswith("pc.") and re.match(r"(not_)?equal|if_else|add|multiply", name[3:]):
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
