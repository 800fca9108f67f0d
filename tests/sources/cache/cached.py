"""Helpers for tests of the cache: a separate folder, and comparison of models."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from nbprof.model.trace import schema
from nbprof.sources import READ_ALL
from nbprof.sources.cache import cache
from nbprof.sources.cache import folder as cache_folder
from tests.support.traces import kernel, op, write

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel
    from nbprof.sources import ReadOptions

STATE = [1, 2]
LIMIT = 10**9


def trace_file(path: Path, events: int = 20, **header: Any) -> Path:
    """Write a trace of operators and kernels, the last operator without a duration."""
    found = [op(f"aten::op{i % 7}", ts=10 * i, args={"External id": i + 1}) for i in range(events)]
    found += [kernel("gemm", ts=10 * i + 2, correlation=i + 1) for i in range(events)]
    found.append({**op("odd", ts=10 * events), "dur": -5})
    return write(path, found, **header)


def keep(model: TraceModel, name: str, options: ReadOptions = READ_ALL) -> Path:
    """Write an entry now and return its file."""
    key = cache._key(name, STATE, options)
    cache.write(model, key, LIMIT)
    return cache_folder.path_of(cache._name(key))


def find(name: str, options: ReadOptions = READ_ALL) -> TraceModel | None:
    """Look for what `keep` wrote."""
    return cache.find(name, STATE, options)


def assert_same(ours: TraceModel, theirs: TraceModel) -> None:
    """Compare two models in everything, what is derived included."""
    assert ours.metadata == theirs.metadata
    assert repr(ours.metadata) == repr(theirs.metadata)  # tuples are no lists, 1 is not True
    assert ours.warnings == theirs.warnings
    for name in schema.TABLES:
        assert ours.tables[name].schema == theirs.tables[name].schema
        for column in schema.TABLES[name].names:
            mine, other = (one.column(name, column) for one in (ours, theirs))
            assert mine.dtype == other.dtype
            np.testing.assert_array_equal(mine, other, f"{name}.{column}")
            if str(schema.TABLES[name].field(column).type).startswith("dictionary"):
                assert ours.values(name, column) == theirs.values(name, column)
    for name in ("nesting", "links", "steps"):
        mine, other = (getattr(one, name) for one in (ours, theirs))
        for field in fields(mine):
            np.testing.assert_array_equal(getattr(mine, field.name), getattr(other, field.name))
            assert type(getattr(mine, field.name)) is type(getattr(other, field.name))
