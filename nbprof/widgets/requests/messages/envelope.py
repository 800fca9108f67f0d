"""The messages that carry requests and answers, and the state that requests are about, as types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired

    #: Name of an operation; `nbprof.widgets.requests.handlers.operations` returns all of them.
    Op = str


class Filter(TypedDict, total=False):
    """A filter as plain values; only the fields that are set."""

    steps: tuple[int, int]
    time_us: tuple[float, float]
    name: str
    within: str
    """Name of enclosing slices: as `name`, or "=aten::mm" for an exact match."""
    kinds: list[str]
    threads: list[int]
    devices: list[int]
    streams: list[int]


class Baseline(TypedDict, total=False):
    """The trace that the one on screen is compared with; without fields there is none."""

    run: str
    worker: str
    span: int
    source: str
    """"baseline" for a trace of the other source; missing for one of the profile on screen."""
    workers: list[str]
    """Several workers of the baseline, whose mean is compared."""
    candidates: list[str]
    """Several workers on screen, as long as the one on screen is among them."""


class State(TypedDict):
    """The trace and the filter that a request is about."""

    run: str
    worker: str
    span: int
    filter: Filter
    step: str
    """Annotations that are used as steps; empty for the recorded steps."""
    baseline: NotRequired[Baseline]
    """The trace to compare with."""
    refreshed: NotRequired[int]
    """Number of searches for files; a new search makes equal requests differ."""


class Request(TypedDict):
    """A request of the browser."""

    v: int
    id: int
    op: Op
    gen: int
    """Generation: the browser drops replies to older ones."""
    params: dict[str, Any]


class Progress(TypedDict):
    """Progress of a request."""

    text: str
    done: int
    total: int


class WireError(TypedDict):
    """An error, as shown to the user."""

    type: str
    message: str
    hint: str
    details: str


class Answer(TypedDict):
    """A message of Python: a reply, an error, or progress; `id` is null without a request."""

    v: int
    id: int | None
    op: NotRequired[Op]
    gen: NotRequired[int]
    ok: NotRequired[bool]
    result: NotRequired[dict[str, Any]]
    error: NotRequired[WireError]
    progress: NotRequired[Progress]
