"""docs/extending.md: its cells run in order, and its package works once it is installed."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.conftest import ROOT
from tests.support.extending import blocks, install, write_files

if TYPE_CHECKING:
    from pathlib import Path

BLOCKS = blocks()
CELLS = [block.text for block in BLOCKS if block.language == "python"]
COMMANDS = [
    line for block in BLOCKS if block.language == "console" for line in block.text.splitlines()
]


@pytest.fixture
def reader(tmp_path: Path) -> Path:
    """A folder in which a reader of the page works."""
    folder = tmp_path / "reader"
    folder.mkdir()
    (folder / "samples").symlink_to(ROOT / "samples", target_is_directory=True)
    write_files(folder, package=False)
    return folder


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package of the page, installed."""
    target = tmp_path_factory.mktemp("installed")
    install(tmp_path_factory.mktemp("package"), target)
    return target


def run(reader: Path, *words: str, path: Path | None = None) -> str:
    """Run Python in another process, in which nothing was registered; gives what it says."""
    places = [str(place) for place in (path, ROOT) if place is not None]
    done = subprocess.run(
        [sys.executable, "-W", "error::nbprof.ExtensionWarning", *words],
        cwd=reader,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(places), "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_page_shows_one_of_each() -> None:
    registered = "".join(CELLS)
    for name in ("TABLE", "VIEW", "RECORDER"):
        assert f"nbprof.register({name})" in registered
    assert len(COMMANDS) == 3


def test_its_cells_run_in_order(reader: Path) -> None:
    (reader / "cells.py").write_text("\n".join(CELLS), "utf-8")
    said = run(reader, "cells.py")
    assert "worker0" in said
    assert "Kernel time by family" in (reader / "families.html").read_text("utf-8")


def test_its_commands_run(reader: Path, installed: Path) -> None:
    said = ""
    for command in COMMANDS:
        program, *words = shlex.split(command)
        assert program == "nbprof"
        said += run(reader, "-m", "nbprof", *words, path=installed)
    assert "Slices" in said
    assert "convolution" in said
    assert "communication" not in said  # it takes less than 150 µs
    assert "Kernel time by family" in (reader / "recordings.html").read_text("utf-8")


INSTALLED = """
import nbprof
profile = nbprof.load("recordings")
print(profile.runs()["format"][0])
print(profile.table("kernel_families")["family"].to_pylist())
view = nbprof.Explorer(profile, view="families")
print(view.active, view.table.num_rows, sorted(view.figures), view.errors)
print(view.static().html)
"""


def test_all_three_are_there_once_it_is_installed(reader: Path, installed: Path) -> None:
    said = run(reader, "-c", INSTALLED, path=installed)
    assert said.startswith("Slices\n")
    assert "families 3 ['families', 'launches'] []" in said
    assert "Kernel time by family" in said
    assert "matrix product" in said
