"""Fixtures for the tests of readers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.support.traces import Event, read_trace, write

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel


@pytest.fixture
def model_of(tmp_path: Path) -> Callable[..., TraceModel]:
    """Write events with a header, and read them."""

    def make(*events: Event, **header: Any) -> TraceModel:
        return read_trace(write(tmp_path / "a.json", list(events), **header))

    return make
