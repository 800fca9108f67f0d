"""Every code block of docs/ and CONTRIBUTING.md runs, in order, with only what its reader has."""

from __future__ import annotations

import cProfile
import json
import os
import pickle
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.analysis.costs.registry import FORMULAS
from nbprof.tables import TABLES
from nbprof.widgets.views.registry import VIEWS
from tests.analysis.allocator.runs import run
from tests.conftest import ROOT
from tests.sources.nsight.exports import write_export
from tests.support.blocks import blocks
from tests.support.recordings.allocator import SimAllocator
from tests.support.recordings.allocator_snapshot import snapshot

if TYPE_CHECKING:
    from collections.abc import Iterator

#: What an allocator does for the memory snapshot in the reader's folder.
PLAN = [("alloc", 1 << 20, choice) for choice in range(9)] + [("free", 0, 3)]
#: A notebook of one cell, in the reader's folder.
_CELL = {
    "cell_type": "code",
    "id": "show",
    "execution_count": None,
    "metadata": {},
    "outputs": [],
    "source": "nbprof.show('logs/')",
}
_NOTEBOOK = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [_CELL]}
#: The README has a test of its own (test_readme.py), and so has the guide for extensions.
ELSEWHERE = {"README.md", "CHANGELOG.md", "extending.md"}
PAGES = {
    page.name: blocks(page)
    for page in sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
    if page.name not in ELSEWHERE
}
PYTHON = [name for name, found in PAGES.items() if "python" in dict(found)]
CONSOLE = [
    (name, line)
    for name, found in PAGES.items()
    for language, code in found
    if language != "python"
    for line in code.splitlines()
]
#: Beginnings of blocks and lines that do not run here, each with the reason.
NOT_RUN = {
    "from dask.distributed import Client": "needs a cluster; tests/ranks/test_dask.py starts one",
    'nbprof.show("s3://': "needs buckets; tests/sources/files read from servers of their own",
    "import nbprof\n\nwith nbprof.profile()": "needs PyTorch; tests/sources/kineto has it",
    "import torch\n\nwith torch.autograd.profiler.emit_nvtx": "needs a GPU",
    "import torch\n\ntorch.cuda.memory": "needs a GPU",
    "nsys ": "needs Nsight Systems",
    "/opt/": "needs a hub; tests/hosts installs one",
    ".venv/bin/python -m pytest": "runs these tests",
    "cd js && npm run dev": "goes on until it is interrupted",
}


def reason(code: str) -> str | None:
    """Return why a block or line does not run here, None where it does."""
    return next((why for start, why in NOT_RUN.items() if code.startswith(start)), None)


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with profiles and a notebook, in which the reader works."""
    shutil.copytree(ROOT / "tests/samples/gpu_resnet_synthetic", tmp_path / "logs")
    (tmp_path / "report.ipynb").write_text(json.dumps(_NOTEBOOK))
    write_export(tmp_path / "report.sqlite")
    (tmp_path / "snapshot.pickle").write_bytes(pickle.dumps(snapshot(run(SimAllocator(), PLAN))))
    (tmp_path / "package").mkdir()
    for program in (tmp_path / "train.py", tmp_path / "package" / "train.py"):
        program.write_text("print(sum(range(1000)))\n")
    cProfile.run("sum(range(1000))", str(tmp_path / "main.pstats"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    registered = {registry: set(registry.names()) for registry in (FORMULAS, TABLES, VIEWS)}
    yield tmp_path
    nbprof.options.reset()
    for registry, names in registered.items():
        for name in set(registry.names()) - names:
            registry.unregister(name)


# Python 3.12 warns of pools of processes in a program with threads.
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.parametrize("page", PYTHON)
def test_the_python_blocks_run_in_order(reader: Path, page: str) -> None:
    names: dict[str, Any] = {"nbprof": nbprof, "c": SimpleNamespace(Spawner=SimpleNamespace())}
    for language, code in PAGES[page]:
        if language == "python" and reason(code) is None:
            exec(compile(code, page, "exec"), names)  # noqa: S102 - our own page


@pytest.mark.parametrize(("page", "line"), [pair for pair in CONSOLE if reason(pair[1]) is None])
def test_the_commands_run(reader: Path, page: str, line: str) -> None:
    done = subprocess.run(
        shlex.split(line, comments=True), check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_what_does_not_run_is_there() -> None:
    code = [block for found in PAGES.values() for _, block in found]
    lines = [*code, *(line for _, line in CONSOLE)]
    assert all(any(line.startswith(start) for line in lines) for start in NOT_RUN)
    assert (ROOT / "tests" / "analysis").is_dir()
    assert '"dev"' in (ROOT / "js" / "package.json").read_text()
