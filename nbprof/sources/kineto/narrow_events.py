"""Decodes events of usual categories with only the arguments that their rows have.

msgspec fills every argument that a struct names, so a struct with all forty takes a quarter more
time and twice the memory of one for kernels or for calls. The category chooses the struct.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, reduce
from itertools import compress
from operator import attrgetter, or_
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

import msgspec
import numpy as np

from nbprof.model.trace import kinds
from nbprof.sources.chrome.decoding import WindowDecoder
from nbprof.sources.chrome.events import NO_ARGS, NO_TEXT, Args
from nbprof.sources.kineto import categories
from nbprof.sources.limits.room import decode_in_room

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from nbprof.sources.chrome.decoding import Window
    from nbprof.sources.kineto.categories import Roles


_get_pair = attrgetter("ph", "cat")


class NarrowEvent(msgspec.Struct, gc=False, eq=False):
    """An event of a usual category and phase.

    Attributes
    ----------
    cat : str
        The category, of the class.
    phases : tuple of str
        The phases that events of the class may have.
    exact : bool
        Whether the time stamp is its decimal text.
    """

    cat: ClassVar[str]
    phases: ClassVar[tuple[str, ...]]
    exact: ClassVar[bool]


@dataclass(frozen=True)
class Layout:
    """The arguments of events of some categories.

    Attributes
    ----------
    categories : tuple of str
        In the spellings of all versions of PyTorch.
    arguments : frozenset of str
        The fields of `Args` that are decoded.
    roles : tuple of int
        The roles for whose rows these are enough. The name may give an event another role.
    phases : tuple of str
        The phases of such events. Windows with others are decoded fully.
    """

    categories: tuple[str, ...]
    arguments: frozenset[str]
    roles: tuple[int, ...]
    phases: tuple[str, ...] = ("X",)


_COLLECTIVE: Final = frozenset(
    {
        "collective",
        "dtype",
        "in_elements",
        "out_elements",
        "group_size",
        "group_name",
        "group_id",
        "group_text",
        "ranks",
    }
)
_IDS: Final = frozenset({"external_id", "external_id_old"})
_OPERATOR: Final = frozenset(
    {
        "sequence",
        "forward_thread",
        "input_shapes",
        "input_shapes_old",
        "input_types",
        "input_values",
        "call_stack",
    }
)
_FRAME: Final = frozenset({"python_id", "python_parent", "module_id", "call_stack"})
_DEVICE: Final = frozenset(
    {
        "correlation",
        "device",
        "stream",
        "grid",
        "block",
        "registers",
        "shared_memory_bytes",
        "blocks_per_sm",
        "warps_per_sm",
        "occupancy_pct",
        "bytes",
        "size",
        "bandwidth_gbps",
        "graph_node",
    }
)
_MEMORY: Final = frozenset(
    {"change", "address", "device_type", "device_id", "total_allocated", "total_reserved"}
)

LAYOUTS: Final = (
    Layout(
        ("cpu_op", "Operator", "user_annotation"),
        _IDS | _OPERATOR | _COLLECTIVE,
        tuple({*range(10)} - {kinds.RUNTIME, kinds.PYTHON}),
    ),
    Layout(
        ("cuda_runtime", "cuda_driver", "Runtime", "hip_runtime", "xpu_runtime", "xpu_driver"),
        _IDS | {"correlation"},
        (kinds.RUNTIME,),
    ),
    Layout(("python_function",), _FRAME, (kinds.PYTHON,)),
    Layout(
        (
            *("kernel", "gpu_memcpy", "gpu_memset", "gpu_user_annotation", "cuda_sync"),
            *("Kernel", "Memcpy", "Memset"),
        ),
        _IDS | _DEVICE | _COLLECTIVE,
        tuple(range(categories.DEVICE, categories.MIXED)),
    ),
    Layout(("cpu_instant_event",), _MEMORY, (categories.MEMORY,), ("i",)),
    Layout(
        ("ac2g", "fwdbwd", "async_cpu_to_gpu", "async_gpu", "forward_backward"),
        frozenset(),
        tuple(range(categories.LAUNCH_FLOW, categories.QUEUE_FLOW + 1)),
        ("s", "t", "f"),
    ),
)

_LAYOUT_OF: Final = {
    category: number for number, layout in enumerate(LAYOUTS) for category in layout.categories
}


class NarrowDecoder(WindowDecoder):
    """Decodes windows in which all events have a usual category to `NarrowEvent`, others fully.

    It starts with the ninth window: making the structs takes as long as they save on eight.
    """

    _windows_to_wait = 8
    _patience = 1

    def events(self, text: bytes, *, exact: bool) -> Any:
        """Decode a window; after failures, windows are decoded fully at once, ever more of them."""
        if self._windows_to_wait:
            self._windows_to_wait -= 1
            return super().events(text, exact=exact)
        try:
            found = decode_in_room(_decoder(exact=exact), text)
        except msgspec.ValidationError:
            self._windows_to_wait = self._patience
            self._patience = min(2 * self._patience, 64)
            return super().events(text, exact=exact)
        self._patience = 1
        return found


def sufficient_events(
    window: Window, pairs: npt.NDArray[np.int16], roles: npt.NDArray[np.int16], known: Roles
) -> Sequence[Any]:
    """Return the events of a window, with all arguments where an event has an unusual role.

    Parameters
    ----------
    window : Window
        The window.
    pairs, roles : ndarray of int16, shape (events,)
        The number of each event's phase and category, and its role.
    known : Roles
        Has the category of each number.
    """
    events = window.events
    if not isinstance(events[0], NarrowEvent):
        return events
    layouts = np.array([_LAYOUT_OF.get(category or "", 0) for _, category in known.pairs])
    if _serves()[layouts[pairs], roles].all():
        return events
    full: list[Any] = WindowDecoder.fully(window.text, exact=events[0].exact)
    return full


class PairNumbers(dict[type[NarrowEvent], int]):
    """Numbers the phases and categories of events, which the class of a narrow event tells.

    Looking at the phase and category of every event takes four times as long.

    Parameters
    ----------
    known : Roles
        Has the number of each pair.
    """

    def __init__(self, known: Roles) -> None:
        super().__init__()
        self._known = known

    def __missing__(self, kind: type[NarrowEvent]) -> int:
        """Return the number of a class, and -1 where its events have different phases."""
        only = kind.phases if len(kind.phases) == 1 else ()
        self[kind] = self._known[only[0], kind.cat] if only else -1
        return self[kind]

    def of(self, events: Sequence[Any]) -> npt.NDArray[np.int16]:
        """Return the number of each event's phase and category, shape (events,)."""
        if not isinstance(events[0], NarrowEvent):
            return self._each(events, len(events))
        numbers = np.fromiter(map(self.__getitem__, map(type, events)), np.int16, len(events))
        several = numbers < 0
        if several.any():
            chosen = compress(events, several.tobytes())
            numbers[several] = self._each(chosen, int(several.sum()))
        return numbers

    def _each(self, events: Iterable[Any], count: int) -> npt.NDArray[np.int16]:
        return np.fromiter(map(self._known.__getitem__, map(_get_pair, events)), np.int16, count)


