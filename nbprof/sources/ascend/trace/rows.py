"""Converts windows of `trace_view.json` events to column pieces."""

from __future__ import annotations

from collections import Counter
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nbprof.model.trace import kinds
from nbprof.sources.ascend import texts
from nbprof.sources.ascend.trace import roles as trace_roles
from nbprof.sources.ascend.trace.counter_series import Series
from nbprof.sources.ascend.trace.events import (
    Decoder,
    FrameArgs,
    NameArgs,
    OperatorArgs,
    SliceArgs,
    args_of,
    counter_args_of,
)
from nbprof.sources.ascend.trace.flow_ids import arrow_ids
from nbprof.sources.ascend.trace.processes import Processes
from nbprof.sources.chrome.batch import Batch, Context
from nbprof.sources.chrome.columns import floats, integers
from nbprof.sources.chrome.dictionaries import TextDictionary, id_text, thread_id
from nbprof.sources.chrome.times import NO_TIME
from nbprof.sources.kineto import categories
from nbprof.sources.kineto.categories import NameTraits
from nbprof.sources.kineto.other_rows import identifiers
from nbprof.sources.kineto.rows import DAY_NS

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from nbprof.sources.chrome.batch import Pieces
    from nbprof.sources.chrome.decoding import Window, WindowDecoder
    from nbprof.sources.chrome.windows import EventWindows
    from nbprof.sources.defects import DefectLog
    from nbprof.sources.parts.event_selection import EventSelection

_get_name = attrgetter("name")
_get_pair = attrgetter("ph", "cat")
_get_id = attrgetter("id")
_get_pid = attrgetter("pid")

#: The phase distinguishes the two ends of arrows.
_END: Final = "f"


