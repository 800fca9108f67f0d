from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from nbprof.sources.output import temporary

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(
    params=[
        "named",
        pytest.param(
            "unnamed",
            marks=pytest.mark.skipif(sys.platform != "linux", reason="Linux has unnamed files"),
        ),
    ]
)
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Which temporary files the system has."""
    if request.param == "named":
        monkeypatch.setattr(temporary, "_UNNAMED", None)
    return request.param
