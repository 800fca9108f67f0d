"""Fixtures for JupyterLab, Chromium and pages; skips with a message where Chromium is missing."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

import nbprof
from tests.browser.driving.bare import Bare, bare_pages
from tests.browser.driving.lab import Lab
from tests.browser.driving.server import jupyterlab
from tests.conftest import ROOT
from tests.support.programs.missing import missing
from tests.support.recordings.runs import RUNS

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-quic",
    "--disable-sync",
    "--force-color-profile=srgb",
    "--no-first-run",
    # Nothing is asked of other machines.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
]


@pytest.fixture(scope="session")
def chromium() -> str:
    """Give the path of Chromium; without one these tests are skipped, or fail where required."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        missing(f"no Chromium on PATH (looked for {', '.join(NAMES)})")
    return path


@pytest.fixture(scope="package")
def browser(chromium: str) -> Iterator[Browser]:
    """Chromium without a window; closed after the last test here: its event loop is in the way."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        instance = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield instance
        instance.close()


@pytest.fixture(scope="session")
def lab_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the notebooks with the samples beside them, so that nothing is written to ours."""
    root = tmp_path_factory.mktemp("lab")
    shutil.copytree(ROOT / "notebooks", root / "notebooks")
    (root / "samples").symlink_to(ROOT / "samples", target_is_directory=True)
    (root / "runs").symlink_to(RUNS, target_is_directory=True)
    return root


@pytest.fixture(scope="session")
def server(
    chromium: str, lab_root: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """Give the address of a JupyterLab that serves `lab_root`."""
    with jupyterlab(lab_root, tmp_path_factory.mktemp("jupyter")) as address:
        yield address


@pytest.fixture
def lab(browser: Browser, server: str) -> Iterator[Lab]:
    """A fresh page; afterwards, nothing outside this machine was asked for and nothing broke."""
    page = Lab(browser, server, ROOT / "screenshots")
    try:
        yield page
    finally:
        page.close()
    assert page.outside == []
    assert page.faults == []


@pytest.fixture
def bare(browser: Browser) -> Iterator[Bare]:
    """Pages without a notebook, whose Python side is here."""
    with bare_pages(browser) as pages:
        yield pages


@pytest.fixture(scope="session")
def samples_profile() -> nbprof.Profile:
    """The profiles that come with the project, read once."""
    return nbprof.load(RUNS)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Put skipped tests in one place, so that the summary has one line for all of them."""
    report = yield
    if report.skipped and isinstance(report.longrepr, tuple):
        _, _, reason = report.longrepr
        report.longrepr = (__file__, None, reason)
    return report
