"""The messages about the timeline, as types.

Times are nanoseconds from the trace's first event: whole numbers that a double holds exactly. A
*row* is one depth of one lane; rows are numbered through all lanes. A *slice id* is the row of the
host table, or the number of host rows plus the row of the device table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired

    from nbprof.widgets.requests.messages.envelope import Baseline

    #: One of `nbprof.timeline.slice_categories.CATEGORIES`.
    Category = str


class Group(TypedDict):
    """A process, a device or a part of the recorder; with lanes by module, a module."""

    key: str
    label: str
    detail: str
    collapsed: NotRequired[bool]
    """Whether only its name is shown at first."""
    as_lane: NotRequired[bool]
    """Whether its lanes are drawn as one while it is collapsed, each with a row of a few pixels."""
    within: NotRequired[str]
    """Key of the group of its worker, where several workers are shown."""


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
    """Number of its rows."""
    slices: int
    moved: int
    """Number of slices that overlap others of the lane and are therefore in extra rows."""
    tid: int | None
    """Numbers for filters; null if not applicable."""
    device: int | None
    stream: int | None
    folded: NotRequired[str]
    """Noun of its rows, such as "Python frame", if only the first row is shown initially."""


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


class ShownWorker(TypedDict):
    """A worker among several, and the offsets of its rows, slices and times."""

    worker: str
    suffix: str
    """End of the keys of its lanes, curves and groups; empty for the worker on screen."""
    first_row: int
    first_slice: int
    host_rows: int
    shift_ns: int
    """Nanoseconds that were added to its times."""
    steps: list[Step]
    aligned: str
    """How its clock was aligned, in words; empty for the worker on screen."""
    baseline: NotRequired[Baseline]
    """Which trace it is, if it is the baseline of the one on screen."""


class AlignedAt(TypedDict, total=False):
    """What two timelines are aligned at: a step, or an occurrence of a name, of a step if given."""

    step: int
    name: str
    nth: int
    """Which occurrence, from 1."""


class Compared(TypedDict):
    """A comparison with a baseline: where the two timelines are aligned."""

    baseline: Baseline
    align: AlignedAt
    """As it was asked for."""
    at_ns: int
    end_ns: int
    """When what begins there has ended on both sides."""
    nth: int
    """Which of the steps or occurrences of both sides it is, from 1; 0 for neither."""
    count: int
    """How many there are."""
    place: str
    """What begins there: a step or a name."""
    words: str
    """How the baseline was aligned, and why what was asked for is not possible."""
    steps: list[tuple[int, int]]
    """The numbers of the steps that both have: of the trace on screen, of the baseline."""


class Layout(TypedDict):
    """Result of ``timeline``: the layout, independent of the window. Buffer 0 is the minimap."""

    group_by: str
    start_ns: int
    end_ns: int
    host_rows: int
    groups: list[Group]
    lanes: list[Lane]
    tracks: list[Track]
    steps: list[Step]
    """Empty if no steps are marked."""
    slices: int
    moved: int
    minimap: Minimap
    flows: NotRequired[list[Literal["enqueue", "fwdbwd", "queue"]]]
    """The kinds of arrows that the trace has; missing in older saved state."""
    empty: NotRequired[str]
    """The reason if there is nothing to draw; missing in older saved state."""
    left_out: NotRequired[list[str]]
    """Sentences about data that is left out because there is too much of it."""
    workers: NotRequired[list[ShownWorker]]
    """The workers shown, the one on screen first; missing if it is the only one."""
    failed: NotRequired[dict[str, str]]
    """Why other workers cannot be shown."""
    clock: NotRequired[str]
    """The requested method of aligning clocks."""
    compared: NotRequired[Compared]
    """The comparison, if a baseline is shown."""


class WindowInfo(TypedDict):
    """Result of ``slices``. Buffer 0 holds the slices, one record a row; buffer 1 the tracks."""

    start_ns: int
    end_ns: int
    bin_ns: int
    """Slices shorter than this that start in one column of this length are one block."""
    group_by: str
    rows: list[tuple[int, int]]
    """Ranges of the rows included, last exclusive."""
    names: list[str]
    slots: list[int]
    """Colour slot of each name, 0 to 9."""
    shades: list[int]
    """Lightness step of each name, 0 to 3."""
    matches: list[int]
    """Indices of names that match the search."""
    dimmed: list[int]
    """Indices of names that the name filter excludes."""


class SliceRef(TypedDict):
    """A slice, such as the hovered or the selected one."""

    slice: int
    row: int
    start_ns: int
    end_ns: int
    name: NotRequired[str]
    """Missing if it is not known without a request."""


class Arrow(TypedDict):
    """A link between two slices."""

    kind: Literal["launch", "fwdbwd", "enqueue", "operator", "queue"]
    from_row: int
    from_ns: int
    to_row: int
    to_ns: int


class SliceLink(TypedDict):
    """A link from one slice to a connected one."""

    kind: Literal[
        "counterpart",
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
    """Result of ``slice``: everything known about a slice."""

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
    follow: list[SliceLink]
    """Links to connected slices."""
    arrows: list[Arrow]
    align: NotRequired[AlignedAt]
    """The slice as a place to align two timelines at; missing without a comparison."""


class Flows(TypedDict):
    """Result of ``flows``: the arrows of a window that are nearest to a time."""

    arrows: list[Arrow]
    limited: bool
    """Whether there may be more arrows, farther from that time."""


class Found(TypedDict):
    """Result of ``find``."""

    count: int
    index: int
    """Position of the hit among all, from 1; 0 without a hit."""
    hit: SliceRef | None
    columns: list[int]
    """Columns of the minimap that hold matches."""


class Area(TypedDict):
    """Result of ``area``: time by name in a range of time over some lanes, in buffer 0."""

    slices: int
    host: int
    device: int
    names: int
    """Number of names; `rows` of them are in the buffer."""
    rows: int
    slots: list[int]


class SavedTimeline(TypedDict):
    """The saved timeline, besides its slices and curves."""

    layout: Layout
    info: WindowInfo
    """For the whole trace and all rows."""
    left_out: str
    """Sentences about what is left out; empty if every slice is included."""
    recorded: dict[str, str]
    """Names as recorded, by those shown, where they differ: filters match both."""
