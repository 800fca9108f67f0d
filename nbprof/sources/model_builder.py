"""Builds a `TraceModel` from plain Arrow tables, for recorders of other packages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from nbprof.model.building import arrow_array, arrow_scalar, filled, table_of
from nbprof.model.errors import TraceFormatError
from nbprof.model.trace import kinds, schema
from nbprof.model.trace.dialect import PLAIN, Dialect
from nbprof.model.trace.model import TraceModel

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TypeAlias

    from nbprof.model.trace.warning import TraceWarning

    #: Columns by name: lists, NumPy arrays or Arrow arrays, or a table of them.
    Columns: TypeAlias = Mapping[str, Any] | pa.Table

_KINDS: Final = {"host": kinds.HOST_KINDS, "device": kinds.DEVICE_KINDS}
_USUAL_KIND: Final = {"host": "operator", "device": "kernel"}
_TIMES: Final = {"host": "start_ns", "device": "start_ns", "memory": "time_ns"}
_NUMBERED_FROM_0: Final = ("device", "stream")


def build_model(
    *,
    host: Columns | None = None,
    device: Columns | None = None,
    memory: Columns | None = None,
    devices: Columns | None = None,
    metadata: Mapping[str, Any] | None = None,
    warnings: Sequence[TraceWarning] = (),
    dialect: Dialect = PLAIN,
) -> TraceModel:
    """Return a model of slices, device work and memory records.

    Each argument holds columns by name, in any order, as lists or arrays. Names and meanings are
    those of `nbprof.model.trace.schema`; columns that are left out count as not recorded. Times are
    nanoseconds of any clock: in the model they count from the first one.

    Parameters
    ----------
    host : mapping or pyarrow.Table, optional
        Slices on threads of the CPU: ``name``, ``start_ns``, ``duration_ns``, and perhaps
        ``thread`` (a number, 0 by default), ``kind`` (operator by default; annotation, step,
        runtime, python, module), ``correlation``, ``input_shapes``, …. Slices of a thread must be
        nested. A step is called ``ProfilerStep#<number>``.
    device : mapping or pyarrow.Table, optional
        Work on devices: ``name``, ``start_ns``, ``duration_ns``, and perhaps ``device`` and
        ``stream`` (0 by default), ``kind`` (kernel by default; memcpy, memset, sync),
        ``correlation`` of the runtime call that launched it, ``bytes``, ….
    memory : mapping or pyarrow.Table, optional
        Allocations and releases: ``time_ns``, ``bytes``, and perhaps ``address``, ``device_type``,
        ``device`` and ``total_allocated``.
    devices : mapping or pyarrow.Table, optional
        Properties of devices: ``device``, ``name``, ``memory_bytes``, ….
    metadata : mapping, optional
        Properties of the recording, such as ``device_type`` (``"gpu"`` by default if there is
        device work) and ``profile_memory``.
    warnings : sequence of TraceWarning
        Defects that were repaired or skipped, and inconsistencies.
    dialect : Dialect
        That of the recorder.

    Raises
    ------
    TraceFormatError
        A column has no place in the model, cannot be converted, or is missing.

    Examples
    --------
    >>> model = build_model(
    ...     host={"name": ["step", "mm"], "start_ns": [5, 6], "duration_ns": [9, 2]}
    ... )
    >>> model.tables["host"].column("start_ns").to_pylist()
    [0, 1]
    """
    given = {"host": host, "device": device, "memory": memory, "devices": devices}
    tables = {name: _table(columns) for name, columns in given.items() if columns is not None}
    zero = min(
        (pc.min(tables[name][time]).as_py() for name, time in _timed(tables)),
        default=0,
    )
    end = max((_end(name, tables[name]) for name, _ in _timed(tables)), default=zero)
    threads = {}
    if "host" in tables:
        threads["threads"], tables["host"] = _with_threads(tables["host"])
    made = {name: _fitted(name, table, zero) for name, table in tables.items()} | threads
    known = {
        "epoch_ns": zero,
        "end_ns": end - zero,
        "events": sum(tables[name].num_rows for name, _ in _timed(tables)),
        "device_type": "gpu" if "device" in tables and tables["device"].num_rows else "cpu",
    }
    return TraceModel(made, {**known, **(metadata or {})}, list(warnings), dialect=dialect)


def _table(columns: Columns) -> pa.Table:
    return columns if isinstance(columns, pa.Table) else table_of(columns)


def _timed(tables: Mapping[str, pa.Table]) -> list[tuple[str, str]]:
    """Return the tables with times that have rows, and the columns of these times."""
    found = []
    for name, time in _TIMES.items():
        if name in tables and tables[name].num_rows:
            _require(name, tables[name], time)
            found.append((name, time))
    return found


def _end(name: str, table: pa.Table) -> int:
    if name == "memory":
        last: int = pc.max(table["time_ns"]).as_py()
        return last
    _require(name, table, "duration_ns")
    end: int = pc.max(pc.add(table["start_ns"], table["duration_ns"])).as_py()
    return end


def _require(name: str, table: pa.Table, column: str) -> None:
    if column not in table.column_names:
        message = f"build_model: {name} has no column {column!r}."
        raise TraceFormatError(message)


def _fitted(name: str, table: pa.Table, zero: int) -> pa.Table:
    """Return a table with all columns of its schema: times from zero, sorted."""
    layout: pa.Schema = schema.TABLES[name]
    for column in table.column_names:
        if column not in layout.names:
            places = ", ".join(layout.names)
            message = f"build_model: {name} takes no column {column!r}, only {places}."
            raise TraceFormatError(message)
    try:
        columns = [_column(name, field, table, zero) for field in layout]
    except (pa.ArrowException, KeyError) as error:
        message = f"build_model: a column of {name} is invalid: {error}."
        raise TraceFormatError(message) from error
    made = pa.table(columns, schema=layout)
    if name == "host":
        lengths = pc.negate(made["duration_ns"])
        order = [("thread", "ascending"), ("start_ns", "ascending"), ("length", "ascending")]
        made = made.append_column("length", lengths).sort_by(order).drop_columns(["length"])
    elif name == "device":
        made = made.sort_by([(key, "ascending") for key in ("start_ns", "device", "stream")])
    elif name == "memory":
        made = made.sort_by("time_ns")
    return made.combine_chunks()


def _column(name: str, field: pa.Field, table: pa.Table, zero: int) -> pa.Array:
    """Return one column of a schema; missing values become -1, NaN or null."""
    rows = table.num_rows
    if field.name == "kind":
        return _kinds(name, table)
    if field.name not in table.column_names:
        if pa.types.is_dictionary(field.type):
            codes = pa.nulls(rows, field.type.index_type)
            return pa.DictionaryArray.from_arrays(codes, arrow_array([], field.type.value_type))
        if pa.types.is_string(field.type):
            return pa.nulls(rows, field.type)
        of_devices = name in ("device", "devices") and field.name in _NUMBERED_FROM_0
        missing = float("nan") if pa.types.is_floating(field.type) else 0 if of_devices else -1
        return arrow_array([missing] * rows, field.type)
    values = table[field.name].combine_chunks()
    if pa.types.is_dictionary(field.type):
        text = values.cast(field.type.value_type)
        return text.dictionary_encode() if not pa.types.is_dictionary(text.type) else text
    if field.name in ("start_ns", "time_ns"):
        values = pc.subtract(values.cast(pa.int64()), arrow_scalar(zero))
    if pa.types.is_integer(field.type):
        values = filled(values, -1)
    elif pa.types.is_floating(field.type):
        values = filled(values.cast(field.type), float("nan"))
    return values.cast(field.type)


def _kinds(name: str, table: pa.Table) -> pa.Array:
    known = _KINDS[name]
    texts = (
        table["kind"].to_pylist()
        if "kind" in table.column_names
        else [_USUAL_KIND[name]] * table.num_rows
    )
    unknown = sorted({str(text) for text in texts} - set(known))
    if unknown:
        message = f"build_model: {name} has no kind {unknown[0]!r}; it has {', '.join(known)}."
        raise TraceFormatError(message)
    codes = arrow_array([known.index(text) for text in texts], pa.int8())
    return pa.DictionaryArray.from_arrays(codes, arrow_array(known, pa.utf8()))


def _with_threads(host: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Return the table of threads, and the host rows with thread numbers replaced by its rows."""
    numbers = filled(pa.nulls(host.num_rows, pa.int64()), 0)
    if "thread" in host.column_names:
        numbers = host["thread"].combine_chunks().cast(pa.int64())
        host = host.drop_columns(["thread"])
    known = pc.unique(numbers)
    threads = table_of(
        {
            "pid": ["1"] * len(known),
            "tid": known,
            "name": [f"thread {number}" for number in known.to_pylist()],
        },
        schema=schema.THREADS,
    )
    return threads, host.append_column("thread", pc.index_in(numbers, known))
