"""What is installed round a view: in the kernel, and in the server that the page came from."""

from __future__ import annotations

import json
import os
import platform
import sys
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

#: What a view is made of in the kernel.
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
#: What the page needs of the server's environment: the folder of the extension, and its package.
EXTENSIONS: Final = {
    "anywidget": "anywidget",
    "@jupyter-widgets/jupyterlab-manager": "jupyterlab_widgets",
}
_SERVERS: Final = ("jupyter", "voila", "notebook")


def versions() -> dict[str, str]:
    """Return the versions of what a view is made of, by package; those that are not there lack."""
    found = {package: _version(package) for package in PACKAGES}
    return {package: number for package, number in found.items() if number}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:  # a source tree on the path, or a script without a kernel
        return ""


def python_text() -> str:
    """Name the interpreter and the system that the kernel runs on."""
    return f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"


@dataclass(frozen=True)
class Server:
    """The environment of the Jupyter server that started this kernel.

    Attributes
    ----------
    prefix : Path
        Its folder.
    extensions : dict of str to str
        Versions of the front-end extensions in it or in the user's folder, by name of extension.
    """

    prefix: Path
    extensions: dict[str, str] = field(default_factory=dict)

    @property
    def missing(self) -> list[str]:
        """The packages that its pages lack."""
        return [package for name, package in EXTENSIONS.items() if name not in self.extensions]


def server() -> Server | None:
    """Look at the environment of the server; None where it cannot be told, as on other systems.

    The kernel's parent is the server, on the machines where Linux says what runs. Kernels behind a
    gateway or in a container of their own have another parent; then nothing is said of it.
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
    """Give the environment whose ``bin`` the program or the interpreter lies in."""
    for word in words[:2]:
        path = Path(word)
        if path.is_absolute() and path.parent.name == "bin" and path.exists():
            return path.parent.parent
    return None


def _extensions(prefix: Path) -> dict[str, str]:
    """Read what is in the server's folders, as the server does: the user's come first."""
    folders = [prefix / "share" / "jupyter", Path("/usr/local/share/jupyter")]
    user = os.environ.get("JUPYTER_DATA_DIR")
    folders.insert(0, Path(user) if user else Path.home() / ".local" / "share" / "jupyter")
    found = {}
    for name in EXTENSIONS:
        for folder in folders:
            try:
                text = (folder / "labextensions" / name / "package.json").read_text("utf-8")
                found[name] = str(json.loads(text)["version"])
            except (OSError, ValueError, KeyError):
                continue
            break
    return found


def same_environment(prefix: Path) -> bool:
    """Whether kernel and server share one environment."""
    return os.path.realpath(prefix) == os.path.realpath(sys.prefix)
