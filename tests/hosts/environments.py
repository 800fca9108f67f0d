"""Environments that other users of this machine can read, with the packages of the tests.

Nothing is downloaded: the files of the installed packages are linked, or copied where they lie on
another file system. An interpreter in a home directory that others cannot read is copied, too.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import sysconfig
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.requirements import Requirement

from tests.conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable

_VERSION = f"python{sys.version_info.major}.{sys.version_info.minor}"
#: Parts of the standard library that no server needs.
_LEFT_OUT = {"site-packages", "test", "tests", "idlelib", "ensurepip", "__phello__"}


def open_to_all(path: Path) -> bool:
    """Whether every user of this machine can go to a folder."""
    return all(
        part.stat().st_mode & stat.S_IXOTH for part in [path, *path.parents] if part.is_dir()
    )


def interpreter(folder: Path) -> Path:
    """Give a Python that all users can start: this one, or a copy of it in a folder."""
    base = Path(sys.base_prefix)
    program = base / "bin" / _VERSION
    if open_to_all(base) and program.exists():
        return program
    (folder / "bin").mkdir(parents=True)
    _link(program.resolve(), folder / "bin" / _VERSION)
    library = Path(sysconfig.get_path("stdlib"))
    _link_tree(library, folder / "lib" / _VERSION)
    for shared in (base / "lib").glob("libpython*"):
        _link(shared.resolve(), folder / "lib" / shared.name)
    return folder / "bin" / _VERSION


def environment(python: Path, folder: Path, packages: Iterable[str]) -> Path:
    """Make a virtual environment with packages and all they need; gives its interpreter."""
    subprocess.run([python, "-m", "venv", "--without-pip", folder], check=True)
    here, site = Path(sys.prefix), folder / "lib" / _VERSION / "site-packages"
    for installed in _closure(packages):
        for file in installed.files or []:
            source = Path(os.path.normpath(str(installed.locate_file(file))))
            # Programs name the interpreter that they were made for; none of them is started.
            if source.is_file() and source.is_relative_to(here) and file.parts[-2:-1] != ("bin",):
                _link(source, folder / source.relative_to(here))
        if installed.metadata["Name"] == "nbprof" and not (site / "nbprof").exists():
            shutil.copytree(ROOT / "nbprof", site / "nbprof")  # the tests run a checkout
            (site / "nbprof.pth").unlink(missing_ok=True)
            for pointer in site.glob("_*nbprof*.pth"):
                pointer.unlink()
    return folder / "bin" / "python"


def _closure(packages: Iterable[str]) -> list[Distribution]:
    """List packages and what they require, as far as it is installed."""
    found: dict[str, Distribution] = {}
    waiting = [(name, "") for name in packages]
    seen = set()
    while waiting:
        name, extra = waiting.pop()
        if (name, extra) in seen:
            continue
        seen.add((name, extra))
        try:
            installed = distribution(name)
        except PackageNotFoundError:
            continue
        found[installed.metadata["Name"]] = installed
        for line in installed.requires or []:
            need = Requirement(line)
            if need.marker is None or need.marker.evaluate({"extra": extra}):
                waiting += [(need.name, ""), *((need.name, more) for more in need.extras)]
    return list(found.values())


def _link_tree(source: Path, target: Path) -> None:
    for folder, names, files in os.walk(source):
        names[:] = [name for name in names if name not in _LEFT_OUT]
        for name in files:
            _link(Path(folder, name), target / Path(folder, name).relative_to(source))


def _link(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        target.hardlink_to(source)
    except FileExistsError:  # two packages bring one file
        return
    except OSError:  # another file system
        shutil.copy2(source, target)
