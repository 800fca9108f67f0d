"""`Events`: everything that was read from a file, before it is sorted into tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from nbprof.sources.chrome.dictionaries import Names, TextDictionary
from nbprof.sources.cuda.rows import Rows
from nbprof.sources.cuda.threads import Threads

if TYPE_CHECKING:
    from nbprof.sources.defects import DefectLog

Integers = npt.NDArray[np.int64]

#: Bits of a correlation id within its process.
_CORRELATION_BITS = 32


class Events:
    """The rows of a file by table, and the texts that they refer to.

    Attributes
    ----------
    host, device, memory, counters, unified : Rows
        Rows, with the columns of the model's tables and of those beside them. Dictionary columns
        hold codes of `texts`.
    names : Names
        Names of host and device rows.
    texts : dict of str to TextDictionary
        Texts of the other dictionary columns, by column.
    threads : Threads
        The threads.
    devices, lanes : list of dict
        Rows of the model's tables.
    multiprocessors : dict of int to int
        Number of multiprocessors, by device.
    metadata : dict
        Metadata of the model.
    says_more : bool
        Whether texts of ranges say more than the columns of the model: those of PyTorch and PyProf.
    """

    def __init__(self, defects: DefectLog) -> None:
        self.defects = defects
        self.host = Rows()
        self.device = Rows()
        self.memory = Rows()
        self.counters = Rows()
        self.unified = Rows()
        self.names = Names()
        self.texts: dict[str, TextDictionary] = _Texts()
        self.threads = Threads()
        self.devices: list[dict[str, Any]] = []
        self.lanes: list[dict[str, Any]] = []
        self.multiprocessors: dict[int, int] = {}
        self.metadata: dict[str, Any] = {}
        self.says_more = False
        self._processes: dict[int, int] = {}

    def correlations(self, pids: Integers, correlations: Integers) -> Integers:
        """Return ids that are unique in the file; those of the first process stay as they are.

        Parameters
        ----------
        pids, correlations : ndarray of int64, shape (rows,)
            Processes, and their ids.
        """
        if len(pids) == 0 or (pids[0] == pids).all():
            place = self._place(int(pids[0])) if len(pids) else 0
            return correlations + (place << _CORRELATION_BITS) if place else correlations
        distinct, code = np.unique(pids, return_inverse=True)
        places = np.array([self._place(pid) for pid in distinct.tolist()], np.int64)
        moved = correlations + (places[code] << _CORRELATION_BITS)
        return np.where(correlations < 0, -1, moved)

    def threads_of_calls(self, correlations: Integers) -> npt.NDArray[np.int32]:
        """Return the threads of calls with some ids, shape (ids,); -1 if there is no such call."""
        ids, threads = self.host.peek("correlation", "thread")
        if len(ids) == 0:
            return np.full(len(correlations), -1, np.int32)
        order = np.argsort(ids, kind="stable")
        at = np.minimum(np.searchsorted(ids[order], correlations), len(ids) - 1)
        hit = (ids[order][at] == correlations) & (correlations > 0)
        return np.where(hit, threads[order][at], -1).astype(np.int32)

    def durations(self, start: Integers, end: Integers, what: str) -> Integers:
        """Return durations, shape (rows,); missing and negative ones become 0 and are counted."""
        duration = end - start
        bad = duration < 0
        if bad.any():
            at = int(np.argmax(bad))
            example = f"{what} from {start[at]} to {end[at]} ns"
            self.defects.note("events that end before they start", int(bad.sum()), example)
            duration[bad] = 0
        return duration

    def _place(self, pid: int) -> int:
        return self._processes.setdefault(pid, len(self._processes))


class _Texts(dict[str, TextDictionary]):
    """Dictionaries by column, made on first use."""

    def __missing__(self, column: str) -> TextDictionary:
        self[column] = TextDictionary()
        return self[column]


def codes_by_key(
    keys: npt.NDArray[np.int32], distinct: list[Any], texts: TextDictionary
) -> npt.NDArray[np.int32]:
    """Return the codes of texts given by a key each, shape (rows,).

    Parameters
    ----------
    keys : ndarray of int32, shape (rows,)
        Index into `distinct`.
    distinct : list of str or None
        The text of each key.
    texts : TextDictionary
        Gives the codes.
    """
    codes = texts.encode(distinct, len(distinct))
    return codes[keys] if len(codes) else np.empty(0, np.int32)
