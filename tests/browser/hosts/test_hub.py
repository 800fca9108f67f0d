"""A JupyterHub with two users, two environments and one proxy."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
import pytest
from playwright.sync_api import Error

from tests.browser.driving.widget import CHARTS, Widget
from tests.conftest import ROOT
from tests.hosts.hub import PROXY, Hub, hub
from tests.hosts.hub_lab import HubLab
from tests.hosts.users import User, users
from tests.support.programs.missing import missing
from tests.support.recordings.large import large_trace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

#: The first cell and the last, round those of the quickstart.
FIRST = "import importlib.util, os, sys\nfrom network_watch import asked, before, ports"
LAST = "nbprof.diagnose(view)"
KERNEL = {"name": "profiles", "display_name": "Profiles", "language": "python"}


@pytest.fixture(scope="module")
def people() -> Iterator[list[User]]:
    """Two users of this machine, each with the notebooks and samples at home."""
    if os.geteuid() != 0:
        pytest.skip("making users for a JupyterHub takes root")
    if shutil.which("useradd") is None:
        missing("no useradd on PATH")
    # Where pytest keeps temporary files, others may not go.
    folder = Path(tempfile.mkdtemp(prefix="nbprof-hub-"))
    folder.chmod(0o755)
    try:
        with users(folder, "a", "b") as made:
            for user in made:
                _furnish(user)
            yield made
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _furnish(user: User) -> None:
    """Put the quickstart and the samples into a home."""
    notebook = nbformat.read(ROOT / "notebooks" / "quickstart.ipynb", as_version=4)
    notebook.metadata.kernelspec = KERNEL
    notebook.cells.insert(0, nbformat.v4.new_code_cell(FIRST))
    notebook.cells.append(nbformat.v4.new_code_cell(LAST))
    folder = user.home / "notebooks"
    folder.mkdir()
    nbformat.write(notebook, folder / "quickstart.ipynb")
    shutil.copy(ROOT / "tests" / "hosts" / "network_watch.py", folder)
    shutil.copytree(ROOT / "samples", user.home / "samples")
    (user.home / "large").mkdir()
    large_trace(user.home / "large" / "worker0.pt.trace.json", 40_000)
    user.own()


@pytest.fixture(scope="module")
def running_hub(chromium: str, people: list[User]) -> Iterator[Hub]:
    """The hub, in the folder that the homes are in."""
    if not PROXY.exists() or shutil.which("node") is None:
        missing("no configurable-http-proxy: run npm ci in js/")
    with hub(people[0].home.parent, people) as running:
        yield running


@pytest.fixture
def labs(browser: Browser, running_hub: Hub, people: list[User]) -> Iterator[list[HubLab]]:
    """Both users, logged in; afterwards nothing outside this machine was asked for."""
    pages = [HubLab(browser, running_hub, user, ROOT / "screenshots") for user in people]
    try:
        for page in pages:
            page.log_in()
        yield pages
    finally:
        for page in pages:
            page.close()
    assert [page.outside for page in pages] == [[], []]
    assert [page.faults for page in pages] == [[], []]


def python(lab: HubLab, expression: str) -> Any:
    """Evaluate in the notebook's kernel."""
    return json.loads(lab.python(f"import json\nprint(json.dumps({expression}))"))


def test_two_users_work_side_by_side(labs: list[HubLab], running_hub: Hub) -> None:
    for lab in labs:
        lab.open("notebooks/quickstart.ipynb")
        lab.run_all()
        Widget(lab.widgets().first).drawn(CHARTS["Overview"])
        lab.screenshot(f"hub-{lab.user.home.name}")
    first, second = labs

    # Each in an environment without the other's part, as who they are, behind the base URL.
    for lab in labs:
        assert python(lab, "os.getuid()") == lab.user.home.stat().st_uid
        assert python(lab, "sys.prefix") == str(running_hub.kernel_prefix)
        assert python(lab, "nbprof.__file__").startswith(str(running_hub.kernel_prefix))
        assert lab.page.url.startswith(running_hub.server_of(lab.user))
        missing_here = "[n for n in ('jupyterhub', 'jupyterlab') if importlib.util.find_spec(n)]"
        assert python(lab, missing_here) == []
    assert not list(running_hub.server_prefix.glob("lib/*/site-packages/nbprof*"))

    # A view that was drawn answers, and no port was opened on the way.
    widget = Widget(first.widgets().first).open_view("Kernels")
    widget.filter_name("nvjet")
    widget.eventually(lambda: python(first, "view.filter"), {"name": "nvjet"})
    for lab in labs:
        assert python(lab, "ports() == before"), python(lab, "[before, ports()]")
        assert python(lab, "asked") == []

    _diagnosis_names_both_environments(first, running_hub)
    _cache_is_private(first, second)
    assert first.status_of(f"/user/{second.user.name}/lab") == 403
    assert second.status_of(f"/user/{first.user.name}/api/contents") == 403
    assert second.status_of(f"/user/{second.user.name}/api/contents") == 200


def _diagnosis_names_both_environments(lab: HubLab, running_hub: Hub) -> None:
    told = lab.page.locator(".jp-OutputArea-output", has_text="Versions ")
    widget = Widget(lab.widgets().first)
    widget.eventually(lambda: "draws views" in (told.last.text_content() or ""), expected=True)
    words = " ".join((told.last.text_content() or "").split())
    assert f"Server environment: {running_hub.server_prefix}; anywidget" in words
    assert f"in {running_hub.kernel_prefix}" in words
    assert "its page has sent" in words


def _cache_is_private(first: HubLab, second: HubLab) -> None:
    """What one user read lies where the other, who may look into that home, gets no further."""
    first.python(
        "from nbprof.sources.cache import cache, folder as cache_folder\n"
        "nbprof.load('../large').trace().operators()\ncache.finish()"
    )
    folder = python(first, "str(cache_folder.folder())")
    assert folder.startswith(str(first.user.home))
    entry, *_ = python(first, "[str(one.path) for one in cache_folder.entries()]")
    assert python(second, f"os.listdir({str(first.user.home)!r})")
    for code in (f"os.listdir({folder!r})", f"open({entry!r}, 'rb')"):
        with pytest.raises(Error, match="Permission denied"):
            second.python(code)
    assert python(second, "nbprof.load('../large').trace().operators().num_rows") > 0
