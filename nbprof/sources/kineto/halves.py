"""Joins events that begin a slice with those that end it, for files that write slices so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from nbprof.sources.kineto import categories
from nbprof.sources.kineto.host_rows import module_ids

if TYPE_CHECKING:
    from nbprof.sources.chrome.batch import Batch, Context, Pieces
    from nbprof.sources.kineto.categories import NameTraits
    from nbprof.sources.parts.event_selection import EventSelection

#: The kind of events that end a slice.
_END: Final = -1


class Halves:
    """Collects the beginnings and ends of slices: the phases B and E.

    Attributes
    ----------
    pieces : list of Pieces
        A row for every such event; the kind is that of the slice, or `_END`.
    """

    def __init__(self, context: Context, traits: NameTraits) -> None:
        self._context = context
        self._traits = traits
        self.pieces: list[Pieces] = []

    def add(self, batch: Batch) -> None:
        """Add events of these phases."""
        recorded = [
            categories.host_kind(event.cat) if event.ph == "B" else _END for event in batch.events
        ]
        kind = np.array(recorded, np.int16)
        self._traits.apply(kind, batch.names)
        self.pieces.append(
            {
                "order": batch.order,
                "name": batch.names,
                "kind": kind.astype(np.int8),
                "module_id": module_ids(kind),
                "thread": self._context.thread_rows(batch),
                "start_ns": batch.start,
            }
        )

    def slices(self, selection: EventSelection, last: int) -> list[Pieces]:
        """Return the slices, emptying `pieces`: an end belongs to the last open one of its thread.

        What never ends is open until the last event of the file; an end without a beginning is
        left out. Both are counted.

        Parameters
        ----------
        selection : EventSelection
            Slices are kept that begin in its range.
        last : int
            The last time of any slice in the file, in nanoseconds on its own base.
        """
        if not self.pieces:
            return []
        every = {
            name: np.concatenate([one[name] for one in self.pieces]) for name in self.pieces[0]
        }
        self.pieces.clear()
        last = max(last, int(every["start_ns"].max()))
        end = np.full(len(every["order"]), last)
        open_slices: dict[int, list[int]] = {}
        stray = []
        ordered = np.lexsort((every["order"], every["start_ns"], every["thread"])).tolist()
        thread, is_end = every["thread"].tolist(), (every["kind"] == _END).tolist()
        for at in ordered:
            waiting = open_slices.setdefault(thread[at], [])
            if not is_end[at]:
                waiting.append(at)
            elif waiting:
                end[waiting.pop()] = every["start_ns"][at]
            else:
                stray.append(at)
        endless = sorted(at for waiting in open_slices.values() for at in waiting)
        self._note("slice without an end", endless, every, "taken as open until the last event")
        self._note("end without a beginning", stray, every, "left out")
        start = every["start_ns"]
        kept = (every["kind"] != _END) & (start >= selection.low) & (start < selection.high)
        piece = {name: values[kept] for name, values in every.items()}
        return [{**piece, "duration_ns": (end - start)[kept]}]

    def _note(self, kind: str, rows: list[int], every: Pieces, what: str) -> None:
        if rows:
            name = self._context.names.texts[every["name"][rows[0]]]
            self._context.defects.note(kind, len(rows), f"{name!r}; {what}")
