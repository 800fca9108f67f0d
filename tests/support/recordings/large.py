"""Large traces made by repeating a sample, written where the test says."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

sys.path.insert(0, str(ROOT / "benchmarks"))

from traces import build_large

from tests.support.recordings.runs import RUNS

SAMPLE = "gpu_resnet_synthetic"


def large_trace(path: Path, events: int) -> Path:
    """Write about so many events and return the path."""
    sample = min((RUNS / SAMPLE).rglob("*.json*"))
    head, tile = build_large.read_trace(sample)
    with path.open("wb") as stream:
        for piece in build_large.pieces(head, tile, max(1, round(events / len(tile)))):
            stream.write(piece)
    return path
