"""A JupyterHub for tests, with its proxy, on free ports of this machine."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.conftest import ROOT
from tests.hosts.environments import environment, interpreter
from tests.hosts.ports import free_ports

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.hosts.users import User

PROXY = ROOT / "js" / "node_modules" / ".bin" / "configurable-http-proxy"
CONFIG = Path(__file__).with_name("hub_config.py")
START_SECONDS = 120
#: Where the hub lives on its host; users' servers are below it.
BASE = "/some/hub"


@dataclass(frozen=True)
class Hub:
    """A hub that runs.

    Attributes
    ----------
    address : str
        With its base URL, without a slash at the end.
    server_prefix, kernel_prefix : Path
        The environments of the servers and of the kernels.
    """

    address: str
    server_prefix: Path
    kernel_prefix: Path

    def server_of(self, user: User) -> str:
        """Give the address of a user's server."""
        return f"{self.address}/user/{user.name}"


def build(folder: Path) -> tuple[Path, Path]:
    """Make both environments, as docs/hosts/hub.md says; gives the interpreter of each.

    The server's has the front end of widgets and no nbprof; the kernel's has nbprof and no server.
    """
    python = interpreter(folder / "python")
    packages = ("jupyterhub", "jupyterlab", "ipywidgets", "anywidget")
    server = environment(python, folder / "server", packages)
    kernel = environment(python, folder / "kernel", ("nbprof", "ipykernel"))
    spec = folder / "server" / "share" / "jupyter" / "kernels" / "profiles"
    spec.mkdir(parents=True)
    command = [str(kernel), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    content = {"argv": command, "display_name": "Profiles", "language": "python"}
    (spec / "kernel.json").write_text(json.dumps(content), "utf-8")
    return server, kernel


@contextlib.contextmanager
def hub(folder: Path, people: list[User]) -> Iterator[Hub]:
    """Start a hub that knows these users; ends it and all it started afterwards."""
    server, kernel = build(folder)
    port, hub_port, proxy_port = free_ports(3)
    address = f"http://127.0.0.1:{port}{BASE}"
    given = {
        "url": f"{address}/",
        "hub_port": hub_port,
        "proxy_port": proxy_port,
        "proxy": [shutil.which("node"), str(PROXY)],
        "server": [str(server), "-m", "jupyterhub.singleuser"],
        "libraries": str(folder / "python" / "lib"),
        "passwords": {user.name: user.password for user in people},
    }
    state = folder / "state"
    state.mkdir(mode=0o700)
    log = state / "hub.log"
    keep = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
    with log.open("wb") as out:
        process = subprocess.Popen(
            [server, "-m", "jupyterhub", "-f", CONFIG],
            cwd=state,
            env={**keep, "HOME": str(state), "NBPROF_TEST_HUB": json.dumps(given)},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=True,
        )
    try:
        _wait_for(f"{address}/hub/api/", process, log)
        yield Hub(address, server.parents[1], kernel.parents[1])
    finally:
        process.send_signal(signal.SIGTERM)  # ends servers and proxy
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        with (
            contextlib.suppress(urllib.error.URLError, OSError),
            urllib.request.urlopen(url, timeout=5),  # noqa: S310 - own hub
        ):
            return
        if process.poll() is not None or time.monotonic() > deadline:
            text = log.read_text("utf-8", errors="replace")[-3000:]
            message = f"JupyterHub did not start (exit {process.poll()}):\n{text}"
            raise RuntimeError(message)
        time.sleep(0.2)  # polling a port, not waiting for a fixed time
