"""The messages about the contents of one trace, as types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired


class StepsInfo(TypedDict):
    """The steps of a trace."""

    recorded: bool
    first: int
    last: int
    count: int
    complete: int
    by: NotRequired[list[tuple[str, str]]]
    """Choices for the step, as value and label."""


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
    """A kind of data that was repaired, skipped or inconsistent while reading."""

    kind: str
    count: int
    example: str | None


class TraceInfo(TypedDict):
    """Result of ``trace``: the contents of a whole trace, regardless of the filter."""

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
    of: dict[str, int]
    """How many threads, devices or streams there are, where not all are listed."""
    has: dict[str, bool]
    """Kinds of data it contains, by the names of `hints`."""
    warnings: list[WarningInfo]
    hints: dict[str, str]
    """Sentences on missing data and the option that records it, and on what operators leave out."""
    labels: dict[str, str]
    """Short labels of kernels, by the FNV-1a hashes of their names."""


class Names(TypedDict):
    """Result of ``names``: names of a trace that contain the typed text, the longest time first.

    Threads, devices and streams come after them, where a trace has more than a filter lists.
    """

    names: list[tuple[str, Literal["operator", "kernel", "thread", "device", "stream"], float]]
    """Name, its kind, and its time in µs, or the number of a thread, device or stream."""
    total: int
    """Number of names that contain the text."""