class Rows:
    """Collects column pieces.

    Parameters
    ----------
    defects : DefectLog
        Counts irregularities.
    frames : bool
        Whether Python frames become rows; modules always do.

    Attributes
    ----------
    events : int
        Number of events of any kind.
    host, slices, flows, counters : list of Pieces
        Pieces by window. ``lane`` is the number of the pair of process and thread.
    """

    #: Columns of text codes, and the name of the texts they refer to.
    text_columns: Mapping[str, str] = MappingProxyType(
        {
            **{name: name for name in ("name", "input_shapes", "input_types", "call_stack")},
            **dict.fromkeys(("task_type", "part_type", "dtype"), "task_type"),
            "series": "series",
        }
    )

    #: Decodes text to events.
    decoder: type[WindowDecoder] = Decoder

    @classmethod
    def of_part(
        cls, _windows: EventWindows, defects: DefectLog, *, bare: bool, selection: EventSelection
    ) -> Rows:
        """Return the rows of a part of a file, for reading in a separate process."""
        del bare, selection  # frames are dropped when the parts are joined
        return cls(defects)

    def __init__(self, defects: DefectLog, *, frames: bool = True) -> None:
        self.context = Context(defects)
        self.processes = Processes()
        self.events = 0
        self.dropped: Counter[str] = Counter()
        self.host: list[Pieces] = []
        self.slices: list[Pieces] = []
        self.flows: list[Pieces] = []
        self.counters: list[Pieces] = []
        self.shapes = texts.Shapes()
        self.types = texts.Types()
        self.stacks = texts.Stacks()
        self.task_types = TextDictionary()
        self.series = Series()
        self.frames = frames
        self._roles = trace_roles.Roles()
        self._traits = NameTraits(self.context.names)

    def add(self, window: Window) -> None:
        """Add the events of a window."""
        events, count = window.events, len(window.events)
        if count == 0:
            return
        names = self.context.names.encode(map(_get_name, events), count)
        roles = np.fromiter(map(self._roles.__getitem__, map(_get_pair, events)), np.int16, count)
        self._count_unknown(window, roles)
        self._traits.apply(roles, names)
        order = np.arange(self.events, self.events + count)
        self.events += count
        batch = Batch(events, names, window.start, roles, order)
        self._drop_timeless(batch)
        for low, high, add in (
            (kinds.OPERATOR, kinds.STEP + 1, self._add_operators),
            (kinds.RUNTIME, kinds.RUNTIME + 1, self._add_calls),
            (kinds.PYTHON, kinds.MODULE + 1, self._add_frames),
            (trace_roles.SLICE, trace_roles.SLICE + 1, self._add_slices),
            (trace_roles.FLOWS, trace_roles.FLOWS + 10, self._add_flows),
            (categories.COUNTER, categories.COUNTER + 1, self._add_counters),
            (categories.METADATA, categories.METADATA + 1, self._add_metadata),
        ):
            mask = (roles >= low) & (roles < high)
            if mask.any():
                add(batch if mask.all() else batch.select(mask))

    def pieces(self) -> dict[str, list[Pieces]]:
        """Return the lists of column pieces by table, not copies of them."""
        return {
            "host": self.host,
            "slices": self.slices,
            "flows": self.flows,
            "counters": self.counters,
        }

    def codes(self) -> dict[str, TextDictionary]:
        """Return the dictionaries that assign codes to texts."""
        return {
            "name": self.context.names,
            "input_shapes": self.shapes,
            "input_types": self.types,
            "call_stack": self.stacks,
            "task_type": self.task_types,
            "series": self.series,
        }

    def facts(self) -> dict[str, Any]:
        """Return the results that are neither columns nor texts, in JSON-compatible form."""
        return {"dropped": self.dropped, "processes": self.processes.facts()}

    def add_facts(self, facts: dict[str, Any]) -> None:
        """Add such results of the next rows in the file."""
        self.dropped.update(facts["dropped"])
        self.processes.add_facts(facts["processes"])

    def _common(self, batch: Batch) -> Pieces:
        return {
            "order": batch.order,
            "name": batch.names,
            "lane": self.context.thread_rows(batch),
            "start_ns": batch.start,
            "duration_ns": self.context.durations(batch),
        }

    def _add_operators(self, batch: Batch) -> None:
        args = args_of(batch.events, OperatorArgs, self.context.defects)
        self.host.append(
            {
                **self._common(batch),
                "kind": batch.roles.astype(np.int8),
                "is_call": (batch.roles != kinds.STEP).astype(np.int8),
                "sequence": integers(args, "sequence"),
                "forward_thread": integers(args, "forward_thread"),
                "input_shapes": _codes(self.shapes, args, "input_shapes"),
                "input_types": _codes(self.types, args, "input_types"),
                "call_stack": _codes(self.stacks, args, "call_stack"),
            }
        )

    def _add_calls(self, batch: Batch) -> None:
        self.host.append({**self._common(batch), "kind": batch.roles.astype(np.int8)})

    def _add_frames(self, batch: Batch) -> None:
        args = args_of(batch.events, FrameArgs, self.context.defects)
        module = integers(args, "module_id")
        piece = {
            **self._common(batch),
            "kind": np.where(module >= 0, kinds.MODULE, kinds.PYTHON).astype(np.int8),
            "python_id": integers(args, "python_id"),
            "python_parent": integers(args, "python_parent"),
            "module_id": module,
        }
        self.host.append(piece)

    def _add_slices(self, batch: Batch) -> None:
        args = args_of(batch.events, SliceArgs, self.context.defects)
        task_type = _codes(self.task_types, args, "task_type")
        part_type = _codes(self.task_types, args, "part_type")
        self.slices.append(
            {
                **self._common(batch),
                "connection": integers(args, "connection"),
                "task_type": task_type,
                "part_type": part_type,
                "task": integers(args, "task"),
                "bytes": integers(args, "bytes"),
                "bandwidth_gbps": floats(args, "bandwidth_gbps"),
                "dtype": _codes(self.task_types, args, "dtype"),
                "elements": integers(args, "elements"),
            }
        )

    def _add_flows(self, batch: Batch) -> None:
        self.flows.append(
            {
                "order": batch.order,
                "id": arrow_ids(list(map(_get_id, batch.events))),
                "category": (batch.roles - trace_roles.FLOWS).astype(np.int32),
                "phase": np.array([event.ph == _END for event in batch.events], np.int32),
                "time_ns": batch.start,
                "lane": self.context.thread_rows(batch),
            }
        )

    def _add_counters(self, batch: Batch) -> None:
        args = counter_args_of(batch.events, self.context.defects)
        at, series, values = self.series.samples(args)
        pids = identifiers(list(map(_get_pid, batch.events)))
        self.counters.append(
            {
                "order": batch.order[at],
                "name": batch.names[at],
                "series": series,
                "pid": pids[at],
                "time_ns": batch.start[at],
                "value": values,
            }
        )

    def _add_metadata(self, batch: Batch) -> None:
        args = args_of(batch.events, NameArgs, self.context.defects)
        for event, said in zip(batch.events, args, strict=True):
            self.processes.add(event.name, id_text(event.pid), thread_id(event.tid), said)

    def _count_unknown(self, window: Window, roles: npt.NDArray[np.int16]) -> None:
        unknown = np.flatnonzero(roles == categories.UNKNOWN)
        if len(unknown):
            pairs = [_get_pair(window.events[at]) for at in unknown.tolist()]
            self.dropped.update(str(category) for _, category in pairs)
            phase, category = pairs[0]
            example = f"phase {phase!r}, category {category!r}"
            self.context.defects.note("unknown kind of event", len(pairs), example, fatal=False)

    def _drop_timeless(self, batch: Batch) -> None:
        """Drop events that need a time stamp and have none."""
        absent = batch.start == NO_TIME
        if batch.start.max() > DAY_NS:
            absent |= batch.start == 0
        rows = np.flatnonzero(absent & (batch.roles != categories.METADATA))
        if len(rows):
            name = self.context.names.texts[batch.names[rows[0]]]
            example = f"{name!r} has no usable one; dropped"
            self.context.defects.note("missing time stamp", len(rows), example)
            batch.roles[rows] = categories.IGNORED


def _codes(codes: TextDictionary, args: list[Any], field: str) -> npt.NDArray[np.int32]:
    values = map(attrgetter(field), args)
    try:
        return codes.encode(values, len(args))
    except TypeError:  # a list, say
        kept = [value if isinstance(value, str) else None for value in map(attrgetter(field), args)]
        return codes.encode(kept, len(args))
