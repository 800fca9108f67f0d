"""`Slices`: all slices of host and devices as columns, with one numbering."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from nbprof.timeline.slice_categories import categories_of

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel


@dataclass(frozen=True)
class Slices:
    """The slices; a slice id is a host row, or the number of host rows plus a device row.

    Attributes
    ----------
    start, end : ndarray of int64, shape (slices,)
        Nanoseconds from the trace's first event.
    name : ndarray of int32, shape (slices,)
        Index into `names`, -1 for slices without a name.
    category : ndarray of uint8, shape (slices,)
        Index into `categories.CATEGORIES`.
    names : list of str
        The distinct names of the host, then those of devices; a text may occur twice.
    host_names : int
        Number of `names` that belong to the host.
    host_rows : int
        Number of host slices.
    recorded : dict of int to str
        Names as recorded, by index in `names`, where a more readable form is shown.
    """

    start: npt.NDArray[np.int64]
    end: npt.NDArray[np.int64]
    name: npt.NDArray[np.int32]
    category: npt.NDArray[np.uint8]
    names: list[str]
    host_names: int
    host_rows: int
    recorded: dict[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return the number of slices."""
        return len(self.start)

    @classmethod
    def of(cls, model: TraceModel) -> Slices:
        """Return the slices of a trace; cached."""
        return model.cached("slices", lambda: cls._make(model))

    @classmethod
    def _make(cls, model: TraceModel) -> Slices:
        start = np.concatenate([model.column(table, "start_ns") for table in ("host", "device")])
        duration = np.concatenate(
            [model.column(table, "duration_ns") for table in ("host", "device")]
        )
        host_names = model.values("host", "name")
        device = model.column("device", "name")
        device_codes = np.where(device < 0, -1, device + len(host_names))
        name = np.concatenate([model.column("host", "name"), device_codes])
        return cls(
            start=start,
            end=start + duration,
            name=name.astype(np.int32),
            category=categories_of(model),
            names=[*host_names, *model.values("device", "name")],
            host_names=len(host_names),
            recorded={
                **model.recorded_names("host"),
                **{len(host_names) + c: n for c, n in model.recorded_names("device").items()},
            },
            host_rows=model.tables["host"].num_rows,
        )


def by_row(slices: Slices, row: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.int64]:
    """Return the ids of all slices with a row, sorted by (row, start, end).

    Parameters
    ----------
    slices : Slices
        All slices.
    row : ndarray of int, shape (slices,)
        -1 for slices without a row.
    """
    ids = np.flatnonzero(row >= 0)
    keys = row if len(ids) == len(row) else row[ids]
    if len(ids) and keys.max() <= np.iinfo(np.uint16).max:
        keys = keys.astype(np.uint16)  # sorted in linear time
    order = np.argsort(keys, kind="stable")
    ids = order if len(ids) == len(row) else ids[order]
    # Tables are sorted by start, so rows usually are too.
    keys, start, end = row[ids], slices.start[ids], slices.end[ids]
    late = (start[1:] < start[:-1]) | ((start[1:] == start[:-1]) & (end[1:] < end[:-1]))
    unsorted = np.unique(keys[1:][late & (keys[1:] == keys[:-1])])
    if len(unsorted):
        at = np.flatnonzero(np.isin(keys, unsorted))
        ids[at] = ids[at[np.lexsort((end[at], start[at], keys[at]))]]
    return ids
