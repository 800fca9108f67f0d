"""Fixtures for all tests: reference data beside the checkout, and hypothesis without deadlines."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.long_tests import reason
from tests.support.examples import examples

ROOT = Path(__file__).resolve().parents[1]

# Nothing is kept in the cache of whoever runs the tests, also not by the programs they start.
os.environ["NBPROF_CACHE_DIR"] = tempfile.mkdtemp(prefix="nbprof-tests-")
atexit.register(shutil.rmtree, os.environ["NBPROF_CACHE_DIR"], ignore_errors=True)

#: Examples that a property test draws in a quick run; a long one draws hypothesis' own number.
FEW = 8

# A loaded machine is no failure: no deadlines. Quick, long and CI runs draw the same examples every
# time; whoever runs tests by hand draws others.
_ALWAYS = settings(deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("quick", _ALWAYS, derandomize=True, max_examples=FEW)
settings.register_profile("long", _ALWAYS, derandomize=True)
settings.register_profile("default", _ALWAYS, derandomize=bool(os.environ.get("CI")))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--long``, which chooses between the quick tests and those of `tests.long_tests`."""
    parser.addoption(
        "--long",
        choices=("no", "only", "also"),
        default="also",
        help="no: leave out the long tests, and draw few examples of property tests;"
        " only: the long tests, and all examples of property tests; also: everything",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Set how many examples property tests draw, and which."""
    mode = config.getoption("--long")
    settings.load_profile({"no": "quick", "only": "long"}.get(mode, "default"))
    if mode == "no":
        examples.limit = FEW


@pytest.hookimpl(trylast=True)  # hypothesis has marked its tests by then
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the long tests, and leave out those that were not asked for."""
    mode = config.getoption("--long")
    left_out = []
    for item in items:
        is_long = reason(item.nodeid) is not None
        if is_long:
            item.add_marker("long")
        is_property = item.get_closest_marker("hypothesis") is not None
        if (mode == "no" and is_long) or (mode == "only" and not (is_long or is_property)):
            left_out.append(item)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in set(left_out)]


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
    return ROOT / "samples"
