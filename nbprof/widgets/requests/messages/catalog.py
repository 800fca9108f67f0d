"""The messages about the files of a profile and how they change, as types."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired


class SpanEntry(TypedDict):
    """A file of a worker."""

    span: int
    path: str
    bytes: int
    format: str
    device_type: str
    label: NotRequired[str]
    """Words of its name that tell it from the other spans of the worker."""


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
    """Result of ``hello``: versions of nbprof and the protocol."""

    protocol: int
    version: str
    bokeh: str


class LoadingCode(TypedDict, total=False):
    """Python code that opens the profile on screen; empty without a profile."""

    load: str
    """An expression that opens the profile."""
    single_trace: bool
    """Whether the expression opens a profile of only the trace on screen."""
    of_profiles: list[str]
    """The tables that are methods of profiles instead of traces."""


class Catalog(TypedDict):
    """Result of ``catalog`` and ``refresh``: runs, workers and spans."""

    runs: list[RunEntry]
    baselines: NotRequired[list[RunEntry]]
    """Those of the other source, which holds baselines."""
    skipped: list[SkippedFile]
    skipped_count: NotRequired[int]
    looked_for: str
    source: NotRequired[str]
    code: NotRequired[LoadingCode]
    failure: NotRequired[Failure]


class Changes(TypedDict):
    """Result of ``changes``: numbers of files that differ from the catalog."""

    checked: bool
    """Whether files were compared: not if listing takes long, or if the view has a watcher."""
    words: str
    new: int
    changed: int
    gone: int
    settling: int
    """Files that differ, but may still be written; the next check decides."""
