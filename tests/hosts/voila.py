"""Voila: a page with the outputs of a notebook, and its own kernel."""

from __future__ import annotations

import contextlib
import sys
import urllib.error
import urllib.request
from typing import TYPE_CHECKING

from tests.browser.driving.lab import Lab
from tests.browser.driving.server import private_environment
from tests.hosts.ports import free_ports
from tests.support.programs.processes import running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: Where Voila's own templates look for fonts and icons.
NETWORKS = {"cdn.jsdelivr.net", "cdnjs.cloudflare.com", "unpkg.com", "fonts.googleapis.com"}


@contextlib.contextmanager
def voila(root: Path, home: Path) -> Iterator[str]:
    """Serve the notebooks under ``root``; gives the address, and ends server and kernels."""
    (port,) = free_ports(1)
    log = home / "voila.log"
    command = [sys.executable, "-m", "voila", "--no-browser", f"--port={port}"]
    command += ["--Voila.ip=127.0.0.1", f"--Voila.root_dir={root}", str(root)]
    address = f"http://127.0.0.1:{port}"
    environment = private_environment(home)
    with running(command, lambda: _answers(address), log=log, cwd=root, env=environment):
        yield address


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/voila/tree", timeout=5):  # noqa: S310 - own server
            return True
    except urllib.error.HTTPError:
        return True
    except (urllib.error.URLError, OSError):
        return False


class Dashboard(Lab):
    """One page of Voila; what is asked of other machines is refused, as in JupyterLab's tests."""

    def open(self, path: str) -> None:
        """Let Voila run a notebook, and wait for its page."""
        self.page.goto(f"{self.address}/voila/render/{path}")

    def run_all(self) -> None:
        """Voila has run them; no cell may have failed."""
        self.page.wait_for_selector("#rendered_cells, .jp-Notebook")
        errors = self.page.locator("[data-mime-type*=error], [data-mime-type*=stderr]")
        assert errors.count() == 0, errors.first.inner_text()

    def close(self) -> None:
        """Close the page; the kernel ends with the server."""
        self.context.close()
