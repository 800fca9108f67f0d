"""Converts windows of Kineto events to column pieces, by the role of each event."""

from __future__ import annotations

from collections import Counter
from itertools import compress
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from nbprof.sources.chrome.batch import Batch, Context
from nbprof.sources.chrome.columns import as_integer
from nbprof.sources.chrome.dictionaries import UNNAMED, id_text
from nbprof.sources.chrome.times import NO_TIME
from nbprof.sources.kineto import categories
from nbprof.sources.kineto.categories import NameTraits, Roles
from nbprof.sources.kineto.device_processes import move_device_rows
from nbprof.sources.kineto.device_rows import DeviceRows
from nbprof.sources.kineto.halves import Halves
from nbprof.sources.kineto.host_rows import HostRows
from nbprof.sources.kineto.narrow_events import NarrowDecoder, PairNumbers, sufficient_events
from nbprof.sources.kineto.other_rows import OtherRows
from nbprof.sources.kineto.uncertain_roles import assign_uncategorised, assign_unknown
from nbprof.sources.parts.event_selection import ALL_EVENTS, EventSelection
from nbprof.sources.parts.event_skipper import EventSkipper
from nbprof.sources.parts.outside_window import OutsideWindow
from nbprof.sources.parts.partial_decoding import decode_partially

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nbprof.sources.chrome.batch import Pieces
    from nbprof.sources.chrome.decoding import Window, WindowDecoder
    from nbprof.sources.chrome.dictionaries import TextDictionary
    from nbprof.sources.chrome.windows import EventWindows
    from nbprof.sources.defects import DefectLog

_get_name = attrgetter("name")

#: The slice that spans a recording.
_RECORDER = "PyTorch Profiler (0)"

#: Times this far from zero count from 1970 or another base, so no event can have time zero.
DAY_NS = 86_400 * 10**9


