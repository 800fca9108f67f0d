"""Handlers of ``blocks`` and ``segments``: an allocator snapshot over time and at a moment."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
import numpy.typing as npt

from nbprof.analysis.allocator.history import allocator_histories
from nbprof.analysis.allocator.options import kept_blocks, kept_histories, matching_blocks
from nbprof.model.errors import FilterError
from nbprof.model.filters.patterns import check_pattern, match_typed
from nbprof.timeline.allocations.block_level import AXES, Axis, block_level, extent, positions
from nbprof.widgets.requests.protocol import Reply, RequestError
from nbprof.widgets.session.state import State
from nbprof.widgets.views.memory.allocation_facts import ends, moment_facts, ooms
from nbprof.widgets.views.memory.allocation_texts import StackTexts, block_rows, column_rows
from nbprof.widgets.views.memory.devices import device_key, devices
from nbprof.widgets.views.memory.memory_selection import Lens
from nbprof.widgets.views.timeline.params import MAX_WIDTH, search_text, whole

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nbprof.analysis.allocator.history import AllocatorHistory
    from nbprof.model.trace.model import TraceModel
    from nbprof.trace import Trace
    from nbprof.widgets.requests.messages.charts import MemoryDevice
    from nbprof.widgets.session.session import Progress, Session

Mask = npt.NDArray[np.bool_]

#: Height of the chart, CSS px, at most.
_MAX_HEIGHT: Final = 4096


@dataclass(frozen=True)
class Asked:
    """What a request about a snapshot refers to.

    Parameters
    ----------
    session, state : Session, State
        The profile; the trace and the filter.
    params : mapping
        The parameters of the request.
    progress : callable
        Called with the progress of reading.
    """

    session: Session
    state: State
    params: Mapping[str, Any]
    progress: Progress

    @classmethod
    def of(cls, session: Session, params: Mapping[str, Any], progress: Progress) -> Asked:
        """Read the parameters of a request."""
        return cls(session, State.parse(params.get("state")), params, progress)

    @cached_property
    def trace(self) -> Trace:
        """The trace under the filter."""
        return self.session.trace(self.state, self.progress)

    @property
    def model(self) -> TraceModel:
        """The model of the trace."""
        return self.trace.model

    @cached_property
    def devices(self) -> list[MemoryDevice]:
        """The devices with a history."""
        return _allocator_devices(self.model)

    @cached_property
    def device(self) -> str:
        """The key of the device shown: the chosen one, else the first."""
        keys = [one["key"] for one in self.devices]
        chosen = Lens.parse(self.params.get("memory")).device
        return chosen if chosen in keys else keys[0]

    @cached_property
    def history(self) -> AllocatorHistory:
        """The history of the device.

        Raises
        ------
        RequestError
            The trace is not a memory snapshot.
        """
        histories = allocator_histories(self.model)
        if not histories:
            message = "This trace is not a memory snapshot: it has no segments and blocks."
            raise RequestError(message)
        keys = [one["key"] for one in self.devices]
        return list(histories.values())[keys.index(self.device)]

    @cached_property
    def axis(self) -> Axis:
        """What the axis shows."""
        axis = self.params.get("axis") or AXES[0]
        if axis not in AXES:
            message = f"The axis is {' or '.join(AXES)}, not {axis!r}."
            raise RequestError(message)
        return cast("Axis", axis)

    @cached_property
    def search(self) -> str:
        """The text that was typed."""
        return search_text(self.params)

    @property
    def search_valid(self) -> bool:
        """Whether it is valid; a regular expression may still be incomplete."""
        try:
            check_pattern(self.search)
        except FilterError:
            return False
        return True

    @cached_property
    def wanted(self) -> Mask | None:
        """The blocks that filter, search and sizes keep; None if they keep all."""
        history, filter_ = self.history, self.state.filter
        sizes = Lens.parse(self.params.get("memory")).sizes
        if not filter_ and not self.search and sizes is None:
            return None
        kept = history.device in {one.device for one in kept_histories(self.model, filter_)}
        found = kept_blocks(history, filter_, placed=True) & kept
        if self.search:
            found &= matching_blocks(history, self.search, match_typed)
        if sizes is not None:
            size = history.lives.size
            found &= (size >= sizes[0]) & (size <= sizes[1])
        return found


def _allocator_devices(model: TraceModel) -> list[MemoryDevice]:
    """Return the devices with an allocator's history, as the browser shows them."""
    known = devices(model)
    keys = [device_key("gpu", number) for number in allocator_histories(model)]
    return [{"key": key, "label": known.get(key, key)} for key in keys]


