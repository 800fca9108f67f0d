"""The messages between Python and the browser, as types.

``js/src/core/protocol/messages.ts`` is generated from this module, `messages_views` and
`messages_timeline` (``make messages``); a test keeps them equal. Values are plain JSON: no NaN,
tuples as arrays. Tables travel beside the message, as Arrow IPC in binary buffers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired

    #: Name of an operation; `nbprof.widgets.requests.handlers.operations` has all of them.
    Op = str


class TabTable(TypedDict):
    """A table of a view that the generic panel draws."""

    table: str
    title: str
    nouns: list[str]
    """What its rows are called: one of them, several."""
    groupings: list[tuple[str, str]]
    """Value and words of each grouping, the default first; empty without any."""


class TabInfo(TypedDict):
    """A view, as its tab and its panel need it; the trait ``tabs`` lists them in their order."""

    name: str
    title: str
    group_by: str
    """The first grouping of its table; empty without any."""
    script: str
    """Name of the script that draws it; several views may share one."""
    shows: Literal["", "slices", "launched"]
    """What it shows on request from another view: slices of some names, or what a name launched."""
    finds: list[str]
    """Tables whose rows can be found in it, beside those that only it shows."""
    of_modules: bool
    """Whether its rows are called as modules are, which traces write otherwise."""
    tables: list[TabTable]
    """Tables under its cards, in the generic panel; others know theirs."""


class Filter(TypedDict, total=False):
    """A filter as plain values; only the fields that are set."""

    steps: tuple[int, int]
    time_us: tuple[float, float]
    name: str
    within: str
    """What launched the work: forms of a name, and "=aten::mm" for exactly that name."""
    kinds: list[str]
    threads: list[int]
    devices: list[int]
    streams: list[int]


class State(TypedDict):
    """Which part of a profile a request is about."""

    run: str
    worker: str
    span: int
    filter: Filter
    step: str
    """Which annotations are the steps; empty for those that were recorded."""


class Request(TypedDict):
    """One question of the browser."""

    v: int
    id: int
    op: Op
    gen: int
    """Generation: the browser drops replies to older ones."""
    params: dict[str, Any]


class Progress(TypedDict):
    """How far a request has come."""

    text: str
    done: int
    total: int


class WireError(TypedDict):
    """An error on its way to the reader."""

    type: str
    message: str
    hint: str
    details: str


class Answer(TypedDict):
    """What Python sends: a reply, an error, or progress; `id` is null where nobody asked."""

    v: int
    id: int | None
    op: NotRequired[Op]
    gen: NotRequired[int]
    ok: NotRequired[bool]
    result: NotRequired[dict[str, Any]]
    error: NotRequired[WireError]
    progress: NotRequired[Progress]


class SpanEntry(TypedDict):
    """A file of a worker."""

    span: int
    path: str
    bytes: int
    format: str
    device_type: str


class WorkerEntry(TypedDict):
    """A worker and its files."""

    worker: str
    spans: list[SpanEntry]


class RunEntry(TypedDict):
    """A run and its workers."""

    run: str
    workers: list[WorkerEntry]


class SkippedFile(TypedDict):
    """A file that could not be read, and why."""

    path: str
    reason: str


class Failure(TypedDict):
    """Why there is no profile."""

    type: str
    message: str


class Hello(TypedDict):
    """Result of ``hello``: the versions that speak."""

    protocol: int
    version: str
    bokeh: str


class Catalog(TypedDict):
    """Result of ``catalog`` and ``refresh``: runs, workers and spans."""

    runs: list[RunEntry]
    skipped: list[SkippedFile]
    skipped_count: NotRequired[int]
    looked_for: str
    source: NotRequired[str]
    failure: NotRequired[Failure]


class StepsInfo(TypedDict):
    """The steps of a trace."""

    recorded: bool
    first: int
    last: int
    count: int
    complete: int
    by: NotRequired[list[tuple[str, str]]]
    """What can be chosen as the step, as value and words."""


class ThreadInfo(TypedDict):
    """A thread that a filter can name."""

    tid: int
    label: str
    events: NotRequired[int]


class DeviceInfo(TypedDict):
    """A device that a filter can name."""

    device: int
    label: str
    name: NotRequired[str]


class WarningInfo(TypedDict):
    """What was repaired, dropped or odd while reading."""

    kind: str
    count: int
    example: str | None


class TraceInfo(TypedDict):
    """Result of ``trace``: what a whole trace holds, whatever the filter."""

    run: str
    worker: str
    span: int
    path: str
    steps: StepsInfo
    events: int
    duration_us: float
    threads: list[ThreadInfo]
    devices: list[DeviceInfo]
    streams: list[int]
    has: dict[str, bool]
    """What it holds, by the names of `hints`."""
    warnings: list[WarningInfo]
    hints: dict[str, str]
    """Which profiler option records what it does not hold."""


class EmptyAction(TypedDict):
    """A way out of an empty table."""

    label: str
    filter: NotRequired[Filter]
    search: NotRequired[str]


class Empty(TypedDict):
    """Why a table is empty, in words, and filters that would not leave it so."""

    title: str
    text: str
    actions: list[EmptyAction]


class Peak(TypedDict):
    """The most that a device had in use."""

    peak_bytes: int
    time_us: float


class Page(TypedDict):
    """Result of ``page``: some rows of a table, in buffer 0, and what is said of all."""

    total: int
    calls: float | None
    all: int
    """Rows without the name filter and the search."""
    rows: NotRequired[int]
    offset: NotRequired[int]
    group_by: NotRequired[str]
    slots: list[int]
    """Colour slot of each row; empty where rows have no colour."""
    maxima: dict[str, float | None]
    hidden: list[str]
    """Columns that say nothing of this trace."""
    keys: NotRequired[list[str]]
    """The columns that tell rows apart."""
    notes: NotRequired[dict[str, str]]
    """Why columns are null in every row."""
    sums: NotRequired[dict[str, float | None]]
    all_sums: NotRequired[dict[str, float | None]]
    sort: NotRequired[tuple[str, Literal["asc", "desc"]] | None]
    of: NotRequired[int]
    """Of a tree: how many rows it has, open or not."""
    match: NotRequired[int]
    """Of a tree: the first line that the search finds."""
    peaks: NotRequired[list[Peak]]
    empty: NotRequired[Empty]


class Stacks(TypedDict):
    """Result of ``stacks``: what opens under a row, in buffer 0."""

    total: int
    rows: int
    hint: NotRequired[str]


class Csv(TypedDict):
    """Result of ``csv``: one of the parts of a text, in buffer 0."""

    filename: str
    rows: int
    part: int
    parts: int
