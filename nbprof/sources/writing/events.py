"""Formats the rows of a model as Chrome trace events in Kineto's form."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.sources.writing import text
from nbprof.sources.writing.arguments import KEYS, column_of, names_as_text
from nbprof.sources.writing.lanes import about_places, thread_places
from nbprof.sources.writing.slices import device_lines, host_lines
from nbprof.sources.writing.text import Fragments

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa

    from nbprof.model.trace.model import TraceModel
    from nbprof.sources.writing.part import Part

Rows = npt.NDArray[np.int64]

#: Rows formatted at a time.
CHUNK: Final = 1 << 14


#: Categories of arrows in files, by their category in the table of flows.
_FLOWS: Final = {"fwdbwd": "fwdbwd", "operator": "async_npu", "queue": "async_task_queue"}

#: Columns of the memory table, and the names of their arguments.
_MEMORY_NUMBERS: Final = {
    "address": "address",
    "device_type": "device_type",
    "device": "device_id",
    "total_allocated": "total_allocated",
    "total_reserved": "total_reserved",
}


def events(model: TraceModel, part: Part, shift_ns: int) -> Iterator[memoryview | bytes]:
    """Yield the text of events, each preceded by a comma and a newline.

    Parameters
    ----------
    model : TraceModel
        The trace.
    part : Part
        The rows to write.
    shift_ns : int
        Added to all times.
    """
    yield about_places(model, part).encode()
    for lines, rows in (
        (host_lines(model, shift_ns), part.host),
        (device_lines(model, shift_ns), part.device),
        (_memory(model, shift_ns), part.memory),
        (_flows(model, shift_ns), part.flows),
        (_counters(model, shift_ns), part.counters),
    ):
        for first in range(0, len(rows), CHUNK):
            yield text.to_bytes(lines(rows[first : first + CHUNK]))


def _memory(model: TraceModel, shift_ns: int) -> Callable[[Rows], pa.StringArray]:
    places = thread_places(model)

    def lines(rows: Rows) -> pa.StringArray:
        column = partial(column_of, model, "memory", rows)
        return text.join(
            ',\n{"ph":"i","s":"t","cat":"cpu_instant_event","name":"[memory]"',
            places.of(column("thread")),
            ',"ts":',
            text.microseconds(column("time_ns") + shift_ns),
            f',"args":{{"{KEYS["change"]}":',
            text.numbers(column("bytes")),
            *(text.argument(KEYS[key], column(name)) for name, key in _MEMORY_NUMBERS.items()),
            "}}",
        )

    return lines


def _flows(model: TraceModel, shift_ns: int) -> Callable[[Rows], pa.StringArray]:
    category = Fragments(
        ',"cat":"{0}","name":"{0}"'.format(_FLOWS.get(one, "ac2g"))
        for one in model.values("flows", "category")
    )
    phase = Fragments(
        ',\n{"ph":"f","bp":"e"' if one == "f" else ',\n{"ph":"s"'
        for one in model.values("flows", "phase")
    )

    def lines(rows: Rows) -> pa.StringArray:
        column = partial(column_of, model, "flows", rows)
        return text.join(
            phase.of(column("phase")),
            category.of(column("category")),
            ',"id":',
            text.numbers(column("id")),
            ',"pid":',
            text.numbers(column("pid")),
            ',"tid":',
            text.numbers(column("tid")),
            ',"ts":',
            text.microseconds(column("time_ns") + shift_ns),
            "}",
        )

    return lines


def _counters(model: TraceModel, shift_ns: int) -> Callable[[Rows], pa.StringArray]:
    beginning = names_as_text(model.recorded("counters"))
    series = Fragments(f"{text.encode(one)}:" for one in model.values("counters", "series"))

    def lines(rows: Rows) -> pa.StringArray:
        column = partial(column_of, model, "counters", rows)
        return text.join(
            ',\n{"ph":"C"',
            beginning.of(column("name")),
            ',"pid":',
            text.numbers(column("pid")),
            ',"ts":',
            text.microseconds(column("time_ns") + shift_ns),
            ',"args":{',
            series.of(column("series")),
            text.floats(column("value")),
            "}}",
        )

    return lines
