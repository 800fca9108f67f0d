"""The reference exports of Nsight Systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.analysis.nsys.exports import Export
from tests.sources.nsight.test_recorded import EXPORTS

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module", params=EXPORTS)
def export(request: pytest.FixtureRequest, shared_data: Path) -> Export:
    """One of the reference exports."""
    return Export(shared_data / "nsys" / request.param / "report.sqlite")