@cache
def _serves() -> npt.NDArray[np.bool_]:
    """Return whether a layout is enough for a role, shape (layouts, roles)."""
    serves = np.zeros((len(LAYOUTS), categories.UNCATEGORISED + 1), bool)
    serves[:, categories.IGNORED] = True
    for number, layout in enumerate(LAYOUTS):
        serves[number, list(layout.roles)] = True
    return serves


@cache
def _decoder(*, exact: bool) -> Any:
    """Return the decoder of arrays of narrow events, made on first use."""
    number = int | float | str | None
    # In the order in which PyTorch writes them: msgspec looks for each key after the one before it.
    common: list[Any] = [("name", str | None, None), ("pid", number, None), ("tid", number, None)]
    common.append(("ts", msgspec.Raw, NO_TEXT) if exact else ("ts", number, None))
    common += [("dur", number, -1), ("id", number, None)]
    kinds_of_event = [
        msgspec.defstruct(
            "NarrowEvent",
            [("ph", Literal[layout.phases]), *common, ("args", _arguments(layout) | None, NO_ARGS)],
            bases=(NarrowEvent,),
            namespace={"cat": category, "phases": layout.phases, "exact": exact},
            tag_field="cat",
            tag=category,
            gc=False,
            eq=False,
        )
        for layout in LAYOUTS
        for category in layout.categories
    ]
    return msgspec.json.Decoder(list[reduce(or_, kinds_of_event)])  # type: ignore[misc]


@cache
def _arguments(layout: Layout) -> Any:
    """Return the struct of the arguments of a layout."""
    fields: list[Any] = [
        (one.name, one.type, msgspec.field(default=one.default, name=one.encode_name))
        for one in msgspec.structs.fields(Args)
        if one.name in layout.arguments
    ]
    return msgspec.defstruct("NarrowArgs", fields, gc=False, eq=False, frozen=True)
