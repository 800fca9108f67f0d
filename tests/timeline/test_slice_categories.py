"""The category of each slice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbprof.timeline.slice_categories import CATEGORIES, categories_of
from tests.support.models import make_model

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel


def names(model: TraceModel) -> list[str]:
    return [CATEGORIES[code] for code in categories_of(model).tolist()]


def test_what_host_slices_are() -> None:
    kinds = ["operator", "annotation", "step", "runtime", "python", "module"]
    rows = [{"name": "x", "kind": k, "start": i, "end": i + 1} for i, k in enumerate(kinds)]
    loader = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
    rows.append({"name": loader, "kind": "operator", "start": 10, "end": 11})
    rows.append({"name": loader, "kind": "annotation", "start": 12, "end": 13})
    rows.append({"name": loader, "kind": "python", "start": 14, "end": 15})
    assert names(make_model(rows)) == [*kinds, "dataloader", "dataloader", "python"]


def test_what_device_slices_are() -> None:
    host = [
        {"name": "c10d::broadcast_", "start": 0, "end": 9},
        {"name": "cudaMemcpyAsync", "kind": "runtime", "start": 1, "end": 2, "correlation": 5},
    ]
    device = [
        {"name": "sgemm", "start": 20, "end": 21},
        {"name": "ncclDevKernel_AllReduce", "start": 22, "end": 23},
        {"name": "Memcpy HtoD", "kind": "memcpy", "start": 24, "end": 25},
        {"name": "Memcpy DtoD", "kind": "memcpy", "start": 26, "end": 27, "correlation": 5},
        {"name": "Memset", "kind": "memset", "start": 28, "end": 29},
        {"name": "Stream Wait", "kind": "sync", "start": 30, "end": 31},
        {"name": "nccl:all_reduce", "kind": "annotation", "start": 32, "end": 33},
    ]
    assert names(make_model(host, device))[2:] == [
        "kernel",
        "communication",
        "memcpy",
        "communication",  # a communication operator launched it
        "memset",
        "sync",
        "device_annotation",
    ]


def test_a_trace_without_rows() -> None:
    assert names(make_model()) == []
