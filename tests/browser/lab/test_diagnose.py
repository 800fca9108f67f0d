"""`nbprof.diagnose` on pages that draw nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import nbformat
import pytest

from tests.browser.driving.lab import Lab
from tests.browser.driving.server import jupyterlab
from tests.browser.driving.widget import Widget
from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}
#: What JupyterLab itself needs, and no blob:.
POLICY = "script-src 'self' 'unsafe-inline' 'unsafe-eval'"
HEADERS = {"headers": {"Content-Security-Policy": POLICY}}
#: Why a page draws nothing, and words of what is said about it.
CAUSES = {
    "no blob": ("has anywidget but does not run its scripts", "script-src 'self' blob:"),
    "no anywidget": ("no compatible anywidget", "pip install 'anywidget=="),
    "no widgets": ("no answer so far", "pip install ipywidgets anywidget there"),
}


def prepare(cause: str, home: Path) -> list[str]:
    """Break a server in one way; gives the options that it is started with."""
    if cause == "no blob":
        return [f"--ServerApp.tornado_settings={HEADERS!r}"]
    names = {"no anywidget": "anywidget", "no widgets": "@jupyter-widgets/jupyterlab-manager"}
    folder = home / "config" / "labconfig"
    folder.mkdir(parents=True)
    content = {"disabledExtensions": {names[cause]: True}}
    (folder / "page_config.json").write_text(json.dumps(content), "utf-8")
    return []


@pytest.mark.parametrize("cause", CAUSES)
def test_it_names_what_is_missing(browser: Browser, tmp_path: Path, cause: str) -> None:
    root, home = tmp_path / "root", tmp_path / "home"
    root.mkdir()
    home.mkdir()
    cells = [nbformat.v4.new_code_cell("import nbprof\nnbprof.diagnose()")]
    notebook = nbformat.v4.new_notebook(metadata={"kernelspec": KERNEL}, cells=cells)
    nbformat.write(notebook, root / "why.ipynb")
    with jupyterlab(root, home, *prepare(cause, home)) as address:
        lab = Lab(browser, address, ROOT / "screenshots")
        try:
            lab.open("why.ipynb")
            lab.run_all()
            output = lab.page.locator(".jp-OutputArea-output").first
            told = Widget(output)
            for words in CAUSES[cause]:
                told.eventually(
                    lambda words=words: words in " ".join(output.inner_text().split()),
                    expected=True,
                )
            lab.screenshot(f"diagnose-{cause.replace(' ', '-')}")
        finally:
            lab.close()
