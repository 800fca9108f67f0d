"""What every test may ask for: reference data beside the checkout, hypothesis without deadlines."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parents[1]

# Nothing is kept in the cache of whoever runs the tests, also not by the programs they start.
os.environ["NBPROF_CACHE_DIR"] = tempfile.mkdtemp(prefix="nbprof-tests-")
atexit.register(shutil.rmtree, os.environ["NBPROF_CACHE_DIR"], ignore_errors=True)

# A loaded machine is no failure: no deadlines. CI draws the same examples every time.
settings.register_profile("dev", deadline=None)
settings.register_profile(
    "ci",
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run what is quick first: plain tests, then those in a browser, then the slow ones."""
    items.sort(
        key=lambda item: (
            item.get_closest_marker("slow") is not None,
            item.get_closest_marker("browser") is not None,
        )
    )


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
