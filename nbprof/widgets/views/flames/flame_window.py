"""Windows of a flame graph: frames wide enough to see, and blocks for the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.model.arrays import encoded, floats_of, joined
from nbprof.model.building import arrow_array, filled, table_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

#: Frames narrower than this, in px, are merged with their neighbours.
_LEAST_PX: Final = 1.0
#: Narrow frames that start in a column of this many pixels form a block.
_BLOCK_PX: Final = 2.0
#: Maximum number of items in a reply; with their names they take less than 1.5 MB.
MAX_ITEMS: Final = 20_000


@dataclass(frozen=True)
class FlameIndex:
    """The frames of a flame graph with a width, sorted by depth and position.

    Attributes
    ----------
    first : ndarray of int64, shape (depths + 1,)
        Index of the first frame of each depth, followed by the number of frames.
    start, end, own : ndarray of float64, shape (frames,)
        Start, end and own width of each frame, in the unit of the graph.
    name, kind : ndarray of int64, shape (frames,)
        Index into `names` and `kinds`.
    calls : ndarray of int64, shape (frames,)
        Number of calls of each frame.
    names, kinds : list of str
        Distinct texts.
    total : float
        The width of the whole graph.
    """

    first: Ints
    start: Floats
    end: Floats
    own: Floats
    name: Ints
    kind: Ints
    calls: Ints
    names: list[str]
    kinds: list[str]
    total: float

    @classmethod
    def of(cls, table: pa.Table) -> FlameIndex:
        """Build the index from the table ``flame`` or ``icicle``."""
        unit = "_bytes" if "total_bytes" in table.column_names else "_us"
        width = _floats(table, f"total{unit}")
        table, width = table.filter(arrow_array(width > 0)), width[width > 0]
        start = _floats(table, f"offset{unit}")
        depth = joined(table["depth"]).astype(np.int64)
        order = np.lexsort((start, depth))
        names, name = _codes(table["name"])
        kinds, kind = _codes(table["kind"])
        depths = int(depth.max(initial=-1)) + 1
        end = (start + width)[order]
        return cls(
            first=np.searchsorted(depth[order], np.arange(depths + 1)),
            start=start[order],
            end=end,
            own=_floats(table, f"self{unit}")[order],
            name=name[order],
            kind=kind[order],
            calls=_calls(table)[order],
            names=names,
            kinds=kinds,
            total=float(end.max(initial=0.0)),
        )

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays, for the cache."""
        arrays = (self.start, self.end, self.own, self.name, self.kind, self.calls)
        return sum(array.nbytes for array in arrays)

    def window(
        self,
        start: float,
        end: float,
        width: int,
        rows: tuple[int, int],
        matching: Mask,
    ) -> FlameWindow:
        """Return frames and blocks of a range for a number of pixel columns.

        Parameters
        ----------
        start, end : float
            The range, in the unit of the graph.
        width : int
            Pixel columns.
        rows : (int, int)
            First depth, and the one after the last.
        matching : ndarray of bool, shape (names,)
            Names that a search finds.
        """
        depths = range(len(self.first) - 1)
        parts = [self._inside(depth, start, end) for depth in depths]
        used = max((at + 1 for at, part in zip(depths, parts, strict=True) if len(part)), default=0)
        shown = range(max(0, rows[0]), min(rows[1], used))
        index = np.concatenate([np.empty(0, np.int64), *(parts[at] for at in shown)])
        counts = [len(parts[at]) for at in shown]
        depth = np.repeat(np.arange(shown.start, shown.start + len(counts)), counts)
        pixel = (end - start) / width
        firsts = self._firsts(index, depth, start, pixel)
        while len(firsts) > MAX_ITEMS:
            pixel *= 2
            firsts = self._firsts(index, depth, start, pixel)
        ends = np.append(firsts[1:], len(index))[: len(firsts)] - 1
        count = ends - firsts + 1
        alone = count == 1
        hits = np.concatenate([[0], np.cumsum(matching[self.name[index]])])
        busy = np.concatenate([[0.0], np.cumsum(self.end[index] - self.start[index])])
        head = index[firsts]
        columns = {
            "depth": depth[firsts].astype(np.int32),
            "start": self.start[head],
            "end": self.end[index[ends]],
            "value": busy[ends + 1] - busy[firsts],
            "own": np.where(alone, self.own[head], 0.0),
            "name": np.where(alone, self.name[head], -1),
            "kind": np.where(alone, self.kind[head], -1),
            "calls": np.where(alone, self.calls[head], 0).astype(np.int32),
            "count": count.astype(np.int32),
            "match": hits[ends + 1] > hits[firsts],
        }
        return FlameWindow(columns, used)

    def _inside(self, depth: int, start: float, end: float) -> Ints:
        """Return the frames of a depth that overlap a range."""
        low, high = self.first[depth], self.first[depth + 1]
        first = low + np.searchsorted(self.end[low:high], start, "right")
        last = low + np.searchsorted(self.start[low:high], end, "left")
        return np.arange(first, last)

    def _firsts(self, index: Ints, depth: Ints, start: float, pixel: float) -> Ints:
        """Return the positions of single frames, and of the first frame of each block."""
        narrow = self.end[index] - self.start[index] < _LEAST_PX * pixel
        column = np.floor((self.start[index] - start) / (_BLOCK_PX * pixel)).astype(np.int64)
        same = (np.diff(depth) == 0) & (np.diff(column) == 0) & narrow[1:] & narrow[:-1]
        return np.flatnonzero(np.concatenate([[True], ~same])[: len(index)])


@dataclass(frozen=True)
class FlameWindow:
    """Frames and blocks of a window as columns, and the depth of the window."""

    columns: dict[str, npt.NDArray[Any]]
    depths: int

    def table(self, kinds: Sequence[int]) -> tuple[pa.Table, Ints]:
        """Return the window as a table with renumbered names, and the original name indices.

        Parameters
        ----------
        kinds : sequence of int
            Code for each kind; a block of several kinds has -1.
        """
        used, name = np.unique(self.columns["name"], return_inverse=True)
        has_blocks = len(used) > 0 and used[0] < 0
        known = used[1:] if has_blocks else used
        code = np.array([*kinds, -1], np.int8)  # last: -1
        columns = {
            **self.columns,
            "name": (name.reshape(-1) - int(has_blocks)).astype(np.int32),
            "kind": code[self.columns["kind"]],
        }
        return table_of({key: arrow_array(values) for key, values in columns.items()}), known


def _calls(table: pa.Table) -> Ints:
    """Return the number of calls of each frame; 0 where a graph does not have it."""
    if "calls" not in table.column_names:
        return np.zeros(table.num_rows, np.int64)
    return joined(table["calls"]).astype(np.int64)


def _floats(table: pa.Table, name: str) -> Floats:
    return np.nan_to_num(floats_of(table[name]))


def _codes(column: pa.ChunkedArray) -> tuple[list[str], Ints]:
    coded = encoded(column)
    texts: list[str] = [text or "" for text in coded.dictionary.to_pylist()]
    if coded.null_count:
        texts.append("")
    return texts, joined(filled(coded.indices, len(texts) - 1)).astype(np.int64)
