"""The content of docs/extending.md: the files of its package, its cells and its commands."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING, Final, NamedTuple

from tests.conftest import ROOT
from tests.support.programs.missing import missing

if TYPE_CHECKING:
    from pathlib import Path

_BLOCK: Final = re.compile(
    r"^(?:\*\*`(?P<file>[^`]+)`\*\*\n\n)?```(?P<language>\w+)\n(?P<text>.*?)^```",
    re.MULTILINE | re.DOTALL,
)
#: The first setuptools that makes wheels by itself.
_SETUPTOOLS: Final = (70, 1)


class Block(NamedTuple):
    """A block of code, and the file that it is; empty for none."""

    file: str
    language: str
    text: str


def blocks() -> list[Block]:
    """Return the blocks of the page in their order."""
    page = (ROOT / "docs" / "extending.md").read_text("utf-8")
    found = _BLOCK.finditer(page)
    return [Block(one["file"] or "", one["language"], one["text"]) for one in found]


def write_files(folder: Path, *, package: bool) -> None:
    """Write the files of the page: those of the package, or all others."""
    for file, _, text in blocks():
        path = folder / file
        if file and package == (file.endswith(".toml") or file.startswith("nbprof_")):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")


def install(folder: Path, target: Path) -> None:
    """Install the package of the page into a folder, without a network."""
    import setuptools

    if tuple(map(int, setuptools.__version__.split(".")[:2])) < _SETUPTOOLS:
        missing(f"setuptools {setuptools.__version__}, which makes no wheels")
    write_files(folder, package=True)
    words = ["install", "--quiet", "--no-deps", "--no-index", "--no-build-isolation"]
    words += ["--disable-pip-version-check", "--target", str(target), str(folder)]
    done = subprocess.run(
        [sys.executable, "-m", "pip", *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
