"""Versions of installed packages, in the kernel and in the Jupyter server that started it."""

from __future__ import annotations

import json
import os
import platform
import sys
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

#: Packages that a view needs in the kernel.
PACKAGES: Final = (
    "nbprof",
    "anywidget",
    "ipywidgets",
    "bokeh",
    "pyarrow",
    "numpy",
    "pandas",
    "msgspec",
    "ipykernel",
)
#: Front-end extensions that the page needs in the server's environment: folder and package.
EXTENSIONS: Final = {
    "anywidget": "anywidget",
    "@jupyter-widgets/jupyterlab-manager": "jupyterlab_widgets",
}
_SERVERS: Final = ("jupyter", "voila", "notebook")


def versions() -> dict[str, str]:
    """Return the installed versions of the packages a view needs; missing packages are left out."""
    found = {package: _version(package) for package in PACKAGES}
    return {package: number for package, number in found.items() if number}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:  # a source tree on the path, or a script without a kernel
        return ""


def python_text() -> str:
    """Return the Python version and platform of the kernel."""
    return f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"


@dataclass(frozen=True)
class Server:
    """The environment of the Jupyter server that started this kernel.

    Attributes
    ----------
    prefix : Path
        Folder of the environment.
    extensions : dict of str to str
        Versions of the front-end extensions in the environment or the user's folder, by extension.
    """

    prefix: Path
    extensions: dict[str, str] = field(default_factory=dict)

    @property
    def missing(self) -> list[str]:
        """Packages that the server's pages need and that are not installed."""
        return [package for name, package in EXTENSIONS.items() if name not in self.extensions]


def server() -> Server | None:
    """Inspect the environment of the Jupyter server; None if it cannot be found.

    On Linux, the server is found as the parent process of the kernel. Kernels behind a gateway or
    in a container have another parent; None is returned for them.
    """
    try:
        line = Path(f"/proc/{os.getppid()}/cmdline").read_bytes()
    except OSError:
        return None
    words = os.fsdecode(line).split("\0")
    if not any(name in word for word in words for name in _SERVERS):
        return None
    prefix = _prefix(words)
    return None if prefix is None else Server(prefix, _extensions(prefix))


def _prefix(words: list[str]) -> Path | None:
    """Return the environment whose ``bin`` folder contains the program or the interpreter."""
    for word in words[:2]:
        path = Path(word)
        if path.is_absolute() and path.parent.name == "bin" and path.exists():
            return path.parent.parent
    return None


def _extensions(prefix: Path) -> dict[str, str]:
    """Return the extensions that the server offers; those in the user's folder take precedence."""
    folders = [prefix / "share" / "jupyter", Path("/usr/local/share/jupyter")]
    user = os.environ.get("JUPYTER_DATA_DIR")
    folders.insert(0, Path(user) if user else Path.home() / ".local" / "share" / "jupyter")
    extensions = {}
    for name in EXTENSIONS:
        for folder in folders:
            try:
                text = (folder / "labextensions" / name / "package.json").read_text("utf-8")
                extensions[name] = str(json.loads(text)["version"])
            except (OSError, ValueError, KeyError):
                continue
            break
    return extensions


def same_environment(prefix: Path) -> bool:
    """Return whether kernel and server share one environment."""
    return os.path.realpath(prefix) == os.path.realpath(sys.prefix)
