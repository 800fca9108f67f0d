"""The reference traces with VisualDL output, and that output."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from nbprof.model.trace.model import TraceModel
from nbprof.sources import discover, read

if TYPE_CHECKING:
    from pathlib import Path

SYNTHETIC = "synthetic_gpu"
WRAPPED = "run_cpu_wrapped_v331"
#: Runs, and how many files of each it was run on.
RUNS = {"run_cpu_v262": 4, "run_cpu_v331": 4, WRAPPED: 2, SYNTHETIC: 2}
FILES = [(run, place) for run, count in RUNS.items() for place in range(count)]


@dataclass(frozen=True)
class Shown:
    """One file.

    Attributes
    ----------
    run : str
        Its run.
    path : Path
        The file.
    figures : dict
        What VisualDL says of it, times in microseconds with two decimals.
    exact : TraceModel
        The file as we read it.
    model : TraceModel
        The same with times as VisualDL reads them.
    """

    run: str
    path: Path
    figures: dict[str, Any]
    exact: TraceModel
    model: TraceModel


@functools.lru_cache(maxsize=16)
def open_shown(shared_oracle: Path, shared_data: Path, run: str, place: int) -> Shown:
    """Read a file and what is said of it, the files of a run in order of their names."""
    text = (shared_oracle / "visualdl" / f"paddle_{run}.json").read_text(encoding="utf-8")
    files = json.loads(text)["files"]
    name = sorted(files)[place]
    path = shared_data / "paddle" / run / name
    (file,) = discover(path).files
    model = read(file, progress=False)
    return Shown(run, path, files[name], model, as_there(model))


def as_there(model: TraceModel) -> TraceModel:
    """Return a trace with its times as VisualDL reads them.

    It takes ``"12.3 us"`` for a float, times 1000, and cuts off what is behind the point, so that
    every time may be a nanosecond less. All other differences are then the ones looked for.
    """
    tables = dict(model.tables)
    for name in ("host", "device"):
        table = tables[name]
        start = np.asarray(table["start_ns"])
        end = start + np.asarray(table["duration_ns"])
        start, end = ((time / 1000.0 * 1000.0).astype(np.int64) for time in (start, end))
        lane = table["thread"] if name == "host" else np.zeros(len(start), np.int64)
        order = pa.array(np.lexsort((-end, start, np.asarray(lane))))
        columns = {"start_ns": start, "duration_ns": end - start}
        for column, times in columns.items():
            place = table.schema.get_field_index(column)
            table = table.set_column(place, table.schema.field(column), pa.array(times))
        tables[name] = table.take(order)
        if name == "host":
            tables["host_types"] = tables["host_types"].take(order)
    return TraceModel(tables, model.metadata, model.warnings, dialect=model.dialect)
