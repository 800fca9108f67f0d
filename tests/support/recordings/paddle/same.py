"""Checks that both formats of a Paddle profile give the same model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel


def assert_same(text: TraceModel, binary: TraceModel, *, written: int) -> None:
    """Compare both forms: all is equal but for what JSON rounds."""
    for name, table in text.tables.items():
        other = binary.tables[name]
        for column in table.column_names:
            left, right = table[column], other[column]
            rounded = {"start_ns": written, "duration_ns": written, "time_ns": written + 999}
            if column in rounded:
                difference = np.abs(left.to_numpy() - right.to_numpy())
                assert difference.max(initial=0) <= rounded[column], (name, column)
            else:
                assert repr(left.to_pylist()) == repr(right.to_pylist()), (name, column)
    assert np.array_equal(text.nesting.parent, binary.nesting.parent)
    for key in ("span_index", "process_cpu_pct", "system_cpu_pct", "device_type"):
        assert text.metadata[key] == binary.metadata[key]
    assert abs(text.metadata["epoch_ns"] - binary.metadata["epoch_ns"]) < 1000
