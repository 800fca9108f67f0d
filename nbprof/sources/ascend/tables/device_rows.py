"""Joins the device slices of the trace with the rows of `kernel_details.csv`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.model.arrays import codes_of, joined
from nbprof.model.trace import kinds
from nbprof.sources.ascend.tables.row_matching import matching_rows
from nbprof.sources.ascend.trace.device_kinds import kinds_of

if TYPE_CHECKING:
    from nbprof.sources.ascend.trace.columns import Columns, TraceRows
    from nbprof.sources.ascend.trace.lanes import LaneDetails
    from nbprof.sources.defects import DefectLog

Integers = npt.NDArray[np.int64]

#: Longer than any recording, in ns.
_EVER: Final = 1 << 62

#: Rounds of matching: equal starts, starts within half a microsecond, any starts. Each has an
#: offset added to a start, and a unit that it is divided by.
_MOMENTS: Final = ((0, 1), (0, 1000), (500, 1000), (0, _EVER))


class DeviceRows:
    """Rows of the device table before they are sorted.

    Attributes
    ----------
    columns : dict of str to ndarray, shape (rows,)
        name, lane, kind, device, stream, start_ns, duration_ns, correlation, bytes, bandwidth_gbps,
        task_type, task, dtype, elements, order; codes of texts index `texts`. Rows that are not in
        the trace have the lane -1.
    texts : dict of str to list of str
    kernel : ndarray of int64, shape (kernels,)
        Row of each kernel.
    """

    def __init__(self, trace: TraceRows | None, details: LaneDetails | None) -> None:
        self.texts: dict[str, list[str]] = {"name": [], "task_type": []}
        self.columns = _EMPTY
        self.kernel = np.zeros(0, np.int64)
        if trace is not None and details is not None:
            self.texts |= trace.texts
            self.columns = _of_trace(trace, details)

    def join(self, kernels: pa.Table, device: int, defects: DefectLog) -> None:
        """Find the row of every kernel, and add missing rows.

        Parameters
        ----------
        kernels : pyarrow.Table
            See `timeline.build`.
        device : int
            The device of kernels without a device.
        defects : DefectLog
            Counts kernels that are not in the trace.
        """
        names, texts = _renamed(kernels.column("name"), self.texts["name"])
        self.texts = {**self.texts, "name": texts}
        wanted = {
            "name": names,
            **{name: joined(kernels.column(name)) for name in _OF_KERNELS},
        }
        before = len(self.columns["name"])
        self.kernel = _found(self.columns, wanted)
        lost = np.flatnonzero(self.kernel < 0)
        if before and len(lost):
            example = f"{texts[names[lost[0]]]!r} is in kernel_details.csv only"
            defects.note("kernel not in the trace", len(lost), example, fatal=False)
        self._add({name: values[lost] for name, values in wanted.items()}, device)
        self.kernel[lost] = np.arange(before, before + len(lost))
        self.columns["kind"][self.kernel] = kinds.KERNEL
        self.columns["duration_ns"][self.kernel] = wanted["duration_ns"]

    def _add(self, wanted: Columns, device: int) -> None:
        count = len(wanted["name"])
        more = {
            name: np.full(count, np.nan if values.dtype.kind == "f" else -1, values.dtype)
            for name, values in self.columns.items()
        }
        more |= wanted
        more["device"] = np.where(wanted["device"] < 0, device, wanted["device"])
        more["order"] = np.arange(count) + int(self.columns["order"].max(initial=-1)) + 1
        self.columns = {
            name: np.concatenate([values, more[name].astype(values.dtype)])
            for name, values in self.columns.items()
        }


_OF_KERNELS: Final = ("device", "stream", "start_ns", "duration_ns")

_TYPES: Final[dict[str, Any]] = {
    "name": np.int64,
    "lane": np.int64,
    "kind": np.int8,
    "device": np.int64,
    "stream": np.int64,
    "start_ns": np.int64,
    "duration_ns": np.int64,
    "correlation": np.int64,
    "bytes": np.int64,
    "bandwidth_gbps": np.float64,
    "task_type": np.int32,
    "task": np.int64,
    "dtype": np.int32,
    "elements": np.int64,
    "order": np.int64,
}
_EMPTY: Final = {name: np.zeros(0, dtype) for name, dtype in _TYPES.items()}


def _of_trace(trace: TraceRows, details: LaneDetails) -> Columns:
    slices = trace.slices
    slices = {name: values[details.on_device[slices["lane"]]] for name, values in slices.items()}
    lane = slices["lane"]
    columns = {
        **slices,
        "kind": kinds_of(slices, details, trace.texts),
        "device": details.device[lane],
        "stream": details.stream[lane],
        "correlation": slices["connection"],
    }
    return {name: columns[name].astype(dtype) for name, dtype in _TYPES.items()}


def _renamed(names: pa.ChunkedArray, texts: list[str]) -> tuple[Integers, list[str]]:
    """Return the codes of names in a list of texts that contains all names."""
    number = {text: at for at, text in enumerate(texts)}
    names = names.unify_dictionaries().combine_chunks()
    if isinstance(names, pa.ChunkedArray):  # without rows
        return np.zeros(0, np.int64), texts
    values = names.dictionary.to_pylist()
    codes = np.array([number.setdefault(value, len(number)) for value in values], np.int64)
    return codes[codes_of(pa.chunked_array([names]))], list(number)


def _found(columns: Columns, wanted: Columns) -> Integers:
    """Return the row of each kernel, -1 if it has none.

    The row has its name and start. Communication starts up to a nanosecond earlier in the CSV file
    than in the trace; the remaining ones are matched by name and order.
    """
    among = np.flatnonzero(columns["kind"] != kinds.DEVICE_ANNOTATION)
    among = among[np.lexsort((columns["stream"][among], columns["start_ns"][among]))]
    order = np.lexsort((wanted["stream"], wanted["start_ns"]))
    row = np.full(len(order), -1, np.int64)
    parts = ["name"]
    if np.isin(wanted["device"], columns["device"]).all():
        parts.append("device")
    for shift, unit in _MOMENTS:
        kernels = order[row[order] < 0]
        rows = among[~np.isin(among, row)]
        left, right = (
            [side[part][chosen].astype(np.int64) for part in parts]
            + [(side["start_ns"][chosen] + shift) // unit]
            for side, chosen in ((columns, rows), (wanted, kernels))
        )
        hit = matching_rows(left, right, evenly=unit == _EVER)
        row[kernels[hit >= 0]] = rows[hit[hit >= 0]]
    return row
