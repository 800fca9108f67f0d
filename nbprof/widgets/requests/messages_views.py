"""The messages about charts, cards and single views, as types; see `messages`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired

    from nbprof.widgets.requests.messages import Empty


class FigureItem(TypedDict):
    """A figure as ``bokeh.embed.json_item`` writes it."""

    doc: Any
    root_id: str
    version: NotRequired[str]
    target_id: NotRequired[Any]


class FigureWords(TypedDict):
    """Text in place of a figure that cannot be shown."""

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
    """The choice of each switch."""
    figures: list[CardFigure]
    picks: Literal["", "steps", "name", "within"]
    """The filter that a click on a bar sets."""
    table: str
    """The table under the charts; empty if their numbers replace them."""
    rows: int
    """The buffer with its rows."""
    of: int
    """Total number of rows."""


class Described(TypedDict):
    """Result of ``charts``: the figures and cards of a view."""

    cards: NotRequired[list[CardInfo]]
    figures: dict[str, FigureItem | FigureWords]
    notes: NotRequired[list[str]]
    """Notices about missing or shown data."""


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
    """The period of which utilization is a share."""


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
    """Position of the data in the memory figure, CSS px, and their range."""

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
    """Source of the curve: devices or components."""
    ways: NotRequired[list[str]]
    """Possible sources of the curve."""
    peaks: list[MemoryPeak]
    records: int
    figure: FigureItem | None
    plane: Plane | None


class Flame(TypedDict):
    """Result of ``flame``: a range of the flame graph; buffer 0 has the frames."""

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
