"""Headings of the tables of cards in the static summary."""

from __future__ import annotations

import pytest

from nbprof.analysis.costs.step_flops import STEP_FLOPS
from nbprof.export.html.cards import _head


@pytest.mark.parametrize(
    ("column", "heading"),
    [
        ("step", "Step"),
        ("flops", "FLOPs"),
        ("recomputed_flops", "Recomputed FLOPs"),
        ("mfu_pct", "MFU, %"),
        ("covered_pct", "Covered share, %"),
    ],
)
def test_of_flops(column: str, heading: str) -> None:
    fields = {one.name: one.field for one in STEP_FLOPS}
    assert _head(fields[column], {}, is_first=False).title == heading
