"""The messages about memory snapshots, as types: stacked blocks, and segments at a moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired

    from nbprof.widgets.requests.messages.charts import MemoryDevice


class OutOfMemory(TypedDict):
    """An allocation that failed."""

    at: float
    """Its place on the axis."""
    moment: int
    time_us: float
    bytes: int
    """What was asked for."""
    free: int | None
    """What the device had free, if recorded."""
    in_use: int
    reserved: int
    stack: str


class HistoryEnd(TypedDict):
    """What was in use at one end of the recording."""

    bytes: int
    """What the allocator took."""
    requested: int
    """What the program asked for."""
    blocks: int
    reserved: int


class MemoryMoment(TypedDict):
    """Memory in use at a moment."""

    bytes: int
    """What the allocator took."""
    requested: int
    """What the program asked for."""
    moment: int
    at: float
    time_us: float


class Blocks(TypedDict):
    """Result of ``blocks``: stacked blocks of a range; buffer 0 has the blocks, 1 the columns."""

    devices: list[MemoryDevice]
    device: str
    axis: Literal["time", "events"]
    extent: tuple[float, float]
    """The range that shows everything."""
    range: tuple[float, float]
    columns: int
    least: float
    """Blocks of fewer bytes are summed."""
    all: int
    """Number of blocks in the recording."""
    inside: int
    """Number of blocks in use at any time of the range."""
    found: int | None
    """Number of blocks that filter and search keep; null without them."""
    search_valid: bool
    events: int
    peak: MemoryMoment
    before: HistoryEnd
    after: HistoryEnd
    ooms: list[OutOfMemory]
    overwritten: bool
    """Whether older events were overwritten."""
    entries: int | None
    """Number of events that the history keeps, if recorded."""
    stacks: list[str]
    """The innermost frames of each stack."""
    slots: list[int]
    """Colour slot of each stack."""
    categories: list[str]


class Holder(TypedDict):
    """Who holds memory: a frame or a category."""

    name: str
    """Empty without a recorded one."""
    bytes: int
    blocks: int
    before: int
    """The part from before the recording, bytes."""


class BlockDetails(TypedDict):
    """A block with everything that is recorded about it."""

    address: str
    bytes: int
    """What the allocator took."""
    requested: int
    """What the program asked for."""
    state: str
    allocated_us: float | None
    freed_us: float | None
    first_moment: int
    last_moment: int
    stream: int | None
    pool: str
    category: str
    note: str
    stack: str
    freed_by: str
    """The stack of its release, if its allocation is not recorded."""


class Segments(TypedDict):
    """Result of ``segments``: a moment; buffer 0 has its segments, 1 their blocks as drawn."""

    device: str
    moment: int
    last: int
    at: float
    time_us: float
    event: str
    """The event before the moment, in words; empty before the first."""
    in_use: int
    requested: int
    """What the program asked for of what is in use."""
    reserved: int
    occupied: int
    """What blocks occupy of the segments."""
    blocks: int
    gaps: int
    largest_gap: int
    outside: tuple[int, int]
    """Number and bytes of blocks of which no segment is known."""
    peak_before: MemoryMoment
    peak_after: MemoryMoment
    length: int
    """Bytes of a row."""
    rows: int
    holders: list[Holder]
    categories: list[Holder]
    others: NotRequired[int]
    """Number of further holders."""
    stacks: list[str]
    slots: list[int]
    item_categories: list[str]
    pools: list[str]
    selected: BlockDetails | None
