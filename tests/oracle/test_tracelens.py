"""Table `device_time` compared with the GPU timeline of AMD TraceLens."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.oracle.differences import complaints
from tests.oracle.tracelens_figures import tracelens_figures
from tests.oracle.traces import TRACELENS, open_oracle

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("trace", TRACELENS)
def test_device_time(trace: str, shared_oracle: Path, shared_data: Path) -> None:
    figures = list(tracelens_figures(open_oracle("tracelens", trace, shared_oracle, shared_data)))
    assert len(figures) == 9
    assert complaints("tracelens", trace, figures) == []
