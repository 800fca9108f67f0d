"""The formula of a call is worked out once, however many kernels equal calls launch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

import nbprof
from nbprof.analysis.costs.by_kernel import range_costs
from nbprof.analysis.costs.charges import charges_of
from nbprof.model.trace import schema
from nbprof.model.trace.model import TraceModel

if TYPE_CHECKING:
    import pytest

    from nbprof.analysis.pyprof.figures import Figures
    from nbprof.analysis.pyprof.records import Record


def product(rows: int) -> str:
    """Return the text of a product of matrices."""
    shapes = ((rows, 32), (32, 64))
    arguments = [
        {"name": "", "type": "tensor", "shape": shape, "dtype": "float32"} for shape in shapes
    ]
    return repr({"mod": "torch", "op": "matmul", "args": arguments})


def model_of(count: int) -> TraceModel:
    """Return a trace of calls of two kinds in turn, each with a kernel."""
    at = np.arange(count)
    start = at * 1000
    host = {
        "name": ["range", "cudaLaunchKernel"] * count,
        "kind": ["annotation", "runtime"] * count,
        "thread": np.zeros(2 * count, np.int64),
        "start_ns": np.stack([start, start + 100], 1).ravel(),
        "duration_ns": np.tile([900, 100], count),
        "correlation": np.stack([np.full(count, -1), at + 1], 1).ravel(),
    }
    device = {
        "name": ["sgemm"] * count,
        "start_ns": start + 300,
        "duration_ns": np.full(count, 500),
        "correlation": at + 1,
    }
    plain = nbprof.build_model(host=host, device=device)
    texts = pa.array([product(16 << (one % 2)) for one in range(count)]).dictionary_encode()
    ranges = pa.table({"row": pa.array(2 * at), "text": texts})
    ranges = ranges.cast(schema.TABLES["range_texts"])
    return TraceModel({**plain.tables, "range_texts": ranges}, plain.metadata)


def test_once_for_each_kind_of_call(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    original = range_costs.figures_of

    def counted(record: Record) -> Figures:
        calls.append(record)
        return original(record)

    monkeypatch.setattr(range_costs, "figures_of", counted)
    flops = charges_of(model_of(60)).device_flops
    assert len(calls) == 2
    assert flops.tolist() == [2 * 16 * 32 * 64, 2 * 32 * 32 * 64] * 30
