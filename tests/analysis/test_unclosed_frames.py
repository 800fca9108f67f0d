"""Traces with call stacks: work launched by annotations and modules, and unclosed frames."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest

import nbprof
from nbprof.analysis.advice.warnings import warnings as warnings_table
from nbprof.analysis.modules.modules import modules as modules_table
from nbprof.analysis.operators.operators import operators
from nbprof.analysis.operators.user_events import user_events
from nbprof.model.links.host_nesting import nest_host
from nbprof.model.links.module_tree import module_label, sources_of_device
from nbprof.model.trace import kinds
from nbprof.model.trace.model import TraceModel
from nbprof.tables import TABLES

if TYPE_CHECKING:
    from pathlib import Path

FLUX = "kineto/mi300_flux_capture/rank0.pt.trace.json.gz"
HEALTHY = (
    "kineto/b200_eager/rank0.pt.trace.json.gz",
    "kineto/h100_bert/worker0.pt.trace.json.gz",
    "kineto/h100_qwen/worker0.pt.trace.json.gz",
    "kineto/mi300_qwen/worker0.pt.trace.json.gz",
    "kineto/mi300_graph_replay/rank0.pt.trace.json.gz",
)

NAMES = ("user_events", "steps", "overview", "stages", "modules", "operators", "kernels")


def open_model(shared_data: Path, name: str) -> TraceModel:
    if not (shared_data / name).is_file():
        pytest.skip("the reference trace is not here")
    return nbprof.load(shared_data / name, cache=False).trace().model


def launched_by_name(model: TraceModel, kind: int) -> dict[str, int]:
    """Return the time of all that was launched in the time of rows, one after another."""
    start, thread = model.column("host", "start_ns"), model.column("host", "thread")
    end = start + model.column("host", "duration_ns")
    source, length = sources_of_device(model), model.column("device", "duration_ns")
    is_work = np.isin(model.column("device", "kind"), (kinds.KERNEL, kinds.MEMCPY, kinds.MEMSET))
    work = np.flatnonzero(is_work & (source >= 0))
    source, length = source[work], length[work]
    names, found = model.values("host", "name"), defaultdict(int)
    for row in np.flatnonzero(model.column("host", "kind") == kind).tolist():
        inside = (thread[source] == thread[row]) & (start[source] >= start[row])
        inside &= start[source] < end[row]
        found[names[model.column("host", "name")[row]]] += int(length[inside].sum())
    return found


@pytest.mark.parametrize("name", [*HEALTHY, FLUX])
def test_ranges_have_what_was_launched_in_their_time(shared_data: Path, name: str) -> None:
    model = open_model(shared_data, name)
    plain = launched_by_name(model, kinds.ANNOTATION)
    rows = user_events(model).to_pylist()
    for row in rows:
        assert round(row["device_total_us"] * 1000) == plain[row["name"]], row["name"]
    by_module: dict[str, int] = defaultdict(int)
    for module, time in launched_by_name(model, kinds.MODULE).items():
        by_module[module_label(module)] += time
    for row in modules_table(model).to_pylist():
        assert round(row["device_total_us"] * 1000) == by_module[row["name"]], row["name"]


@pytest.mark.parametrize("name", HEALTHY)
def test_healthy_recordings_are_not_odd(shared_data: Path, name: str) -> None:
    nesting = open_model(shared_data, name).nesting
    assert (nesting.unclosed, nesting.range_overlaps) == (0, 0)


def test_a_frame_that_was_never_closed_leaves_modules_alone(shared_data: Path) -> None:
    model = open_model(shared_data, FLUX)
    row = model.nesting.first_unclosed
    assert model.values("host", "name")[model.column("host", "name")[row]].endswith("next>")
    assert model.column("host", "duration_ns")[row] > 6e8
    assert model.nesting.end[row] - model.column("host", "start_ns")[row] < 1e6
    modules = {row["name"]: row for row in modules_table(model).to_pylist()}
    assert round(modules["OptimizedModule_0"]["device_total_us"]) == 43_268
    warnings = {row["kind"]: row for row in warnings_table(model).to_pylist()}
    assert "overlapping slices" not in warnings
    assert "next>" in warnings["unclosed frames"]["example"]


def with_frame(model: TraceModel, parent: int, end_ns: int) -> TraceModel:
    """Return a trace with one more frame, from the middle of a row to a time."""
    host = model.tables["host"]
    start = model.column("host", "start_ns")
    begin = int(start[parent] + model.column("host", "duration_ns")[parent] // 2)
    like = host.slice(parent, 1).to_pylist()[0]
    frame = {
        **like, "kind": "python", "start_ns": begin, "duration_ns": end_ns - begin,
        "name": "lost.py(1): lost", "external_id": -1, "correlation": -1, "sequence": -1,
        "forward_thread": -1, "call_stack": None, "input_shapes": None, "module_id": -1,
    }  # fmt: skip
    columns = []
    for field in host.schema:
        texts = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        values = pa.concat_arrays(
            [
                host.column(field.name).combine_chunks().cast(texts),
                pa.array([frame[field.name]], texts),
            ]
        )
        if field.name == "kind":
            codes = [kinds.HOST_KINDS.index(value) for value in values.to_pylist()]
            values = pa.DictionaryArray.from_arrays(
                pa.array(codes, field.type.index_type), pa.array(kinds.HOST_KINDS)
            )
        elif pa.types.is_dictionary(field.type):
            values = values.dictionary_encode()
        columns.append(values.cast(field.type))
    table = pa.table(columns, schema=host.schema)
    order = np.lexsort(
        (
            -np.asarray(table["duration_ns"]),
            np.asarray(table["start_ns"]),
            np.asarray(table["thread"]),
        )
    )
    found = TraceModel({**model.tables, "host": table.take(pa.array(order))}, dict(model.metadata))
    row = int(np.flatnonzero(order == host.num_rows)[0])
    collectives = model.tables["collectives"]
    if collectives.num_rows:
        rows = [
            at + (at >= row and side == "host")
            for at, side in zip(
                collectives["row"].to_pylist(), collectives["side"].to_pylist(), strict=True
            )
        ]
        place = collectives.schema.get_field_index("row")
        field = collectives.schema.field(place)
        moved = collectives.set_column(place, field, pa.array(rows, field.type))
        found.tables = {**found.tables, "collectives": moved}
    return found


@pytest.mark.parametrize("name", HEALTHY[1:2])
def test_unclosed_frames_change_nothing_outside_themselves(shared_data: Path, name: str) -> None:
    model = open_model(shared_data, name)
    whole = {table: TABLES[table].make(model) for table in NAMES}
    kind, depth = model.column("host", "kind"), model.nesting.depth
    is_frame = (kind == kinds.PYTHON) | (kind == kinds.MODULE)
    end = int(model.metadata["end_ns"])
    dice = np.random.default_rng(13)
    closed = 0
    for level in np.unique(depth[is_frame]).tolist():
        parent = int(dice.choice(np.flatnonzero(is_frame & (depth == level))))
        over = int(model.nesting.end[parent]) + 10
        until = [end, int(dice.integers(over, end))] if over < end else []
        for last in until:
            odd = with_frame(model, parent, last)
            closed += odd.nesting.unclosed
            for table, expected in whole.items():
                assert TABLES[table].make(odd).equals(expected), (table, level, parent)
            stacks = operators(odd, group_by="name+stack").column("call_stack")
            texts = {text and text.replace("lost.py(1): lost;", "") for text in stacks.to_pylist()}
            before = operators(model, group_by="name+stack").column("call_stack")
            assert texts == set(before.to_pylist())
    assert closed > 10


@pytest.mark.parametrize("name", [*HEALTHY[1:3], FLUX])
def test_without_python_frames_all_else_stays(shared_data: Path, name: str) -> None:
    model = open_model(shared_data, name)
    bare = nbprof.load(shared_data / name, without="python", cache=False).trace().model
    assert bare.metadata == model.metadata
    for table in NAMES:
        assert TABLES[table].make(bare).equals(TABLES[table].make(model)), table
    assert nest_host(bare).unclosed == 0
