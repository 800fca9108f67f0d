"""Reads a profile of Python into a model: one row per function, and one per caller and callee."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from nbprof.model.building import arrow_array, table_of
from nbprof.model.errors import TraceFormatError
from nbprof.model.trace import schema
from nbprof.model.trace.model import TraceModel
from nbprof.sources.defects import DefectLog
from nbprof.sources.files.trace_source import open_trace, whole_content
from nbprof.sources.options import READ_ALL, ReadOptions
from nbprof.sources.python_profiles.dialect import DIALECT
from nbprof.sources.python_profiles.formats import FORMAT
from nbprof.sources.python_profiles.plain_marshal import DICT, PlainMarshal, PlainMarshalError
from nbprof.sources.python_profiles.stats import Stats

if TYPE_CHECKING:
    from array import array

    from nbprof.sources.discovery.catalog import TraceFile
    from nbprof.sources.progress import Progress

#: The file of functions that are not written in Python.
BUILT_IN: Final = "~"

#: Functions between two reports of progress.
_BETWEEN = 4096


def read(
    file: TraceFile, options: ReadOptions = READ_ALL, *, progress: Progress = "auto"
) -> TraceModel:
    """Read a profile.

    Parameters
    ----------
    file : TraceFile
        One of those that `discover` found.
    options : ReadOptions
        Ignored for selection: such a file is always read whole.
    progress : "auto", False or callable
        As for `nbprof.sources.kineto.reading.read`.

    Raises
    ------
    TraceFormatError
        Nothing of the file can be read as a profile.
    """
    path = str(file.path)
    defects = DefectLog(path, strict=options.strict)
    with open_trace(file.path, progress) as (source, report):
        data = whole_content(source, report)
        damage = source.damage
    stats = Stats(defects)
    try:
        _read_stats(data, stats)
    except PlainMarshalError as error:
        reason = damage or str(error)
        if not stats.functions.calls:
            message = (
                f"{path} is not read as a profile of Python: {reason}. "
                "Such a file is written by cProfile.Profile().dump_stats(path)."
            )
            raise TraceFormatError(message) from error
        defects.note("incomplete file", 1, f"{reason}; the functions before it are read")
    return _model_of(stats, defects)


def _read_stats(data: bytes, stats: Stats) -> None:
    """Add the functions of a marshalled profile to `stats`.

    Raises
    ------
    PlainMarshalError
        The data end too early or contain something else; `stats` has the functions before.
    """
    marshal = PlainMarshal(data)
    if not marshal.opens(DICT):
        message = "it is not a dictionary"
        raise PlainMarshalError(message)
    while not marshal.ends():
        key = marshal.value()
        count = marshal.items()  # of the tuple with the numbers and callers of this function
        if count is None:
            stats.function(key, [marshal.value()])
            continue
        numbers = [marshal.value() for _ in range(min(count, 4))]
        row = stats.function(key, numbers)
        if count > 4:
            _read_callers(marshal, stats, row)
        for _ in range(5, count):
            marshal.value()


def _read_callers(marshal: PlainMarshal, stats: Stats, row: int) -> None:
    if not marshal.opens(DICT):
        stats.without_callers(marshal.value())
        return
    while not marshal.ends():
        key, value = marshal.value(), marshal.row()
        if row >= 0:
            stats.call(row, key, value)


def _model_of(stats: Stats, defects: DefectLog) -> TraceModel:
    """Return the model of a profile."""
    if stats.is_sampled:
        text = "a sampling profiler wrote it: calls are numbers of samples"
        defects.note("sampled profile", 1, text, fatal=False)
    keys = stats.keys
    functions = stats.functions
    tables = {
        "functions": table_of(
            {
                "name": _texts([_frame(*key) for key in keys]),
                "function": _texts([_function(key[0], key[2]) for key in keys]),
                "file": _texts([key[0] for key in keys]),
                "line": _ints([key[1] for key in keys]),
                **{name: _numbers(column) for name, column in vars(functions).items()},
            },
            schema.TABLES["functions"],
        ),
        "function_calls": table_of(
            {
                "caller": _numbers(stats.caller_rows()),
                "callee": _numbers(stats.callee),
                **{name: _numbers(column) for name, column in vars(stats.calls).items()},
            },
            schema.TABLES["function_calls"],
        ),
    }
    metadata = {
        "format": FORMAT,
        "epoch_ns": 0,
        "end_ns": 0,  # it has no times at which anything began or ended
        "events": len(keys),
        "device_type": "cpu",
    }
    return TraceModel(tables, metadata, defects.warnings(), dialect=DIALECT)


def _function(file: str, name: str) -> str:
    """Return the name of a function as `pstats` prints it, built-in ones in braces."""
    if file == BUILT_IN and name.startswith("<") and name.endswith(">"):
        return f"{{{name[1:-1]}}}"
    return name


def _frame(file: str, line: int, name: str) -> str:
    """Return a function as a frame of a call stack."""
    function = _function(file, name)
    # Frames of a stack are separated by semicolons.
    text = function if file == BUILT_IN else f"{file}({line}): {function}"
    return text.replace(";", ",")


def _numbers(column: array[int] | array[float]) -> np.ndarray:
    return np.frombuffer(column, column.typecode) if len(column) else np.empty(0, column.typecode)


def _ints(values: list[int]) -> np.ndarray:
    limit = 2**63 - 1
    return np.array([value if -limit <= value <= limit else -1 for value in values], np.int64)


def _texts(texts: list[str]) -> pa.Array:
    # Early versions of Arrow cast no text to a dictionary.
    return arrow_array(texts, pa.utf8()).dictionary_encode()
