"""The messages about the timeline, as types; see `messages`.

Times are nanoseconds from the trace's first event: whole numbers that a double holds exactly. A
*row* is one depth of one lane; rows are numbered through all lanes. A *slice id* is the row of the
host table, or the number of host rows plus the row of the device table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired

    #: One of `nbprof.timeline.slice_categories.CATEGORIES`.
    Category = str


class Group(TypedDict):
    """A process, a device or a part of the recorder; with lanes by module, a module."""

    key: str
    label: str
    detail: str
    collapsed: NotRequired[bool]
    """Whether only its name is shown at first."""


class Lane(TypedDict):
    """The slices of a thread, a stream or a module."""

    key: str
    group: str
    label: str
    detail: str
    kind: Literal["thread", "stream", "module"]
    first_row: int
    """Number of its first row."""
    depths: int
    """How many rows it has."""
    slices: int
    moved: int
    """Slices that overlap others of the lane and were moved to rows of their own."""
    tid: int | None
    """What filters call it; null where that does not apply."""
    device: int | None
    stream: int | None
    folded: NotRequired[str]
    """What its rows are, such as "Python frame", if only the first one is shown at first."""


class Track(TypedDict):
    """A curve: steps of a value over time."""

    key: str
    group: str
    label: str
    detail: str
    unit: str
    """"%", "bytes" or "" for a count."""
    low: float
    high: float
    device: int | None
    stream: int | None


class Extent(TypedDict):
    """A range of time."""

    start_ns: int
    end_ns: int


class Step(TypedDict):
    """A step."""

    step: int
    start_ns: int
    """As the host recorded it."""
    end_ns: int
    device: Extent | None
    """The extent of the device work that it launched."""


class Band(TypedDict):
    """A row of the minimap."""

    group: str
    label: str


class Minimap(TypedDict):
    """The picture of the whole trace above the lanes."""

    columns: int
    bands: list[Band]


class Layout(TypedDict):
    """Result of ``timeline``: what there is to draw in any window. Buffer 0 is the minimap."""

    group_by: str
    start_ns: int
    end_ns: int
    host_rows: int
    groups: list[Group]
    lanes: list[Lane]
    tracks: list[Track]
    steps: list[Step]
    """Empty where ``prof.step()`` was not called."""
    slices: int
    moved: int
    minimap: Minimap
    flows: NotRequired[list[Literal["enqueue", "fwdbwd", "queue"]]]
    """The kinds of arrows that the trace has; missing in older saved state."""
    empty: NotRequired[str]
    """Why there is nothing to draw, where there is nothing; missing in older saved state."""


class WindowInfo(TypedDict):
    """Result of ``slices``. Buffer 0 holds the slices, one record a row; buffer 1 the tracks."""

    start_ns: int
    end_ns: int
    bin_ns: int
    """Slices shorter than this that start in one column of this length are one block."""
    group_by: str
    rows: list[tuple[int, int]]
    """Ranges of rows that are answered, last exclusive."""
    names: list[str]
    slots: list[int]
    """Colour slot of each name, 0 to 9."""
    shades: list[int]
    """Lightness step of each name, 0 to 3."""
    matches: list[int]
    """Indices of names that the search finds."""
    dimmed: list[int]
    """Indices of names that the name filter leaves out."""


class SliceRef(TypedDict):
    """A slice somebody pointed at."""

    slice: int
    row: int
    start_ns: int
    end_ns: int
    name: NotRequired[str]
    """As far as it is known without asking."""


class Arrow(TypedDict):
    """A link between two slices."""

    kind: Literal["launch", "fwdbwd", "enqueue", "operator", "queue"]
    from_row: int
    from_ns: int
    to_row: int
    to_ns: int


class Way(TypedDict):
    """A slice that one can go to from another."""

    kind: Literal[
        "operator",
        "queue",
        "launch",
        "kernel",
        "backward",
        "forward",
        "parent",
        "previous",
        "next",
    ]
    label: str
    target: SliceRef


class SliceDetails(TypedDict):
    """Result of ``slice``: all that is known of one slice."""

    slice: int
    side: Literal["host", "device"]
    table_row: int
    name: str
    category: Category
    lane: str
    row: int
    start_ns: int
    end_ns: int
    self_ns: int | None
    facts: list[tuple[str, str]]
    """Label, value as text, in the order to show."""
    call_stack: str
    slot: NotRequired[int | None]
    """Colour slot of the name, of slices that are coloured by name."""
    follow: list[Way]
    """Where one can go from here."""
    arrows: list[Arrow]


class Flows(TypedDict):
    """Result of ``flows``: the arrows nearest to the middle of a window."""

    arrows: list[Arrow]


class Found(TypedDict):
    """Result of ``find``."""

    count: int
    index: int
    """Place of the hit among all, from 1; 0 without a hit."""
    hit: SliceRef | None
    columns: list[int]
    """Columns of the minimap that hold matches."""


class Area(TypedDict):
    """Result of ``area``: what is inside a range of time over some lanes; buffer 0, by name."""

    slices: int
    host: int
    device: int
    names: int
    """How many names there are; `rows` of them are in the buffer."""
    rows: int
    slots: list[int]


class SavedTimeline(TypedDict):
    """What is kept of a timeline for where there is no Python, beside its slices and curves."""

    layout: Layout
    info: WindowInfo
    """Of all of the trace and all rows."""
    left_out: str
    """What it leaves out, in words; empty where every slice is in it."""
