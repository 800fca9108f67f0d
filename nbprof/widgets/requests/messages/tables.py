"""The messages about pages of tables, call stacks and files to download, as types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired

    from nbprof.widgets.requests.messages.envelope import Filter


class EmptyAction(TypedDict):
    """A button in the message of an empty table."""

    label: str
    filter: NotRequired[Filter]
    search: NotRequired[str]


class Empty(TypedDict):
    """Why a table is empty, and filters that give rows."""

    title: str
    text: str
    actions: list[EmptyAction]


class Peak(TypedDict):
    """Peak memory in use on a device."""

    peak_bytes: int
    time_us: float


class Page(TypedDict):
    """Result of ``page``: some rows of a table in buffer 0, and facts about all rows."""

    total: int
    calls: float | None
    all: int
    """Rows without the name filter and the search."""
    rows: NotRequired[int]
    offset: NotRequired[int]
    group_by: NotRequired[str]
    slots: list[int]
    """Colour slot of each row; empty if rows have no colour."""
    maxima: dict[str, float | None]
    hidden: list[str]
    """Columns without information about this trace."""
    keys: NotRequired[list[str]]
    """The key columns."""
    notes: NotRequired[dict[str, str]]
    """Why columns are null in every row."""
    sums: NotRequired[dict[str, float | None]]
    all_sums: NotRequired[dict[str, float | None]]
    shares: NotRequired[list[str]]
    """The columns of times for which shares of the filter and of all can be requested."""
    sort: NotRequired[tuple[str, Literal["asc", "desc"]] | None]
    changes: NotRequired[dict[str, int]]
    """For differences: the number of all rows by how they changed."""
    path: NotRequired[list[int]]
    """For a tree of differences: places of the rows along which it opens at first."""
    conditions: NotRequired[list[tuple[str, str, str | float | bool]]]
    """Column, operator and value of each condition that the search consists of."""
    of: NotRequired[int]
    """For a tree: number of rows, visible or not."""
    match: NotRequired[int]
    """For a tree: the first line that matches the search."""
    peaks: NotRequired[list[Peak]]
    empty: NotRequired[Empty]


class Spread(TypedDict):
    """How the values of a column are spread: edges of bins, and the number of values in each."""

    edges: list[float]
    counts: list[int]
    single: bool
    """Whether each bin is for one whole number, its lower edge."""


class Spreads(TypedDict):
    """Result of ``spreads``: the numeric columns of a table of many rows, whatever the search."""

    spreads: dict[str, Spread]


class Stacks(TypedDict):
    """Result of ``stacks``: the lines under a row, in buffer 0: parts, or a tree of frames."""

    total: int
    rows: int
    hint: NotRequired[str]


class FilePart(TypedDict):
    """Result of ``trace_file`` and ``page_file``: one of the parts of a file, in buffer 0."""

    filename: str
    part: int
    parts: int


class Sources(TypedDict):
    """Result of ``sources``: the files of call stacks that the server has."""

    files: dict[str, str]
    """Path below the root of the server, by the file name in frames."""


class Csv(TypedDict):
    """Result of ``csv``: a part of the text, in buffer 0."""

    filename: str
    rows: int
    part: int
    parts: int