class Rows:
    """Collects the rows of all tables; `add` keeps no reference to the events of a window.

    Parameters
    ----------
    defects : DefectLog
        Counts irregularities.
    bare : bool
        Whether the file is a bare array, as written by the EventList export, whose events have no
        category.
    selection : EventSelection
        Which events become rows.

    Attributes
    ----------
    events : int
        Number of events of any kind in the file.
    dropped : Counter
        Number of events without a table, by category.
    others : Counter
        Number of host slices of categories that nbprof does not know, by category.
    accelerators : Counter
        Number of calls and device events by the accelerator that their categories belong to.
    uncategorised : list of Pieces
        The positions of slices without a category in the file, and of ends of such.
    recorded : (int, int) or None
        Start and end of the recording on the file's own base, if written.
    device_processes : frozenset of str
        Processes that stand for devices, once the rows are finished.
    lanes : list of dict
        Rows of the table of lanes, likewise.
    """

    #: Columns of text codes, and the name of the texts they refer to.
    text_columns: Mapping[str, str] = MappingProxyType(
        {
            "name": "name",
            "input_shapes": "input_shapes",
            "input_types": "input_types",
            "input_values": "input_values",
            "call_stack": "call_stack",
            "grid": "extent",
            "block": "extent",
            "series": "series",
        }
    )

    #: Decodes text to events.
    decoder: type[WindowDecoder] = NarrowDecoder

    @classmethod
    def of_part(
        cls, windows: EventWindows, defects: DefectLog, *, bare: bool, selection: EventSelection
    ) -> Rows:
        """Return the rows of a part of a file, for reading in a separate process."""
        rows = cls(defects, bare=bare, selection=selection)
        decode_partially(windows, rows.skipper)
        return rows

    def __init__(
        self, defects: DefectLog, *, bare: bool = False, selection: EventSelection = ALL_EVENTS
    ) -> None:
        self.context = Context(defects)
        self.skipper = EventSkipper(selection, self.context)
        self.host = HostRows(self.context)
        self.device = DeviceRows(self.context)
        self.other = OtherRows(self.context)
        self.events = 0
        self.dropped: Counter[str] = Counter()
        self.others: Counter[str] = Counter()
        self.accelerators: Counter[str] = Counter()
        self.recorded: tuple[int, int] | None = None
        self.device_processes: frozenset[str] = frozenset()
        self.lanes: list[dict[str, Any]] = []
        self.uncategorised: list[Pieces] = []
        self._bare = bare
        self._roles = Roles()
        self._pairs = PairNumbers(self._roles)
        self._traits = NameTraits(self.context.names)
        self.halves = Halves(self.context, self._traits)

    def add(self, window: Window) -> None:
        """Add the events of a window."""
        if isinstance(window, OutsideWindow):
            if window.taken is not None:
                self.add(window.taken)
            if self.skipper.skip_window(window):
                self._count_left(window)
                return
        events, count = window.events, len(window.events)
        if count == 0:
            return
        names = self.context.names.encode(map(_get_name, events), count)
        pairs = self._pairs.of(events)
        roles = self._roles.table[pairs]
        self._traits.apply(roles, names)
        own = self._own(events)
        roles[~own] = categories.IGNORED
        order = np.arange(self.events, self.events + count)
        self.events += count
        events = sufficient_events(window, pairs, roles, self._roles)
        batch = Batch(events, names, window.start, roles, order)
        missing = self._roles.without_category[pairs]
        if missing.any():
            self.uncategorised.append({"order": order[missing]})
            assign_uncategorised(batch, self.context, self._traits, bare=self._bare)
        assign_unknown(batch, pairs, self._roles, self.context)
        if (roles == categories.MIXED).any():
            self._traits.apply_device_kinds(roles, names)
        self._count(batch, pairs, own)
        self._drop_timeless(batch)
        self.skipper.apply(batch)
        self.host.add(batch)
        for low, high, add in (
            (categories.DEVICE, categories.MIXED + 1, self.device.add),
            (categories.MEMORY, categories.MEMORY + 1, self.other.add_memory),
            (categories.LAUNCH_FLOW, categories.QUEUE_FLOW + 1, self.other.add_flows),
            (categories.METADATA, categories.METADATA + 1, self.other.add_metadata),
            (categories.HALF, categories.HALF + 1, self.halves.add),
        ):
            mask = (roles >= low) & (roles < high)
            if mask.any():
                add(batch.select(mask))
        counters = roles == categories.COUNTER
        if counters.any():
            args = list(compress(window.plain_args(self.context.defects), counters.tobytes()))
            self.other.add_counters(batch.select(counters), args)

    def finish(self, *, other: bool = False) -> None:
        """Complete the rows once all events were added: slices in halves, devices as processes.

        Parameters
        ----------
        other : bool
            Whether another program than PyTorch wrote the file: device work in a process that has
            threads is not on the device of that number.
        """
        ends = [(piece["start_ns"] + piece["duration_ns"]).max() for piece in self.host.pieces]
        self.host.pieces += self.halves.slices(self.skipper.selection, int(max(ends, default=0)))
        if other:
            hosts = [
                as_integer(pid) for pid, _, _ in self.context.threads.keys_seen if pid.isdecimal()
            ]
            for piece in self.device.pieces:
                piece["device"] = np.where(np.isin(piece["device"], hosts), 0, piece["device"])
        devices, self.lanes = move_device_rows(self.context, self.other, self.host, self.device)
        self.device_processes = frozenset(devices)
        self.accelerators.update(devices.values())

    def pieces(self) -> dict[str, list[Pieces]]:
        """Return the lists of column pieces by table, not copies of them."""
        return {
            "host": self.host.pieces,
            "device": self.device.pieces,
            "memory": self.other.memory,
            "flows": self.other.flows,
            "counters": self.other.counters,
            "halves": self.halves.pieces,
            "uncategorised": self.uncategorised,
            "skipped": self.skipper.pieces,
            "skipped work": self.skipper.work,
        }

    def codes(self) -> dict[str, TextDictionary]:
        """Return the dictionaries that assign codes to texts."""
        return {
            "name": self.context.names,
            "input_shapes": self.host.shapes,
            "input_types": self.host.types,
            "input_values": self.host.values,
            "call_stack": self.host.stacks,
            "extent": self.device.extents,
            "series": self.other.series,
        }

    def facts(self) -> dict[str, Any]:
        """Return the results that are neither columns nor texts, in JSON-compatible form."""
        return {
            "dropped": self.dropped,
            "others": self.others,
            "accelerators": self.accelerators,
            "recorded": self.recorded,
            "collectives": self.context.collectives,
            "thread_names": [(*key, name) for key, name in self.other.thread_names.items()],
            "process_names": self.other.process_names,
        }

    def add_facts(self, facts: dict[str, Any]) -> None:
        """Add such results of the next rows in the file; their events are not counted yet."""
        self.context.collectives += [
            {**one, "order": one["order"] + self.events} for one in facts["collectives"]
        ]
        self.other.thread_names.update(
            {(pid, tid): name for pid, tid, name in facts["thread_names"]}
        )
        self.other.process_names.update(facts["process_names"])
        self.dropped.update(facts["dropped"])
        self.others.update(facts["others"])
        self.accelerators.update(facts["accelerators"])
        if facts["recorded"]:
            first, last = facts["recorded"]
            self.recorded = first, last

    @property
    def device_type(self) -> str:
        """Device type that the process computed on (cpu, gpu, …), from calls and device slices."""
        facts = [name for name, count in self.accelerators.items() if count]
        return categories.device_type(facts) or "cpu"

    def _own(self, events: Sequence[Any]) -> npt.NDArray[np.bool_]:
        """Return which events are of the processes that are read, shape (events,)."""
        wanted = self.skipper.selection.pids
        if not wanted:
            return np.ones(len(events), bool)
        pids = [event.pid for event in events]
        known = {pid: id_text(pid) in wanted for pid in set(pids)}
        return np.fromiter(map(known.__getitem__, pids), bool, len(pids))

    def _count(
        self, batch: Batch, pairs: npt.NDArray[np.int16], own: npt.NDArray[np.bool_]
    ) -> None:
        """Count events without a table, calls by API, and slices without a name."""
        for number, count in enumerate(np.bincount(pairs).tolist()):
            if not count:
                continue
            phase, category = self._roles.pairs[number]
            role = self._roles.table[number]
            # Events without a category or with an unknown one were examined individually.
            if categories.reports_device(phase, category) or (
                role >= categories.UNKNOWN
                and categories.report_device(batch.roles[pairs == number])
            ):
                self.accelerators[categories.accelerator(category)] += count
            if role == categories.IGNORED and category and category.lower() == "trace":
                self._keep_recorded(batch.select((pairs == number) & own))
            elif role == categories.IGNORED and category:
                kept = batch.roles[pairs == number] != categories.IGNORED
                self.dropped[category] += count - int(kept.sum())
            elif role == categories.UNKNOWN:
                given = batch.roles[pairs == number]
                self.others[str(category)] += int((given < categories.DEVICE).sum())
                lost = int((given == categories.UNKNOWN).sum())
                self.dropped[str(category)] += lost
                example = f"phase {phase!r}, category {category!r}"
                self.context.defects.note("unknown kind of event", lost, example, fatal=False)
        self.dropped, self.others = +self.dropped, +self.others
        slices = (batch.names == self.context.names.unnamed) & (batch.roles < categories.MEMORY)
        nameless = [row for row in np.flatnonzero(slices).tolist() if not batch.events[row].name]
        if nameless:
            category = batch.events[nameless[0]].cat
            example = f"an event of the category {category!r}; shown as {UNNAMED}"
            self.context.defects.note("missing name", len(nameless), example)

    def _count_left(self, window: OutsideWindow) -> None:
        """Count the events of a window that do not become rows."""
        self.events += len(window.events)
        for (phase, category, _, _), count in window.tracks.items():
            role = categories.role(phase, category)
            if categories.reports_device(phase, category):
                self.accelerators[categories.accelerator(category)] += count
            if role == categories.IGNORED and category:
                self.dropped[category] += count

    def _keep_recorded(self, batch: Batch) -> None:
        """Store when the recorder ran, which it writes as a slice of its own."""
        names = [self.context.names.texts[code] for code in batch.names.tolist()]
        rows = np.array([name == _RECORDER for name in names], bool) & (batch.start != NO_TIME)
        if rows.any():
            start, duration = batch.start[rows], self.context.durations(batch.select(rows))
            self.recorded = int(start[0]), int(start[0] + duration[0])

    def _drop_timeless(self, batch: Batch) -> None:
        """Drop events that need a time stamp and have none."""
        absent = batch.start == NO_TIME
        if batch.start.max() > DAY_NS:
            absent |= batch.start == 0  # written by recorders for a missing time
        timed = (batch.roles < categories.METADATA) | (batch.roles == categories.HALF)
        rows = np.flatnonzero(absent & timed)
        if len(rows):
            example = f"{self._name(batch, rows)!r} has no usable one; dropped"
            self.context.defects.note("missing time stamp", len(rows), example)
            batch.roles[rows] = categories.IGNORED

    def _name(self, batch: Batch, rows: Any) -> str:
        name: str = self.context.names.texts[batch.names[rows[0]]]
        return name
