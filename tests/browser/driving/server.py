"""Starts a JupyterLab with its own port, settings and data."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
import urllib.error
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

from tests.support.programs.processes import running

if TYPE_CHECKING:
    from collections.abc import Iterator

#: What the user's settings directory says: no news, no update check, no save of widget state.
SETTINGS = {
    "@jupyterlab/apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "@jupyterlab/docmanager-extension/plugin": {"autosave": False},
}


def private_environment(home: Path) -> dict[str, str]:
    """Give the environment in which neither server nor kernel sees the user's configuration."""
    places = {
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "IPYTHONDIR": "ipython",
        "XDG_CACHE_HOME": "cache",
    }
    environment = {
        **os.environ,
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        "JUPYTER_PLATFORM_DIRS": "1",
    }
    for name, folder in places.items():
        (home / folder).mkdir(parents=True, exist_ok=True)
        environment[name] = str(home / folder)
    return environment


def _write_settings(home: Path) -> None:
    for name, values in SETTINGS.items():
        path = home / "settings" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(values), "utf-8")


def _address(runtime: Path) -> str | None:
    """Read the server's address from the file it writes once it listens."""
    for path in runtime.glob("jpserver-*.json"):
        with contextlib.suppress(ValueError, OSError):
            return f"http://127.0.0.1:{json.loads(path.read_text('utf-8'))['port']}"
    return None


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/api/status", timeout=5) as reply:  # noqa: S310 - own server
            return reply.status == 200
    except (urllib.error.URLError, OSError):
        return False


def jupyterlab(root: Path, home: Path, *options: str) -> contextlib.AbstractContextManager[str]:
    """Serve the files under ``root``; gives the address, and ends server and kernels afterwards."""
    news = ("--LabApp.expose_app_in_browser=True", "--LabApp.news_url=")
    return jupyter("jupyterlab", root, home, *news, *options)


@contextlib.contextmanager
def jupyter(app: str, root: Path, home: Path, *options: str) -> Iterator[str]:
    """Serve the files under ``root`` with a server application, `jupyterlab` or `notebook`.

    Kernels are reached by files, not by ports: a server chooses ports that are free, and another
    program may have taken one by the time the kernel opens it.
    """
    _write_settings(home)
    log = home / "server.log"
    command = [
        sys.executable,
        "-m",
        app,
        "--no-browser",
        "--allow-root",
        "--port=0",
        "--ServerApp.ip=127.0.0.1",
        "--IdentityProvider.token=",
        "--KernelManager.transport=ipc",
        f"--ServerApp.root_dir={root}",
        *options,
    ]
    # Names of such files may have no more than some 100 letters, and folders for temporary files
    # often have half of these.
    short = "/tmp"  # noqa: S108 - a folder of its own is made there
    with tempfile.TemporaryDirectory(dir=short if Path(short).is_dir() else None) as runtime:
        environment = {**private_environment(home), "JUPYTER_RUNTIME_DIR": runtime}

        def ready() -> bool:
            address = _address(Path(runtime))
            return address is not None and _answers(address)

        with running(command, ready, log=log, cwd=root, env=environment):
            yield str(_address(Path(runtime)))
