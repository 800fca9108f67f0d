"""Notebook 7: the commands of JupyterLab, with one notebook per page."""

from __future__ import annotations

from tests.browser.driving.lab import IDLE, Lab

#: Makes the application reachable for the tests, as `jupyterapp`.
EXPOSED = "--JupyterNotebookApp.expose_app_in_browser=True"


class Seven(Lab):
    """One page of Notebook 7."""

    #: Its settings fail to load so in every notebook, empty ones included.
    foreign = (*Lab.foreign, "Cannot read properties of undefined (reading 'schema')")

    def open(self, path: str) -> None:
        """Open a notebook, alone on its page, and wait for its kernel."""
        self.page.goto(f"{self.address}/notebooks/{path}")
        self.page.wait_for_function(
            "() => window.jupyterapp?.shell.currentWidget?.context?.isReady"
        )
        self.theme("light")  # the server remembers what the test before chose
        self.page.wait_for_function(IDLE)
