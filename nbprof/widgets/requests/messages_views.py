"""The messages about charts, cards and what single views show, as types; see `messages`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired

    from nbprof.widgets.requests.messages import Empty


class TemplateItem(TypedDict):
    """A chart of nbprof as a Bokeh figure: its template, and the data that filters change."""

    template: str
    """What tells templates apart."""
    root: NotRequired[str]
    """The figure with all its models as JSON; missing if the request says that it is known."""
    version: str
    """Version of Bokeh."""
    height: int
    columns: dict[str, dict[str, Any]]
    """Columns of each data source, by its id in the template."""
    settings: dict[str, dict[str, Any]]
    """Other attributes of models that depend on the data, by their ids."""


class FigureItem(TypedDict):
    """A figure of a view of another package as ``bokeh.embed.json_item`` writes it."""

    doc: Any
    root_id: str
    version: NotRequired[str]
    target_id: NotRequired[Any]


class FigureWords(TypedDict):
    """What stands in the place of a figure that cannot be shown."""

    words: str


class CardSwitch(TypedDict):
    """A choice that a card offers."""

    key: str
    label: str
    options: list[tuple[str, str]]
    """Values and their words."""
    menu: bool


class CardFigure(TypedDict):
    """A chart of a card."""

    name: str
    kind: Literal["bars", "donut"]
    title: str


class CardInfo(TypedDict):
    """A part of a view: charts and their table under a title."""

    name: str
    title: str
    note: str
    switches: list[CardSwitch]
    choice: dict[str, str]
    """What each switch stands at."""
    figures: list[CardFigure]
    picks: Literal["", "steps", "name", "within"]
    """What a click on a bar filters to."""
    table: str
    """The table under the charts; empty where their numbers are shown in their place."""
    rows: int
    """The buffer with its rows."""
    of: int
    """How many rows there are in all."""


class Described(TypedDict):
    """Result of ``charts``: the figures and cards of a view."""

    cards: NotRequired[list[CardInfo]]
    figures: dict[str, TemplateItem | FigureItem | FigureWords]
    notes: NotRequired[list[str]]
    """Sentences about what is not shown, or what is shown."""


class Overview(Described):
    """Result of ``overview``."""

    tables: dict[str, int]
    """Number of the buffer of each table."""
    facts: list[tuple[str, str]]
    missing: NotRequired[dict[str, str]]
    """Without Python: why a table is not there, by its name."""


class Distributed(Described):
    """Result of ``distributed``: while `done` and `of` differ there is nothing else.

    Buffer 0 is the table of the devices.
    """

    done: int
    """Traces that have been read."""
    of: int
    """Traces in all."""
    empty: NotRequired[Empty | None]
    calls: NotRequired[int]
    over: NotRequired[str]
    """What the use of a device is a share of."""


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


class Plane(TypedDict):
    """Where the data of the memory figure lie in it, CSS px, and what they span."""

    left: float
    right: float
    top: float
    bottom: float
    start_us: float
    end_us: float
    bytes: float
    """Bytes in one of the axis."""


class Memory(TypedDict):
    """Result of ``memory``."""

    devices: list[MemoryDevice]
    device: str
    by: NotRequired[str]
    """What the curve is drawn of."""
    ways: NotRequired[list[str]]
    """What it can be drawn of."""
    peaks: list[MemoryPeak]
    records: int
    figure: TemplateItem | None
    plane: Plane | None


class Flame(TypedDict):
    """Result of ``flame``: what a range of the flame graph shows; buffer 0 has the frames."""

    by: str
    order: str
    total: float
    found: int
    """Frames that the search finds, in the whole graph."""
    search_valid: bool
    range: NotRequired[tuple[float, float]]
    depths: NotRequired[int]
    rows: NotRequired[tuple[int, int]]
    names: NotRequired[list[str]]
    slots: NotRequired[list[int]]
    shades: NotRequired[list[int]]
    empty: NotRequired[str]
    """Why nothing has a width."""