def blocks(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:
    """Return the stacked blocks of a range for a number of pixels."""
    asked = Asked.of(session, params, progress)
    history, axis = asked.history, asked.axis
    whole_range = extent(history, axis)
    span = _span("range", params.get("range"), whole_range)
    columns = whole("width", params.get("width"), 1, MAX_WIDTH)
    height = whole("height", params.get("height"), 1, _MAX_HEIGHT)
    place = positions(history, axis)
    peak = moment_facts(history, history.peak, place)
    low, high = _span("bytes", params.get("bytes"), (0.0, float(max(peak["bytes"], 1))))
    least = (high - low) / height
    wanted = asked.wanted
    level = block_level(history, axis, span, columns=columns, least=least, wanted=wanted)
    texts = StackTexts(history, level.block)
    rows = block_rows(history, level, texts, wanted)
    metadata = asked.model.metadata
    result: dict[str, Any] = {
        "devices": asked.devices,
        "device": asked.device,
        "axis": axis,
        "extent": list(whole_range),
        "range": list(span),
        "columns": columns,
        "least": least,
        "all": len(history.lives),
        "inside": level.inside,
        "found": None if wanted is None else int(np.count_nonzero(wanted)),
        "search_valid": asked.search_valid,
        "events": history.last,
        "peak": peak,
        **ends(history),
        "ooms": ooms(history, place),
        "overwritten": bool(metadata.get("history_overwritten")),
        "entries": metadata.get("history_entries"),
        "stacks": texts.stacks,
        "slots": texts.slots,
        "categories": texts.categories,
    }
    return Reply(result, [rows, column_rows(level)])


def segments(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:
    """Return segments, blocks and holders at a moment: by default the first failed allocation."""
    from nbprof.widgets.views.memory.allocation_state import state_reply

    asked = Asked.of(session, params, progress)
    history = asked.history
    failed = history.ooms()
    default = int(failed[0]) if len(failed) else history.last
    moment = params.get("moment")
    if moment is None:
        at = _number("at", params.get("at"))
        place = positions(history, asked.axis)
        if at is not None:
            moment = max(int(np.searchsorted(place, at, side="right")) - 1, 0)
    shown = default if moment is None else whole("moment", moment, 0, max(history.last, 0))
    selected = params.get("selected")
    if selected is not None:
        selected = whole("selected", selected, 0, max(len(history.lives) - 1, 0))
    width = whole("width", params.get("width"), 1, MAX_WIDTH)
    return state_reply(
        asked.device, history, shown, axis=asked.axis, width=width, selected=selected
    )


def _span(what: str, value: object, default: tuple[float, float]) -> tuple[float, float]:
    if value is None:
        return default
    numbers = list(value) if isinstance(value, (list, tuple)) else []
    known = [one for one in (_number(what, one) for one in numbers) if one is not None]
    if len(known) != 2 or not known[0] < known[1]:
        message = f"{what} must be two numbers in ascending order, not {value!r}."
        raise RequestError(message)
    return known[0], known[1]


def _number(what: str, value: object) -> float | None:
    if value is None:
        return None
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not math.isfinite(cast("float", value)):
        message = f"{what} must be a number, not {value!r}."
        raise RequestError(message)
    return float(cast("float", value))
