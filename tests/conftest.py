"""Fixtures for all tests: reference data beside the checkout, and hypothesis without deadlines."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.long_tests import LONG, SWEEPS, reason
from tests.support.examples import examples
from tests.support.failures import FailuresAtOnce
from tests.support.recordings.runs import RUNS

ROOT = Path(__file__).resolve().parents[1]

# Nothing is kept in the cache of whoever runs the tests, also not by the programs they start.
os.environ["NBPROF_CACHE_DIR"] = tempfile.mkdtemp(prefix="nbprof-tests-")
atexit.register(shutil.rmtree, os.environ["NBPROF_CACHE_DIR"], ignore_errors=True)

#: Examples that a property test draws in a quick run, and in a long one, the same every time. By
#: hand it draws hypothesis' own number of new ones.
FEW, MORE = 8, 40

# A loaded machine is no failure: no deadlines. Quick, long and CI runs draw the same examples every
# time; whoever runs tests by hand draws others.
_ALWAYS = settings(deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("quick", _ALWAYS, derandomize=True, max_examples=FEW)
settings.register_profile("long", _ALWAYS, derandomize=True, max_examples=MORE)
settings.register_profile("default", _ALWAYS, derandomize=bool(os.environ.get("CI")))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--long``, which chooses between the quick tests and those of `tests.long_tests`."""
    parser.addoption(
        "--long",
        choices=("no", "only", "also"),
        default="also",
        help="no: leave out the long tests, and draw few examples of property tests;"
        " only: the long tests, and more examples of property tests; also: everything",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Set how many examples property tests draw, and which; in CI, show failures at once."""
    if os.environ.get("CI") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(FailuresAtOnce(config))
    mode = config.getoption("--long")
    settings.load_profile({"no": "quick", "only": "long"}.get(mode, "default"))
    if mode == "no":
        examples.limit = FEW


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave files and folders of long tests alone in a quick run: importing them takes seconds."""
    if config.getoption("--long") != "no" or not collection_path.is_relative_to(ROOT):
        return None
    return collection_path.relative_to(ROOT).as_posix() in LONG or None


@pytest.hookimpl(trylast=True)  # hypothesis has marked its tests by then
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the long tests, and leave out those that were not asked for."""
    mode = config.getoption("--long")
    kept, left_out = [], []
    cases: dict[str, int] = {}
    for item in items:
        case = item.nodeid.split("[", maxsplit=1)[0]
        at = cases[case] = cases.get(case, -1) + 1
        is_long = reason(item.nodeid) is not None or at % SWEEPS.get(case, 1) != 0
        if is_long:
            item.add_marker("long")
        is_property = item.get_closest_marker("hypothesis") is not None
        asked_for = {"no": not is_long, "only": is_long or is_property}.get(mode, True)
        (kept if asked_for else left_out).append(item)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = kept


def _shared(name: str) -> Path:
    """Give a folder of the reference data, or skip the test that asks."""
    path = ROOT.parent / "shared" / name
    if not path.is_dir():
        pytest.skip(f"no reference data: there is no folder shared/{name} beside the checkout")
    return path


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Traces recorded elsewhere, by format."""
    return _shared("data")


@pytest.fixture(scope="session")
def shared_oracle() -> Path:
    """Figures that other tools give for the traces of `shared_data`."""
    return _shared("oracle")


@pytest.fixture(scope="session")
def samples() -> Path:
    """The profiles that come with the project."""
    return RUNS
