"""`CommunicationCalls`: the communication calls of all workers in columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.analysis.grouping import dense
from nbprof.analysis.kernels.collectives import kind_of
from nbprof.analysis.ranks.columns import RANK_CALLS
from nbprof.model.arrays import floats_of, joined
from nbprof.model.building import arrow_array, empty_table, filled
from nbprof.ranks.pairing import Calls

if TYPE_CHECKING:
    from collections.abc import Mapping

Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

#: The step of calls outside of steps.
NO_STEP: Final = int(np.iinfo(np.int64).min)

#: Collectives in which every rank contributes the same number of bytes.
_EVEN = ("allreduce", "reducescatter")


class CommunicationCalls:
    """The calls of all workers and their ranges, in columns.

    Attributes
    ----------
    workers : list of str
        Names; `Calls.worker` holds indices into this list.
    calls : Calls
        The calls.
    call, nth, start, duration : ndarray of int64, shape (ranges,)
        Index of the call of each range, the position of the range within its call, and its time
        in nanoseconds; ranges without a time are left out.
    measured, kept, known : ndarray of bool, shape (calls,)
        Whether the recorder measured the call, whether the filter keeps it, and whether its
        transfer time is known.
    """

    def __init__(self, tables: Mapping[str, pa.Table]) -> None:
        self.workers = list(tables)
        schema = pa.schema([column.field for column in RANK_CALLS])
        table = pa.concat_tables([empty_table(schema), *tables.values()]).combine_chunks()
        worker = np.repeat(np.arange(len(tables)), [one.num_rows for one in tables.values()])
        number = joined(table["call"])
        begins = np.ones(len(number), bool)
        begins[1:] = (worker[1:] != worker[:-1]) | (number[1:] != number[:-1])
        heads = np.flatnonzero(begins)
        first = table.take(arrow_array(heads))
        self.table = first
        call = np.repeat(np.arange(len(heads)), np.diff(np.append(heads, len(number))))
        start, duration = (_filled(table[name], -1) for name in ("start_ns", "duration_ns"))
        self.kept = joined(first["kept"])
        self.measured = joined(first["data_transfer_us"].is_valid())
        timed = (start >= 0) & ~self.measured[call]
        self.call, self.start, self.duration = call[timed], start[timed], duration[timed]
        self.nth = np.arange(len(self.call)) - np.searchsorted(self.call, self.call)
        self.names, name = _encoded(first["name"])
        sizes = np.where(
            np.array([kind_of(text) in _EVEN for text in self.names], bool)[name],
            _filled(first["bytes"], -1),
            -1,
        )
        self.name = name
        self.calls = Calls(
            worker[heads],
            _encoded(first["process_group"])[1],
            _filled(first["step"], NO_STEP),
            dense(name, sizes)[0],
            np.bincount(self.call, minlength=len(heads)),
            joined(first["paired"]),
        )
        self.known = self.measured.copy()

    def mark_known(self, moved: npt.NDArray[np.bool_]) -> None:
        """Mark the calls whose transfer time is known in all of their ranges."""
        whole = np.bincount(self.call[moved], minlength=len(self.kept)) == self.calls.ranges
        self.known |= whole & (self.calls.ranges > 0)

    def unpaired(self, slot: Rows) -> dict[str, int]:
        """Count by worker the collective calls that match no call of another rank."""
        lone = (slot < 0) & self.calls.paired & (self.calls.ranges > 0) & self.kept
        counts = np.bincount(self.calls.worker[lone], minlength=len(self.workers))
        return {
            name: count for name, count in zip(self.workers, counts.tolist(), strict=True) if count
        }

    def floats(self, name: str) -> Floats:
        """Return a column of the calls, NaN for null."""
        return floats_of(self.table[name])


def _encoded(column: pa.ChunkedArray) -> tuple[list[str], Rows]:
    """Dictionary-encode a column: return its distinct texts, and the code of each row."""
    chunk = column.combine_chunks()
    if isinstance(chunk, pa.ChunkedArray):
        chunk = pa.concat_arrays(chunk.chunks) if chunk.num_chunks else arrow_array([], pa.utf8())
    coded = chunk.dictionary_encode()
    codes = _filled(coded.indices, -1)
    return [text or "" for text in coded.dictionary.to_pylist()], codes


def _filled(column: Any, missing: int) -> Rows:
    return joined(filled(column, missing)).astype(np.int64, copy=False)
