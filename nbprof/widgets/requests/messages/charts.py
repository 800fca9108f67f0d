"""The messages about charts and cards, and the results of requests of single views, as types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired

    from nbprof.widgets.requests.messages.tables import Empty


class Items(TypedDict):
    """Where the rows of a source are drawn, in pixels; see `nbprof.charts.chart.Items`."""

    kind: Literal["columns", "rows", "ring", "points"]
    source: str
    x: float
    y: float
    inner: float
    outer: float


class TemplateItem(TypedDict):
    """A chart of nbprof as a Bokeh figure: its template, and the data that filters change."""

    template: str
    """Identifies the template."""
    root: NotRequired[str]
    """The figure with all its models as JSON; missing if the request says that it is known."""
    version: str
    """Version of Bokeh."""
    height: int
    columns: dict[str, dict[str, Any]]
    """Columns of each data source, by its id in the template."""
    settings: dict[str, dict[str, Any]]
    """Other attributes of models that depend on the data, by their ids."""
    items: NotRequired[Items]
    """The positions of its bars or slices, for pointing and selecting."""


class FigureItem(TypedDict):
    """A figure of a view of another package as ``bokeh.embed.json_item`` writes it."""

    doc: Any
    root_id: str
    version: NotRequired[str]
    target_id: NotRequired[Any]
    title: NotRequired[str]
    """Its title, if it has one."""


class FigureWords(TypedDict):
    """Sentence shown instead of a figure that cannot be shown."""

    words: str


class CardSwitch(TypedDict):
    """A switch of a card."""

    key: str
    label: str
    options: list[tuple[str, str]]
    """Values and their labels."""
    menu: bool


class CardFigure(TypedDict):
    """A chart of a card."""

    name: str
    kind: Literal["bars", "donut", "points"]
    title: str


class CardInfo(TypedDict):
    """A part of a view: charts and their table under a title."""

    name: str
    title: str
    note: str
    switches: list[CardSwitch]
    choice: dict[str, str]
    """The value of each switch."""
    figures: list[CardFigure]
    picks: Literal["", "steps", "name", "worker", "within", "range"]
    """The kind of item that a click on a bar selects, which can become a filter."""
    table: str
    """The table under the charts; empty if their numbers replace them."""
    rows: int
    """The buffer with its rows."""
    of: int
    """Total number of rows."""


class Described(TypedDict):
    """Result of ``charts``: the figures and cards of a view."""

    cards: NotRequired[list[CardInfo]]
    figures: dict[str, TemplateItem | FigureItem | FigureWords]
    notes: NotRequired[list[str]]
    """Sentences about the content of the charts, such as data that is left out."""


class ManySteps(TypedDict):
    """The steps of a trace with so many that the table has only the slowest."""

    count: int
    complete: int
    """How many of them are complete."""
    range_us: tuple[float, float]
    """The shortest and the longest time of complete steps; of all, if none is complete."""
    shown: str
    """Which steps the table has."""


class Overview(Described):
    """Result of ``overview``."""

    tables: dict[str, int]
    """Number of the buffer of each table."""
    left_out: NotRequired[str]
    """Which devices the tables have, if there are too many for all."""
    many_steps: NotRequired[ManySteps]
    facts: list[tuple[str, str]]
    missing: NotRequired[dict[str, str]]
    """Without Python: why a table is missing, by its name."""
    of_all: NotRequired[bool]
    """Without Python: whether the steps are those of all work, though there is a name."""


class Distributed(Described):
    """Result of ``distributed``: while `done` and `of` differ there is nothing else.

    Buffer 0 is the table of the devices.
    """

    done: int
    """Traces that have been read."""
    of: int
    """Total number of traces."""
    empty: NotRequired[Empty | None]
    calls: NotRequired[int]
    over: NotRequired[str]
    """The whole that the utilization of a device is a share of."""
    left_out: NotRequired[str]
    """Which devices the table has, if there are too many for all."""


class MemoryDevice(TypedDict):
    """A device with memory."""

    key: str
    label: str


class MemoryPeak(TypedDict):
    """The peak of a curve."""

    label: str
    bytes: int
    time_us: float
    capacity: int | None
    before: NotRequired[float | None]
    """The peak of the baseline, null if it has none; missing without a comparison."""


class Plane(TypedDict):
    """The plot area of the memory figure in CSS px, and the ranges of its axes."""

    left: float
    right: float
    top: float
    bottom: float
    start_us: float
    end_us: float
    bytes: float
    """Bytes per unit of the axis."""


class Memory(TypedDict):
    """Result of ``memory``."""

    devices: list[MemoryDevice]
    """The devices that can be chosen."""
    left_out: NotRequired[str]
    """Which these are, if not all."""
    device: str
    by: NotRequired[str]
    """The kind of curve shown."""
    kinds: NotRequired[list[str]]
    """The kinds of curves available."""
    peaks: list[MemoryPeak]
    records: int
    figure: TemplateItem | None
    plane: Plane | None


class Graph(TypedDict):
    """What replies about flame graphs share: a range of one; buffer 0 has its frames."""

    total: float
    found: int
    """Number of frames in the whole graph that match the search."""
    search_valid: bool
    range: NotRequired[tuple[float, float]]
    depths: NotRequired[int]
    rows: NotRequired[tuple[int, int]]
    names: NotRequired[list[str]]
    slots: NotRequired[list[int]]
    shades: NotRequired[list[int]]
    empty: NotRequired[str]
    """Why no frame has a width."""


class Flame(Graph):
    """Result of ``flame``."""

    by: str
    order: str


class Icicle(Graph):
    """Result of ``icicle``."""

    by: str
    """``time``, as of a flame graph."""
